use binlog::Columns;
use zerocopy::Immutable;

#[derive(Columns, Immutable)]
struct Vector3 {
    x: f32,
    y: f32,
}

fn main() {}
