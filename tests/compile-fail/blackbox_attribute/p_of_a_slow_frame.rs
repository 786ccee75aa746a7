use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(slow)]
#[repr(C)]
struct SlowFrame {
    #[blackbox(p(encoding = tag8_8svb))]
    flight_mode_flags: u32,
}

fn main() {}
