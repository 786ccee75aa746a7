use binlog::LogMessage;

#[derive(LogMessage)]
#[log(name = "ATT")]
#[repr(C)]
struct Attitude;

fn main() {}
