#![deny(deprecated)]

use binlog::{Columns, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Pair(i16, i16);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    time_us: u64,
    #[log(flatten, unit = "m", mult = 1e-2)]
    pair: Pair,
}

fn main() {}
