use binlog::{Field, LogMessage, LogSchema, LogWriter};
use zerocopy::{Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable)]
struct Degrees(f32);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "DEG")]
#[repr(C, packed)]
struct FieldTypeWithoutTransparent {
    time_us: u64,
    roll: Degrees,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "WIDE")]
#[repr(C, packed)]
struct Columns17 {
    time_us: u64,
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
    i: u8,
    j: u8,
    k: u8,
    l: u8,
    m: u8,
    n: u8,
    o: u8,
    p: u8,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TYPE")]
#[repr(C, packed)]
struct WrongFieldType {
    time_us: u64,
    roll: usize,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TIM")]
#[repr(C, packed)]
struct WrongTime {
    time_us: u32,
    roll: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "UNI")]
#[repr(C, packed)]
struct WrongUnit {
    time_us: u64,
    #[log(unit = "meters")]
    roll: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    roll: f32,
}

mod without_repr {
    use super::*;

    #[derive(LogMessage, IntoBytes, Immutable)]
    #[log(name = "ATT")]
    pub struct Attitude {
        pub time_us: u64,
        pub roll: f64,
    }
}

#[derive(LogSchema)]
enum FlightLog {
    FieldTypeWithoutTransparent(FieldTypeWithoutTransparent),
    Columns17(Columns17),
    WrongFieldType(WrongFieldType),
    WrongTime(WrongTime),
    WrongUnit(WrongUnit),
    WithoutName(Attitude),
    WithoutRepr(without_repr::Attitude),
}

fn main() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap();
    log.write(&FieldTypeWithoutTransparent { time_us: 0, roll: Degrees(0.0) }).unwrap();
    log.write(&WrongFieldType { time_us: 0, roll: 0 }).unwrap();
    log.write(&WrongTime { time_us: 0, roll: 0.0 }).unwrap();
    log.write(&WrongUnit { time_us: 0, roll: 0.0 }).unwrap();
    log.write(&Attitude { time_us: 0, roll: 0.0 }).unwrap();
    log.write(&without_repr::Attitude { time_us: 0, roll: 0.0 }).unwrap();
}
