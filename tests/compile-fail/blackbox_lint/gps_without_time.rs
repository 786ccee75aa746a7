#![deny(deprecated)]

use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(gps)]
#[repr(C)]
struct GpsFrame {
    gps_num_sat: u32,
}

fn main() {}
