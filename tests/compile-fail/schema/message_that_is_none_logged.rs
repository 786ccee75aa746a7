use binlog::messages::Msg;
use binlog::{LogSchema, LogWriter};

#[derive(LogSchema)]
enum FlightLog {
    Msg(Msg),
}

fn main() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap();
    log.write(&5_u8).unwrap();
}
