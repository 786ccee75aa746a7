use binlog::blackbox::{BlackboxFields, BlackboxFrame};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Side {
    #[blackbox(name = "motor")]
    motor: [u16; 2],
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    #[blackbox(flatten, prefix = "left_")]
    left: Side,
}

fn main() {}
