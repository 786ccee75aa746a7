use binlog::{Field, LogMessage, LogSchema, LogWriter};
use zerocopy::{Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable)]
struct Degrees(f32);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    roll: Degrees,
}

#[derive(LogSchema)]
enum FlightLog {
    Attitude(Attitude),
}

fn main() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap();
    log.write(&Attitude { time_us: 0, roll: Degrees(0.0) }).unwrap();
}
