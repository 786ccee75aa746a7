use binlog::blackbox::{BlackboxFields, BlackboxFrame};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Axis {
    roll: i16,
    pitch: i16,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    #[blackbox(flatten, prefix = "axis")]
    wanted: Axis,
    #[blackbox(flatten, prefix = "axis")]
    measured: Axis,
}

fn main() {}
