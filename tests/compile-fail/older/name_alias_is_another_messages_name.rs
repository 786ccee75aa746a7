use binlog::{LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ENG", alias = "MOT")]
#[repr(C, packed)]
struct Engine {
    time_us: u64,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "MOT")]
#[repr(C, packed)]
struct Motor {
    time_us: u64,
}

#[derive(LogSchema)]
enum FlightLog {
    Eng(Engine),
    Mot(Motor),
}

fn main() {}
