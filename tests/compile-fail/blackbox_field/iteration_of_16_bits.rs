use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main, allow(not_portable))]
#[repr(C)]
struct MainFrame {
    loop_iteration: u16,
    flags: u16,
    time: u32,
}

fn main() {}
