use binlog::LogSchema;

#[derive(LogSchema)]
enum FlightLog {
    Message,
}

fn main() {}
