use binlog::Columns;

#[derive(Columns)]
#[repr(transparent)]
struct Volt(f32);

fn main() {}
