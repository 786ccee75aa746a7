use binlog::messages::{Ev, Mode};
use binlog::{HostLogger, LogSchema};

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
}

fn arm(log: &HostLogger<FlightLog>, mode: &Mode) {
    log.log(mode);
}

fn main() {}
