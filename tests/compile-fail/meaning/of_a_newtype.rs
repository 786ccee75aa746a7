use binlog::{Field, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable, Clone, Copy)]
#[repr(transparent)]
#[log(bits(8 = "Ninth"))]
struct Flags(u8);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "STAT")]
#[repr(C, packed)]
struct State {
    time_us: u64,
    flags: Flags,
}

fn main() {}
