use binlog::{LogMessage, LogSchema, LogWriter, Sink, encode};
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
    let battery = Battery { time_us: 0, volt: 12.6 };
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap();
    log.write(&battery).unwrap();
    let _ = encode::<FlightLog, _>(&battery, &mut [0; 255]);
    Sink::log(&log.into_shared(), &battery);
}
