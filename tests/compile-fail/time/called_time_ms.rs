use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "POS")]
#[repr(C, packed)]
struct Position {
    time_ms: u32,
    x: u8,
}

fn main() {}
