use binlog::LogSchema;
use binlog::blackbox::Event;
use binlog::messages::Ev;
use binlog_embedded::Logger;

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
}

static LOG: Logger<FlightLog, 16384> = Logger::new();

fn main() {
    LOG.event(&Event::SyncBeep { time: 0 });
}
