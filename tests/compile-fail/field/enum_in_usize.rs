use binlog::Field;

#[derive(Field)]
#[repr(usize)]
enum State {
    Off,
    On,
}

fn main() {}
