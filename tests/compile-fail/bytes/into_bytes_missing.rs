use binlog::LogMessage;
use zerocopy::Immutable;

#[derive(LogMessage, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    roll: f32,
}

fn main() {}
