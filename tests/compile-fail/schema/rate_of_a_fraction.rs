use binlog::{LogSchema, messages};

#[derive(LogSchema)]
enum FlightLog {
    #[log(rate = 0.5)]
    Ev(messages::Ev),
}

fn main() {}
