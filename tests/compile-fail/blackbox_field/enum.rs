use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Percent(u32);

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    throttle: Percent,
}

fn main() {}
