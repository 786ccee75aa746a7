use binlog::{Columns, LogMessage, field::Latitude};
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Place {
    #[log(label = "Lat")]
    latitude: Latitude,
    #[log(label = "Alt")]
    altitude: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TEST")]
#[repr(C, packed)]
struct Test {
    time_us: u64,
    #[log(flatten, unit = "m")]
    home: Place,
}

fn main() {}
