use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "POS")]
#[repr(C, packed)]
struct Position {
    time_us: u64,
    #[log(values(-1 = "none"))]
    x: u64,
}

fn main() {}
