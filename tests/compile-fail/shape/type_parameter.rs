use binlog::LogMessage;

#[derive(LogMessage)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude<T> {
    time_us: u64,
    roll: T,
}

fn main() {}
