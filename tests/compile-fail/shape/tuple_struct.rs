use binlog::LogMessage;

#[derive(LogMessage)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude(u64, f32);

fn main() {}
