use binlog::Field;

#[derive(Field)]
#[repr(C)]
struct Pair(u8, u8);

fn main() {}
