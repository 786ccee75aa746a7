use binlog::LogMessage;

#[derive(LogMessage)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude<'a> {
    time_us: u64,
    roll: &'a f32,
}

fn main() {}
