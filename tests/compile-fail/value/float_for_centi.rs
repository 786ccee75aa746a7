use binlog::{LogMessage, field::Centi};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    roll: Centi<i16>,
}

fn main() {
    let _ = Attitude { time_us: 0, roll: 5.0 };
}
