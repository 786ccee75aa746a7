use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "STAT")]
#[repr(C, packed)]
struct State {
    time_us: u64,
    #[log(bits(0 = "Armed", 9 = "Flying"))]
    a: u8,
}

fn main() {}
