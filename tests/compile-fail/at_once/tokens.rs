use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "altitude")]
struct Attitude {
    time: u64,
    #[log(unit = "meters")]
    alt: f64,
    #[log(label = "None", mult = 3)]
    count: u64,
    #[log(lable = "R")]
    roll: f64,
}

fn main() {}
