use binlog::HostLogger;
use binlog::messages::{Ev, Msg};
use binlog::sink::{Sink, TimedSink};

#[derive(binlog::LogSchema)]
enum FlightLog {
    Ev(Ev),
}

fn application(log: &(impl TimedSink + Sink<Msg>)) {
    log.text("armed");
}

fn start(log: &HostLogger<FlightLog>) {
    application(log);
}

fn main() {}
