use binlog::Field;

#[derive(Field)]
#[log(name = "X", unit = "mm")]
enum State {
    Off(u8),
    On { since: u64 },
}

fn main() {}
