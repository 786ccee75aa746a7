//! A float with a multiplier is a lint, and can be allowed.

#![deny(deprecated)]

use binlog::LogMessage;
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

#[test]
fn the_multiplier_is_as_written() {
    assert_eq!(AllowedOnTheField::DEFINITION.columns[1].multiplier.id(), b'B');
    assert_eq!(AllowedOnTheStruct::DEFINITION.columns[2].multiplier.id(), b'B');
}
