use binlog::{Columns, LogMessage, field::Centi};
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Angles {
    roll: Centi<i16>,
    pitch: Centi<i16>,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    time_us: u64,
    #[log(flatten, unit = "deg", mult = 1e-3)]
    angles: Angles,
}

fn main() {}
