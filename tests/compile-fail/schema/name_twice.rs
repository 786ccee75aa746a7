use binlog::{LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    roll: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Angles {
    time_us: u64,
    pitch: f32,
}

#[derive(LogSchema)]
enum FlightLog {
    One(Attitude),
    Two(Angles),
}

fn main() {}
