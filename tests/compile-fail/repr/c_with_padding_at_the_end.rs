use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C)]
struct Attitude {
    time_us: u64,
    armed: u8,
}

fn main() {}
