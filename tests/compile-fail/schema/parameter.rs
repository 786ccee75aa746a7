use binlog::LogSchema;

#[derive(LogSchema)]
enum FlightLog<M> {
    Message(M),
}

fn main() {}
