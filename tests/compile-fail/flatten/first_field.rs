use binlog::{Columns, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Header {
    time_us: u64,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    #[log(flatten, prefix = "")]
    header: Header,
    status: u8,
}

fn main() {}
