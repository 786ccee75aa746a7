use binlog::LogMessage;

#[derive(LogMessage)]
#[log(name = "ATT")]
#[repr(C)]
union Attitude {
    time_us: u64,
    roll: f32,
}

fn main() {}
