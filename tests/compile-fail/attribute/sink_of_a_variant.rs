use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
enum FlightLog {
    #[log(sink = FlightSink)]
    Msg(Msg),
}

fn main() {}
