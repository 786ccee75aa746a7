use binlog::{LogMessage, Multiplier};
use zerocopy::{Immutable, IntoBytes};

const MILLI: Multiplier = Multiplier::custom('m', 5e-3);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = MILLI)]
    roll: f32,
}

fn main() {}
