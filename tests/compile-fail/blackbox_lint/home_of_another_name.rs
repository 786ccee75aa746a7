#![deny(deprecated)]

use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(home)]
#[repr(C)]
struct HomeFrame {
    home: [i32; 2],
}

fn main() {}
