use binlog::Field;

#[derive(Field)]
#[repr(transparent)]
struct Name(String);

fn main() {}
