use binlog::{LogMessage, LogSchema, encode};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    roll: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "BAT")]
#[repr(C, packed)]
struct Battery {
    time_us: u64,
    volt: f32,
}

#[derive(LogSchema)]
enum FlightLog {
    Attitude(Attitude),
}

fn main() {
    let _ = encode::<FlightLog, _>(&Battery { time_us: 0, volt: 12.6 }, &mut [0; 255]);
}
