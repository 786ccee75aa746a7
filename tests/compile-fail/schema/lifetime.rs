use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
enum FlightLog<'a> {
    Msg(&'a Msg),
}

fn main() {}
