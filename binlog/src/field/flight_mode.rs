//! The flight mode, as `M` columns store it.

use super::Field;
use crate::Format;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A flight mode by its number in the vehicle's own list: format `M`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, IntoBytes, Immutable, FromBytes, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct FlightMode(u8);

impl FlightMode {
    /// Mode `number`, 0 to 127; `None` above, which pymavlink would read as a negative number.
    pub const fn new(number: u8) -> Option<Self> {
        if number <= 127 { Some(FlightMode(number)) } else { None }
    }

    /// The number, up to 255 in a log that somebody else wrote.
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl Field for FlightMode {
    const FORMAT: Format = Format::FlightMode;

    #[inline]
    fn decode(bytes: &[u8]) -> Option<Self> {
        Field::decode(bytes).map(FlightMode)
    }
}
