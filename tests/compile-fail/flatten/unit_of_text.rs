use binlog::{Columns, LogMessage, field::Chars};
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Named {
    name: Chars<4>,
    distance: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    time_us: u64,
    #[log(flatten, unit = "m")]
    target: Named,
}

fn main() {}
