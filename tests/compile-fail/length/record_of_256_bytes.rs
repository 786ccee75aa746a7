use binlog::LogMessage;
use binlog::field::Chars;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "BIG")]
#[repr(C, packed)]
struct Big {
    time_us: u64,
    a: Chars<64>,
    b: Chars<64>,
    c: Chars<64>,
    d: Chars<16>,
    e: Chars<16>,
    f: u64,
    g: u64,
    h: u32,
    i: u8,
}

fn main() {}
