use binlog::{LogSchema, messages};

#[derive(LogSchema)]
enum FlightLog {
    #[log(rate)]
    Ev(messages::Ev),
}

fn main() {}
