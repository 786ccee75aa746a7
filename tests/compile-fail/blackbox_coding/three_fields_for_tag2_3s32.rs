use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    #[blackbox(p(encoding = tag2_3s32))]
    gyro_adc: [i16; 2],
}

fn main() {}
