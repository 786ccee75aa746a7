use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main, allow(not_portable))]
#[repr(C)]
struct MainFrame {
    time: u32,
    throttle: u32,
}

fn main() {}
