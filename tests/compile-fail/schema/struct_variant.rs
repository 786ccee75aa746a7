use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
enum FlightLog {
    Msg { msg: Msg },
}

fn main() {}
