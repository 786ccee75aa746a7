use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "STAT")]
#[repr(C, packed)]
struct Message {
    time_us: u64,
    main_state: u8,
}

fn main() {}
