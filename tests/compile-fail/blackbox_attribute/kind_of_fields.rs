use binlog::blackbox::BlackboxFields;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct Stick {
    roll: i16,
}

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(crates = "binlog")]
#[repr(C)]
struct Gyro {
    x: i16,
}

fn main() {}
