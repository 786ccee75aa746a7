use binlog::Field;

#[derive(Field)]
#[repr(u8)]
enum State {
    Off,
    On(u8),
}

fn main() {}
