//! The flight mode, as columns of the format `M` store it.

use super::Field;
use crate::format::Format;
use core::fmt;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A flight mode, by its number in the vehicle's list: format `M`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, IntoBytes, Immutable, FromBytes, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct FlightMode(u8);

impl FlightMode {
    /// Creates a mode from its number, 0 to 127. Returns `None` above 127, because pymavlink reads such a number as
    /// negative.
    pub const fn new(number: u8) -> Option<Self> {
        if number <= 127 { Some(FlightMode(number)) } else { None }
    }

    /// The number: 0 to 127, or up to 255 if it was read from a log of other firmware.
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for FlightMode {
    type Error = FlightModeError;

    fn try_from(number: u8) -> Result<Self, FlightModeError> {
        FlightMode::new(number).ok_or(FlightModeError { number })
    }
}

/// A flight mode above 127. pymavlink reads such a number as negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlightModeError {
    /// The number, 128 to 255.
    pub number: u8,
}

impl fmt::Display for FlightModeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "flight mode {} is above 127, and pymavlink would read it as negative", self.number)
    }
}

impl core::error::Error for FlightModeError {}

#[diagnostic::do_not_recommend]
impl Field for FlightMode {
    const FORMAT: Format = Format::FlightMode;

    #[inline]
    fn decode(bytes: &[u8]) -> Option<Self> {
        Field::decode(bytes).map(FlightMode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_read_as_it_is_stored() {
        for number in 0..=u8::MAX {
            let mode = FlightMode::decode(&[number]).expect("a byte");
            assert_eq!((mode.number(), mode.as_bytes()), (number, &[number][..]));
            assert_eq!(FlightMode::new(number), (number <= 127).then_some(mode));
        }
        assert_eq!(FlightMode::decode(&[]), None);
    }
}
