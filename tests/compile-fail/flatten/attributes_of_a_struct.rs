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
struct FlattenWithAValue {
    time_us: u64,
    #[log(flatten = true)]
    gyro: Vector3,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Instance {
    time_us: u64,
    #[log(flatten, instance)]
    gyro: Vector3,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct NamesOfAStruct {
    time_us: u64,
    #[log(flatten, names = "A,B,C")]
    gyro: Vector3,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct StartOfAStruct {
    time_us: u64,
    #[log(flatten, start = 0)]
    gyro: Vector3,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct ValuesOfAStruct {
    time_us: u64,
    #[log(flatten, values(0 = "None"))]
    gyro: Vector3,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct FlattenIsMissingAtAnArray {
    time_us: u64,
    #[log(flatten, prefix = "Gyr")]
    gyro: Vector3,
    motors: [u16; 4],
}

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Header {
    time_us: u64,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct FirstField {
    #[log(flatten, prefix = "")]
    header: Header,
    status: u8,
}

fn main() {}
