use binlog::{LogMessage, Unit};
use zerocopy::{Immutable, IntoBytes};

const NAMELESS: Unit = Unit::custom('T', "");

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = NAMELESS)]
    roll: f32,
}

fn main() {}
