use binlog::Columns;

#[derive(Columns)]
#[repr(C)]
struct Vector2<T> {
    x: T,
    y: T,
}

fn main() {}
