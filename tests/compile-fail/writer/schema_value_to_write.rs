use binlog::{LogMessage, LogSchema, LogWriter};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    roll: f32,
}

#[derive(LogSchema)]
enum FlightLog {
    Attitude(Attitude),
}

fn main() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap();
    log.write(&FlightLog::Attitude(Attitude { time_us: 0, roll: 0.0 })).unwrap();
}
