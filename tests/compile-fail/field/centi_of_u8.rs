use binlog::LogMessage;
use binlog::field::Centi;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    load: Centi<u8>,
}

fn main() {}
