use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    #[blackbox(p(encoding = elias_delta_s32))]
    height: i32,
    #[blackbox(p(encoding = null))]
    constant: u32,
    #[blackbox(p(encoding = elias_delta_s32))]
    speed: i32,
}

fn main() {}
