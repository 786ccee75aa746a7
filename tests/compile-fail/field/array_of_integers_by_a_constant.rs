use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

const CELLS: usize = 6;

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    cells: [u16; CELLS],
}

fn main() {}
