use binlog::Field;

#[derive(Field)]
#[repr(C)]
union Either {
    a: u8,
    b: i8,
}

fn main() {}
