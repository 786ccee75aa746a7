use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C)]
struct Attitude {
    time_us: u64,
    roll: f32,
    pitch: i16,
    yaw: i8,
}

fn main() {}
