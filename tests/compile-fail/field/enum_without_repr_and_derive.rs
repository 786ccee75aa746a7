use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

enum Phase {
    Pad,
    Boost,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    phase: Phase,
}

fn main() {}
