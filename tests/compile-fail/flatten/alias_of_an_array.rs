use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

type Channels = [u16; 14];

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    time_us: u64,
    #[log(flatten, prefix = "C")]
    channels: Channels,
}

fn main() {}
