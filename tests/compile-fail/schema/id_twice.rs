use binlog::LogSchema;
use binlog::messages::{Mode, Msg};

#[derive(LogSchema)]
enum FlightLog {
    #[log(id = 5)]
    Mode(Mode),
    #[log(id = 5)]
    Msg(Msg),
}

fn main() {}
