use binlog::messages::{Ev, Msg};
use binlog::{HostLogger, LogSchema};

#[derive(LogSchema)]
#[log(sink = FlightSink)]
enum FlightLog {
    #[log(id = 300)]
    Ev(Ev),
    Msg(Msg),
}

fn application(log: &impl FlightSink) {
    log.log(&Ev { time_us: 0, id: 10 });
}

fn start(log: &HostLogger<FlightLog>) {
    application(log);
}

fn main() {}
