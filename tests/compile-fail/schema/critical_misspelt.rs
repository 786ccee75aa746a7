use binlog::{LogSchema, messages};

#[derive(LogSchema)]
enum FlightLog {
    #[log(crit)]
    Ev(messages::Ev),
}

fn main() {}
