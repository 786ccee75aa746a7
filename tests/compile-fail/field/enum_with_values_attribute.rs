use binlog::Field;

#[derive(Field)]
#[repr(u8)]
#[log(values(0 = "Off"))]
enum State {
    Off,
    On,
}

fn main() {}
