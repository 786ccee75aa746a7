use binlog::LogMessage;
use binlog::field::FlightMode;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(instance)]
    mode: FlightMode,
}

fn main() {}
