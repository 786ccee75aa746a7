use binlog::Columns;

#[derive(Columns)]
#[repr(C)]
struct Vector2 {
    x: f32,
    #[log(label = "X")]
    y: f32,
}

fn main() {}
