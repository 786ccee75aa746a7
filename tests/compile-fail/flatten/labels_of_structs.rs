use binlog::{Columns, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Vector3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct LabelTwice {
    time_us: u64,
    gyro_x: f32,
    #[log(flatten)]
    gyro: Vector3,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct LabelOfAColumnTwice {
    time_us: u64,
    #[log(flatten)]
    gyro: Vector3,
    gyro_x: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct PrefixTwice {
    time_us: u64,
    #[log(flatten, prefix = "G")]
    gyro: Vector3,
    #[log(flatten, prefix = "G")]
    gravity: Vector3,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct PrefixThatIsNoIdentifier {
    time_us: u64,
    #[log(flatten, prefix = "Gyro ")]
    gyro: Vector3,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct LabelsOf66Bytes {
    time_us: u64,
    #[log(flatten)]
    gyroscopes_filtered: Vector3,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct LabelsOf66BytesWithAColumn {
    time_us: u64,
    #[log(flatten, prefix = "GyroscopeRates")]
    gyro: Vector3,
    temperature: f32,
}

fn main() {}
