//! A library on edition 2021 that depends on binlog by another name, with the strictest lints.

#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub, missing_debug_implementations)]

use flightlog::{Columns, Field, LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

/// State of the vehicle.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(crate = "flightlog")]
#[repr(u8)]
pub enum State {
    /// Motors off.
    Disarmed,
    /// Motors on.
    Armed,
}

/// Volts.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(crate = "::flightlog", unit = "V")]
#[repr(transparent)]
pub struct Volts(pub f32);

/// Battery.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "BAT", crate = "flightlog")]
#[repr(C, packed)]
pub struct Battery {
    /// Time since boot.
    pub time_us: u64,
    /// Number of the battery.
    #[log(instance)]
    pub instance: u8,
    /// State.
    pub state: State,
    /// Voltage.
    pub volt: Volts,
}

/// Forward and to the right.
#[derive(Columns, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(crate = "flightlog")]
#[repr(C)]
pub struct Vector2 {
    /// Forward.
    pub x: f32,
    /// To the right.
    pub y: f32,
}

/// Two vectors.
#[derive(Columns, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(crate = "flightlog")]
#[repr(C)]
pub struct Vectors(#[log(flatten)] pub Vector2, #[log(flatten)] pub Vector2);

/// Wind.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "WIND", crate = "flightlog")]
#[repr(C, packed)]
pub struct Wind {
    /// Time since boot.
    pub time_us: u64,
    /// Measured.
    #[log(flatten, unit = "m/s")]
    pub wind: Vector2,
    /// Of two models.
    #[log(flatten, prefix = "M", unit = "m/s")]
    pub models: Vectors,
}

/// What is logged.
#[derive(LogSchema, Clone, Copy, Debug)]
#[log(crate = "flightlog")]
pub enum FlightLog {
    /// Battery.
    Battery(Battery),
    /// Wind.
    Wind(Wind),
    /// Text.
    Msg(flightlog::messages::Msg),
}
