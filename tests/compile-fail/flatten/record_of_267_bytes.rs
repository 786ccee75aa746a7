use binlog::{Columns, LogMessage, field::Chars};
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Text(Chars<64>, Chars<64>);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    time_us: u64,
    #[log(flatten)]
    first: Text,
    #[log(flatten)]
    second: Text,
}

fn main() {}
