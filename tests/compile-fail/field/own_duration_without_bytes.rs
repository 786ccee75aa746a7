use binlog::{Field, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable, Clone, Copy)]
#[repr(transparent)]
#[log(unit = "s", mult = 1e-6)]
struct Duration(u32);

#[derive(LogMessage, Immutable)]
#[log(name = "TASK")]
#[repr(C, packed)]
struct Task {
    time_us: u64,
    longest: Duration,
}

fn main() {}
