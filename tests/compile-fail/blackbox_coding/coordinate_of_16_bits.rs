use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(gps)]
#[repr(C)]
struct GpsFrame {
    time: u32,
    gps_coord: [i16; 2],
}

fn main() {}
