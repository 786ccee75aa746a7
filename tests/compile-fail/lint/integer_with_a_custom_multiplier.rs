#![deny(deprecated)]

use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

type Height = zerocopy::little_endian::I16;

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = "m", mult = binlog::Multiplier::CENTI)]
    height: Height,
}

fn main() {}
