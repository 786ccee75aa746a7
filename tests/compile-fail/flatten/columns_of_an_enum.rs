use binlog::Columns;

#[derive(Columns)]
#[repr(u8)]
enum Phase {
    Ready,
}

fn main() {}
