use binlog::LogSchema;
use binlog::messages::Fmt;

#[derive(LogSchema)]
enum FlightLog {
    #[log(id = 5)]
    Fmt(Fmt),
}

fn main() {}
