use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(home, allow(not_portable))]
#[repr(C)]
struct HomeFrame {
    height: i32,
    gps_home: [i32; 2],
}

fn main() {}
