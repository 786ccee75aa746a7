use binlog::{LogMessage, field::Chars};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    name: Chars<16>,
}

fn main() {
    let _ = Attitude { time_us: 0, name: "roll" };
}
