use binlog::Field;

#[derive(Field)]
enum State {
    Off,
    On,
}

fn main() {}
