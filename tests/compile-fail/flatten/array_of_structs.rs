use binlog::{Columns, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Vector2 {
    x: f32,
    y: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    time_us: u64,
    #[log(flatten, names = "A,B")]
    corners: [Vector2; 2],
}

fn main() {}
