use binlog::{LogMessage, Unit};
use zerocopy::{Immutable, IntoBytes};

const METRE: Unit = Unit::custom('T', "uT");

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = "m", mult = METRE, allow(misleading_multiplier))]
    alt: i32,
}

fn main() {}
