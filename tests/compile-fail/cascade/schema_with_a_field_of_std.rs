use binlog::{LogMessage, LogSchema, LogWriter};
use std::time::Duration;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TASK")]
#[repr(C, packed)]
struct Task {
    time_us: u64,
    #[log(unit = "s")]
    longest: Duration,
}

#[derive(LogSchema)]
enum FlightLog {
    Task(Task),
}

fn main() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap();
    log.write(&Task { time_us: 0, longest: Duration::from_millis(3) }).unwrap();
}
