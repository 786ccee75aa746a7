use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
#[log(sink = "FlightSink")]
enum FlightLog {
    Msg(Msg),
}

fn main() {}
