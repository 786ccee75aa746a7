use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

const MOTORS: usize = 4;

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    motors: [bool; MOTORS],
}

fn main() {}
