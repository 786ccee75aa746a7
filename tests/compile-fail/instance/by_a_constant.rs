use binlog::{LogMessage, Unit};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "IMU")]
#[repr(C, packed)]
struct Imu {
    time_us: u64,
    temperature: f32,
    #[log(unit = Unit::INSTANCE)]
    instance: u8,
}

fn main() {}
