use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TIME")]
#[repr(C, packed)]
struct Message {
    time_us: u64,
    start_time: u32,
}

fn main() {}
