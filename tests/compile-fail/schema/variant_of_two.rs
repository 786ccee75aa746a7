use binlog::LogSchema;
use binlog::messages::{Mode, Msg};

#[derive(LogSchema)]
enum FlightLog {
    Both(Mode, Msg),
}

fn main() {}
