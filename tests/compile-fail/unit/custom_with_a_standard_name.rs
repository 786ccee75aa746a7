use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

const METRE: binlog::Unit = binlog::Unit::custom('M', "m");

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "POS")]
#[repr(C, packed)]
struct Position {
    time_us: u64,
    #[log(unit = METRE)]
    x: u16,
}

fn main() {}
