use binlog::{LogMessage, Multiplier};
use zerocopy::{Immutable, IntoBytes};

const NOTHING: Multiplier = Multiplier::custom('N', 0.0);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = "m", mult = NOTHING, allow(misleading_multiplier))]
    alt: i32,
}

fn main() {}
