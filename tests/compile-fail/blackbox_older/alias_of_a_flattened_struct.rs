use binlog::blackbox::{BlackboxFields, BlackboxFrame};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Pid {
    p: [i32; 3],
    i: [i32; 3],
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    #[blackbox(flatten, prefix = "axis", alias = "pid")]
    pid: Pid,
}

fn main() {}
