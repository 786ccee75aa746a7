use binlog::Field;

#[derive(Field)]
#[repr(transparent)]
struct Wrapped<T>(T);

fn main() {}
