use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(slow, default)]
#[repr(C)]
struct SlowFrame {
    flight_mode_flags: u32,
}

fn main() {}
