#![deny(deprecated)]

use binlog::{LogMessage, Multiplier};
use zerocopy::{Immutable, IntoBytes};

const HALF: Multiplier = Multiplier::custom('h', 0.5);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = "deg", mult = HALF)]
    roll: f32,
}

fn main() {}
