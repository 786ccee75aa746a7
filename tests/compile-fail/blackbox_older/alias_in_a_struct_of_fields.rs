use binlog::blackbox::BlackboxFields;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Pid {
    p: [i16; 3],
    #[blackbox(alias = "Integral")]
    i: [i16; 3],
}

fn main() {}
