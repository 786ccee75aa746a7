use binlog::{Columns, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Vector3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct SeventeenColumnsWithStructs {
    time_us: u64,
    #[log(flatten)]
    a: Vector3,
    #[log(flatten)]
    b: Vector3,
    #[log(flatten)]
    c: Vector3,
    #[log(flatten)]
    d: Vector3,
    #[log(flatten)]
    e: Vector3,
    last: u8,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct StructsOfSeventeenColumns {
    time_us: u64,
    status: u8,
    #[log(flatten)]
    a: Vector3,
    #[log(flatten)]
    b: Vector3,
    #[log(flatten)]
    c: Vector3,
    #[log(flatten)]
    d: Vector3,
    #[log(flatten)]
    e: Vector3,
}

fn main() {}
