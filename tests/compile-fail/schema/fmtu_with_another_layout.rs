use binlog::{LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "FMTU", as_logged)]
#[repr(C, packed)]
struct Units {
    time_us: u64,
    id: u8,
}

#[derive(LogSchema)]
enum FlightLog {
    Fmtu(Units),
}

fn main() {}
