use binlog::Columns;

#[derive(Columns)]
#[repr(C)]
struct Nothing;

fn main() {}
