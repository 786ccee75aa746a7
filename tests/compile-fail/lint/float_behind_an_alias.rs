#![deny(deprecated)]

use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

type Degrees = f32;

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = "deg", mult = 1e-2)]
    roll: Degrees,
}

fn main() {}
