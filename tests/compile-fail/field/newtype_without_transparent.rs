use binlog::Field;

#[derive(Field)]
struct Volts(f32);

fn main() {}
