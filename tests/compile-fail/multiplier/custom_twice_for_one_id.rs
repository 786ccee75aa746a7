use binlog::{LogMessage, LogSchema, Multiplier};
use zerocopy::{Immutable, IntoBytes};

const HALF: Multiplier = Multiplier::custom('h', 0.5);
const HUNDRED: Multiplier = Multiplier::custom('h', 100.5);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ONE")]
#[repr(C, packed)]
struct One {
    time_us: u64,
    #[log(unit = "m", mult = HALF, allow(misleading_multiplier))]
    x: i32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TWO")]
#[repr(C, packed)]
struct Two {
    time_us: u64,
    #[log(unit = "m", mult = HUNDRED, allow(misleading_multiplier))]
    x: i32,
}

#[derive(LogSchema)]
enum FlightLog {
    One(One),
    Two(Two),
}

fn main() {}
