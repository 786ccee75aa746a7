use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "a")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    roll: f32,
}

fn main() {}
