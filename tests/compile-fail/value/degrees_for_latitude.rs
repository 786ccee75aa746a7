use binlog::{LogMessage, field::Latitude};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    lat: Latitude,
}

fn main() {
    let _ = Attitude { time_us: 0, lat: 47.4 };
}
