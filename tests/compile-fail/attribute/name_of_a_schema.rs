use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
#[log(name = "FLT")]
enum FlightLog {
    Msg(Msg),
}

fn main() {}
