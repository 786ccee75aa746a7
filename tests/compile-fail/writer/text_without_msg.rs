use binlog::messages::Ev;
use binlog::{LogSchema, LogWriter};

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
}

fn main() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap();
    log.text(0, "ready").unwrap();
}
