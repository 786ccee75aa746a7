use binlog::{LogMessage, Multiplier};
use zerocopy::{Immutable, IntoBytes};

const CENTI: Multiplier = Multiplier::custom('B', 1e-2);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = "m", mult = CENTI, allow(misleading_multiplier))]
    alt: i32,
}

fn main() {}
