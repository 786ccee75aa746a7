use binlog::field::Chars;
use binlog::{LogMessage, LogSchema, LogWriter};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    a: Chars<64>,
    b: Chars<64>,
    c: Chars<64>,
    roll: [i16; 32],
}

#[derive(LogSchema)]
enum FlightLog {
    Attitude(Attitude),
}

fn main() {
    let _ = LogWriter::<FlightLog, _>::new(Vec::new());
}
