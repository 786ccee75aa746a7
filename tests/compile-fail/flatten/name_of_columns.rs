use binlog::Columns;

#[derive(Columns)]
#[log(name = "VEC")]
#[repr(C)]
struct Vector2 {
    x: f32,
    y: f32,
}

fn main() {}
