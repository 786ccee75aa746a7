use binlog::LogWriter;

enum FlightLog {}

fn main() {
    let _ = LogWriter::<FlightLog, _>::new(Vec::new());
}
