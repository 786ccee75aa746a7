use binlog::{LogSchema, messages::Ev};
use binlog_embedded::Logger;

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
}

static LOG: Logger<FlightLog, 256> = Logger::new();

fn main() {
    LOG.start(|| 0);
}
