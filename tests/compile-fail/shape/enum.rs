use binlog::LogMessage;

#[derive(LogMessage)]
#[log(name = "ATT")]
enum Attitude {
    Level,
}

fn main() {}
