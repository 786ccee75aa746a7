use binlog::{Field, Format, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(IntoBytes, Immutable)]
#[repr(transparent)]
struct Millivolts(u16);

impl Field for Millivolts {
    const FORMAT: Format = Format::U32;

    fn decode(bytes: &[u8]) -> Option<Self> {
        Field::decode(bytes).map(Millivolts)
    }
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "CELL")]
#[repr(C, packed)]
struct Cell {
    time_us: u64,
    volt: Millivolts,
}

fn main() {}
