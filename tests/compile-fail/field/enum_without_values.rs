use binlog::Field;

#[derive(Field)]
#[repr(u8)]
enum State {}

fn main() {}
