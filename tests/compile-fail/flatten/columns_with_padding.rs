use binlog::Columns;
use zerocopy::Immutable;

#[derive(Columns, Immutable)]
#[repr(C)]
struct Sample {
    x: f32,
    valid: u8,
}

fn main() {}
