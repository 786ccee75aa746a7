use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ALT")]
#[repr(C, packed)]
struct Altitude {
    time_us: u64,
    #[log(unit = m)]
    altitude: f32,
}

fn main() {}
