#![deny(deprecated)]

use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "GPS", as_logged)]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(label = "Status")]
    status: u8,
}

fn main() {}
