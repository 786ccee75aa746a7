use binlog::{Columns, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Limits {
    low: f32,
    #[log(label = "s")]
    step: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    time_us: u64,
    #[log(flatten, prefix = "a")]
    limits: Limits,
}

fn main() {}
