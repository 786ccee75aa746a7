use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "POS")]
#[repr(C, packed)]
struct Position {
    time_us: u64,
    #[log(unit = "Pa", mult = 1000)]
    pressure: f32,
}

fn main() {}
