use binlog::messages::{Ev, Mode};
use binlog::{LogSchema, LogWriter, Sink};

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
}

fn arm(log: &impl Sink<Mode>, mode: &Mode) {
    log.log(mode);
}

fn start(mode: &Mode) {
    arm(&LogWriter::<FlightLog, _>::new(Vec::new()).unwrap().into_shared(), mode);
}

fn main() {}
