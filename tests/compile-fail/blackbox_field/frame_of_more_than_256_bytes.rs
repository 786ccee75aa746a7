use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    a: [i32; 40],
    b: [i32; 20],
}

fn main() {}
