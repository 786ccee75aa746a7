use binlog::messages::{Ev, Msg};
use binlog::{HostLogger, LogSchema};

#[derive(LogSchema)]
#[log(sink = LibrarySink)]
pub enum Library {
    Ev(Ev),
    Msg(Msg),
}

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
}

fn application(_: &impl LibrarySink) {}

fn start(log: &HostLogger<FlightLog>) {
    application(log);
}

fn main() {}
