#![deny(deprecated)]

use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(mult = 1e-3)]
    share: u16,
}

fn main() {}
