use binlog::Field;
use zerocopy::{Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable)]
#[repr(u8)]
enum State {
    Off,
    #[log(label = "ON")]
    On,
}

fn main() {}
