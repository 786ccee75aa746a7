use binlog::LogMessage;

macro_rules! message {
    ($name:ident) => {
        #[derive(LogMessage)]
        #[log(name = "ATT")]
        #[repr(C, packed)]
        struct $name {
            time_us: u64,
        }
    };
}

message!(Attitude);

fn main() {}
