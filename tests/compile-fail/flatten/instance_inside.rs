use binlog::{Columns, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Header {
    #[log(instance)]
    sensor: u8,
    status: u8,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    time_us: u64,
    #[log(flatten)]
    header: Header,
}

fn main() {}
