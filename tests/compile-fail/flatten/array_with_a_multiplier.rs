#![deny(deprecated)]

use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    time_us: u64,
    #[log(flatten, unit = "m", mult = 1e-3)]
    position: [f32; 3],
}

fn main() {}
