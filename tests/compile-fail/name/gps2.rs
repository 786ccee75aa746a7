use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "GPS2")]
#[repr(C, packed)]
struct Message {
    time_us: u64,
    week: u16,
}

fn main() {}
