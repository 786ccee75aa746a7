use binlog::{LogSchema, messages};

#[derive(LogSchema)]
enum FlightLog {
    #[log(rate = 50)]
    File(messages::File),
}

fn main() {}
