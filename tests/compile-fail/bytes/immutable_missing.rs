use binlog::LogMessage;
use zerocopy::IntoBytes;

#[derive(LogMessage, IntoBytes)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    roll: f32,
}

fn main() {}
