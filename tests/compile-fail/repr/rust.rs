use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(Rust)]
struct Attitude {
    time_us: u64,
    roll: f64,
}

fn main() {}
