//! Each lint can be allowed, on a field, on a field type or on a message; what they recommend has none.

#![deny(deprecated)]
#![allow(dead_code, reason = "what is declared here is compiled, and most of it not used")]

use binlog::field::{Centi, Latitude, Longitude};
use binlog::{Field, LogMessage, Multiplier, Unit};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct AllowedOnTheField {
    time_us: u64,
    #[log(unit = "deg", mult = 1e-2, allow(float_multiplier))]
    roll: f32,
    #[log(unit = "deg", mult = 1)]
    pitch: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "RATE", allow(float_multiplier))]
#[repr(C, packed)]
struct AllowedOnTheStruct {
    time_us: u64,
    #[log(unit = "deg/s", mult = 1e-2)]
    roll: f32,
    #[log(unit = "deg/s", mult = 1e-2)]
    pitch: f64,
}

type Degrees = f32;

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "EACH")]
#[repr(C, packed)]
struct EachLint {
    time_us: u64,
    #[log(unit = "deg", mult = 1e-2, allow(float_multiplier))]
    roll: Degrees,
    #[log(unit = "m", mult = 1e-2, allow(misleading_multiplier))]
    height: i16,
    #[log(mult = 1e-2, allow(multiplier_without_unit))]
    share: u8,
    #[log(unit = "deglatitude", allow(f32_coordinate))]
    lat: f32,
    #[log(unit = "deglongitude", mult = 1e-7, allow(integer_coordinate))]
    lng: i32,
    gauge: Gauge,
}

#[derive(Field, IntoBytes, Immutable)]
#[repr(transparent)]
#[log(unit = "Pa", mult = 100, allow(misleading_multiplier))]
struct Gauge(u16);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(
    name = "ALL",
    allow(float_multiplier, misleading_multiplier, multiplier_without_unit),
    allow(f32_coordinate, integer_coordinate)
)]
#[repr(C, packed)]
struct AllOnTheStruct {
    time_us: u64,
    #[log(unit = "deg", mult = 1e-2)]
    roll: Degrees,
    #[log(unit = "m", mult = 1e-2)]
    height: i16,
    #[log(mult = 1e-2)]
    share: u8,
    #[log(unit = "deglatitude")]
    lat: f32,
    #[log(unit = "deglongitude", mult = 1e-7)]
    lng: i32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "GPS", as_logged, allow(gps_without_week))]
#[repr(C, packed)]
struct GpsWithoutWeek {
    time_us: u64,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "GPS", as_logged)]
#[repr(C, packed)]
struct GpsWithWeek {
    time_us: u64,
    #[log(label = "GMS")]
    week_ms: u32,
    #[log(label = "GWk")]
    week: u16,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "GOOD")]
#[repr(C, packed)]
struct Recommended {
    time_us: u64,
    #[log(unit = "deg")]
    roll: Centi<i16>,
    #[log(unit = "m", mult = 1e-3)]
    height: i32,
    #[log(unit = Unit::SECONDS, mult = Multiplier::MICRO)]
    age: u32,
    #[log(mult = '?')]
    share: u8,
    #[log(unit = "m", mult = '-')]
    range: u16,
    #[log(unit = "deglatitude")]
    precise: f64,
    lat: Latitude,
    #[log(unit = "deglongitude")]
    lng: Longitude,
}

#[test]
fn the_multiplier_is_as_written() {
    assert_eq!(AllowedOnTheField::DEFINITION.columns[1].multiplier.id(), b'B');
    assert_eq!(AllowedOnTheStruct::DEFINITION.columns[2].multiplier.id(), b'B');
}
