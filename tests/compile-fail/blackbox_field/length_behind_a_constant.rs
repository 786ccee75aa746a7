use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

const MOTORS: usize = 4;

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    motor: [u16; MOTORS],
}

fn main() {}
