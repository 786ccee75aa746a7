use binlog::{LogSchema, messages};

#[derive(LogSchema)]
enum FlightLog {
    #[log(critical = 1)]
    Ev(messages::Ev),
}

fn main() {}
