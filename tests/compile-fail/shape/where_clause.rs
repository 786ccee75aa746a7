use binlog::LogMessage;

#[derive(LogMessage)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude
where
    u64: Copy,
{
    time_us: u64,
    roll: f32,
}

fn main() {}
