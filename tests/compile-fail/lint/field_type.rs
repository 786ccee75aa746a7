#![deny(deprecated)]

use binlog::Field;
use zerocopy::{Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable)]
#[repr(transparent)]
#[log(unit = "Pa", mult = 100)]
struct Gauge(u16);

fn main() {}
