use binlog::{Field, LogMessage};
use zerocopy::{Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable)]
#[repr(u8)]
enum State {
    Idle = 1,
    Running = 2,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ENG")]
#[repr(C, packed)]
struct Engine {
    time_us: u64,
    #[log(default)]
    state: State,
}

fn main() {}
