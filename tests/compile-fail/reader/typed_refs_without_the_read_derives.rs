use binlog::{Log, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    roll: f32,
}

fn main() {
    let log = Log::from_bytes(Vec::new());
    for attitude in log.typed_refs::<Attitude>().unwrap() {
        println!("{}", { attitude.roll });
    }
}
