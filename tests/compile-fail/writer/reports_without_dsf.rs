use binlog::messages::{Dropped, Ev};
use binlog::{HostLogger, LogSchema};
use std::time::Duration;

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
    Drop(Dropped),
}

fn main() {
    let settings = HostLogger::<FlightLog>::builder().report_every(Duration::from_secs(1));
    drop(settings);
}
