use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ENG")]
#[repr(C, packed)]
struct Engine {
    time_us: u64,
    temp: f32,
    #[log(alias = "Temp")]
    rev: u32,
}

fn main() {}
