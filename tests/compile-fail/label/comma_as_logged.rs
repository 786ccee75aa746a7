use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT", as_logged)]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(label = "Roll,Pitch")]
    roll: f32,
}

fn main() {}
