use binlog::LogSchema;

#[derive(LogSchema)]
enum FlightLog {
    Attitude(Attitude),
}

fn main() {}
