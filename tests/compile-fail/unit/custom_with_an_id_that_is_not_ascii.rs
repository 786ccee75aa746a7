use binlog::{LogMessage, Unit};
use zerocopy::{Immutable, IntoBytes};

const MICRO: Unit = Unit::custom('µ', "uT");

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = MICRO)]
    roll: f32,
}

fn main() {}
