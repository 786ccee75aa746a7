use binlog::{ColumnDefinition, Columns, LogMessage};
use zerocopy::{Immutable, IntoBytes};

/// `IntoBytes` has 8 bytes.
#[derive(IntoBytes, Immutable)]
#[repr(C)]
struct Pair(f32, f32);

impl Columns for Pair {
    const COLUMNS: &'static [ColumnDefinition] = Single::COLUMNS;

    fn read(_: &mut &[u8]) -> Option<Self> {
        None
    }
}

#[derive(Columns)]
#[repr(C)]
struct Single {
    x: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    time_us: u64,
    #[log(flatten)]
    pair: Pair,
}

fn main() {}
