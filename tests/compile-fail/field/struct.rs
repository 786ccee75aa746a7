use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(IntoBytes, Immutable)]
#[repr(C, packed)]
struct Vector {
    x: f32,
    y: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    value: Vector,
}

fn main() {}
