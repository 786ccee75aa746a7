use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(home)]
#[repr(C)]
struct HomeFrame {
    gps_home: [i32; 1],
}

fn main() {}
