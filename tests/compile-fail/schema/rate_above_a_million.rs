use binlog::{LogSchema, messages};

#[derive(LogSchema)]
enum FlightLog {
    #[log(rate = 1000001)]
    Ev(messages::Ev),
}

fn main() {}
