use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "IMU")]
#[repr(C, packed)]
struct Imu {
    time_us: u64,
    #[log(flatten, default = [0; 2])]
    channels: [u16; 3],
}

fn main() {}
