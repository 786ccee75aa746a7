use binlog::LogSchema;

#[derive(LogSchema)]
enum FlightLog {}

fn main() {}
