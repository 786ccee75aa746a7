use binlog::LogMessage;
use binlog::field::Chars;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    value: Chars<8>,
}

fn main() {}
