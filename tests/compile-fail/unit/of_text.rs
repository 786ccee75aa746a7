use binlog::LogMessage;
use binlog::field::Chars;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = "m")]
    roll: Chars<16>,
}

fn main() {}
