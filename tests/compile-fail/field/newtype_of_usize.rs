use binlog::Field;

#[derive(Field)]
#[repr(transparent)]
struct Length(usize);

fn main() {}
