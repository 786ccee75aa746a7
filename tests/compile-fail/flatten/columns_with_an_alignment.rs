use binlog::Columns;
use zerocopy::Immutable;

#[derive(Columns, Immutable)]
#[repr(C, align(8))]
struct Sample {
    x: f32,
}

fn main() {}
