use binlog::LogSchema;

struct Attitude {
    roll: f32,
}

#[derive(LogSchema)]
enum FlightLog {
    Attitude(Attitude),
}

fn main() {}
