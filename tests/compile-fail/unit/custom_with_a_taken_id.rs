use binlog::{LogMessage, Unit};
use zerocopy::{Immutable, IntoBytes};

const METRE: Unit = Unit::custom('m', "metre");

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = METRE)]
    roll: f32,
}

fn main() {}
