use binlog::{LogMessage, LogSchema, Unit};
use zerocopy::{Immutable, IntoBytes};

const MICROTESLA: Unit = Unit::custom('T', "uT");
const TON: Unit = Unit::custom('T', "t");

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "MAG")]
#[repr(C, packed)]
struct Compass {
    time_us: u64,
    #[log(unit = MICROTESLA)]
    x: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "LOAD")]
#[repr(C, packed)]
struct Load {
    time_us: u64,
    #[log(unit = TON)]
    mass: f32,
}

#[derive(LogSchema)]
enum FlightLog {
    Compass(Compass),
    Load(Load),
}

fn main() {}
