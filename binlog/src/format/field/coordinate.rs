//! Latitude and longitude, as columns of the format `L` store them.

use super::Field;
use crate::format::{Format, Multiplier, Unit};
use core::fmt;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, little_endian::I32};

macro_rules! coordinate {
    ($(#[$doc:meta])* $name:ident, $unit:expr) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, Hash, Default, IntoBytes, Immutable, FromBytes, KnownLayout, Unaligned,
        )]
        #[repr(transparent)]
        pub struct $name(I32);

        impl $name {
            /// Creates a value from the stored number of 1e-7 degrees.
            pub const fn from_e7(e7: i32) -> Self {
                $name(I32::new(e7))
            }

            /// The stored number of 1e-7 degrees.
            pub const fn e7(self) -> i32 {
                self.0.get()
            }

            /// Rounds to the nearest 1e-7 degree, halves away from zero. Values beyond ±214.7483647 degrees saturate;
            /// NaN becomes 0. It doesn't check that the Earth has such a place.
            #[inline]
            pub fn from_degrees(degrees: f64) -> Self {
                Self::from_e7((degrees * 1e7 + 0.5_f64.copysign(degrees)) as i32)
            }

            /// The value in degrees, as pymavlink computes it: the stored number divided by 1e7.
            #[inline]
            pub fn degrees(self) -> f64 {
                f64::from(self.e7()) / 1e7
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.e7()).finish()
            }
        }

        #[diagnostic::do_not_recommend]
        impl Field for $name {
            const FORMAT: Format = Format::Coordinate;
            const UNIT: Unit = $unit;
            const MULTIPLIER: Option<Multiplier> = Some(Multiplier::COORDINATE);

            #[inline]
            fn decode(bytes: &[u8]) -> Option<Self> {
                Field::decode(bytes).map($name)
            }
        }
    };
}

coordinate! {
    /// Latitude in 1e-7 degrees, north positive: format `L`, unit `D`, multiplier `G`.
    ///
    /// ```
    /// use binlog::field::Latitude;
    /// assert_eq!(Latitude::from_degrees(47.3977419).e7(), 473_977_419);
    /// ```
    ///
    /// If the compiler says ``expected `Latitude`, found floating-point number``, convert with
    /// [`from_degrees`](Latitude::from_degrees).
    ///
    /// ```compile_fail,E0308
    /// # use binlog::field::Latitude;
    /// let lat: Latitude = 47.3977419;
    /// ```
    Latitude, Unit::DEG_LATITUDE
}

coordinate! {
    /// Longitude in 1e-7 degrees, east positive: format `L`, unit `U`, multiplier `G`. Convert degrees with
    /// [`from_degrees`](Longitude::from_degrees).
    Longitude, Unit::DEG_LONGITUDE
}
