use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, align(8))]
struct Attitude {
    time_us: u64,
    roll: f64,
}

fn main() {}
