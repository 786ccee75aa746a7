use binlog::{LogSchema, messages::Ev};
use binlog_embedded::Logger;

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
}

static LOG: Logger<FlightLog, 16384> = Logger::new();

fn main() {
    LOG.text("armed");
}
