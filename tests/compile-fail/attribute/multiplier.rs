use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ALT")]
#[repr(C, packed)]
struct Altitude {
    time_us: u64,
    #[log(unit = "m", multiplier = 1e-2)]
    altitude: i32,
}

fn main() {}
