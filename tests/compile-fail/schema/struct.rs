use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
struct FlightLog {
    msg: Msg,
}

fn main() {}
