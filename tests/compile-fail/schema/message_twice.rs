use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
enum FlightLog {
    One(Msg),
    Two(Msg),
}

fn main() {}
