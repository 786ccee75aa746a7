use binlog::Columns;
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Task {
    name: String,
    runs: u64,
}

fn main() {}
