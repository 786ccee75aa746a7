use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ENG")]
#[repr(C, packed)]
struct Engine {
    #[log(default)]
    time_us: u64,
    rev: u32,
}

fn main() {}
