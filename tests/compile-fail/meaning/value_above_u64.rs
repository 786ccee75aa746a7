use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "POS")]
#[repr(C, packed)]
struct Position {
    time_us: u64,
    #[log(values(18446744073709551616 = "more"))]
    x: u64,
}

fn main() {}
