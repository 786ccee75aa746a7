use binlog::LogMessage;
use binlog::field::Chars;

#[derive(LogMessage)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude<const N: usize> {
    time_us: u64,
    name: Chars<N>,
}

fn main() {}
