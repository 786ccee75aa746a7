use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TASK")]
#[repr(C, packed)]
struct Task {
    time_us: u64,
    name: &'static str,
}

fn main() {}
