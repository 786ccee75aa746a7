use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "STAT")]
#[repr(C, packed)]
struct State {
    time_us: u64,
    #[log(values(-1 = "None"))]
    a: u16,
}

fn main() {}
