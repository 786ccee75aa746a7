//! Hundredths, as columns of the formats `c`, `C`, `e` and `E` store them.

use super::Field;
use crate::format::{Format, Multiplier};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, little_endian};

/// A number stored in hundredths: `Centi<i16>` is format `c`, `Centi<u16>` `C`, `Centi<i32>` `e`, `Centi<u32>` `E`.
///
/// Every reader divides it by 100, so a column of this type has the multiplier `B` (1e-2) without an attribute. On
/// big-endian targets, use `zerocopy::little_endian` integers as the storage.
///
/// ```
/// use binlog::field::Centi;
/// let roll: Centi<i16> = Centi::from_f32(5.97);
/// assert_eq!(roll.raw(), 597);
/// assert_eq!(Centi::<i16>::from_f32(1e6).raw(), i16::MAX); // saturates
/// assert_eq!(Centi::<u16>::from_raw(2395).to_f64(), 23.95);
/// ```
///
/// If the compiler says ``expected `Centi<i16>`, found floating-point number``, convert with
/// [`from_f32`](Centi::from_f32).
///
/// ```compile_fail,E0308
/// # use binlog::field::Centi;
/// let roll: Centi<i16> = 5.97;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, IntoBytes, Immutable, FromBytes, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct Centi<T>(T);

impl<T: Copy> Centi<T> {
    /// Creates a value from the stored number of hundredths.
    pub const fn from_raw(hundredths: T) -> Self {
        Centi(hundredths)
    }

    /// The stored number of hundredths.
    pub const fn raw(self) -> T {
        self.0
    }
}

impl<T: Hundredths> Centi<T> {
    /// Rounds to the nearest hundredth, halves away from zero. Values out of range saturate; NaN becomes 0. Beyond
    /// ±83,886 the precision of `f32` can make it wrong by one hundredth; use [`from_f64`](Centi::from_f64) there.
    #[inline]
    pub fn from_f32(value: f32) -> Self {
        Centi(T::from_f32(value * 100.0))
    }

    /// Rounds to the nearest hundredth, halves away from zero. Values out of range saturate; NaN becomes 0.
    #[inline]
    pub fn from_f64(value: f64) -> Self {
        Centi(T::from_f64(value * 100.0))
    }

    /// The value as pymavlink shows it: the stored number divided by 100.
    #[inline]
    pub fn to_f64(self) -> f64 {
        self.0.to_f64() / 100.0
    }
}

/// An integer that stores hundredths: `i16`, `u16`, `i32`, `u32` and their little-endian types.
pub trait Hundredths: Copy + sealed::Sealed {
    #[doc(hidden)]
    fn from_f32(hundredths: f32) -> Self;
    #[doc(hidden)]
    fn from_f64(hundredths: f64) -> Self;
    #[doc(hidden)]
    fn to_f64(self) -> f64;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! centi {
    ($($(#[$attribute:meta])* $storage:ty, $integer:ty, $format:ident;)*) => {$(
        $(#[$attribute])*
        #[diagnostic::do_not_recommend]
        impl Field for Centi<$storage> {
            const FORMAT: Format = Format::$format;
            const MULTIPLIER: Option<Multiplier> = Some(Multiplier::CENTI);

            #[inline]
            fn decode(bytes: &[u8]) -> Option<Self> {
                Field::decode(bytes).map(Centi)
            }
        }

        $(#[$attribute])*
        impl sealed::Sealed for $storage {}

        $(#[$attribute])*
        #[allow(clippy::useless_conversion, reason = "the storage is the integer in half of the rows only")]
        impl Hundredths for $storage {
            #[inline]
            fn from_f32(hundredths: f32) -> Self {
                // `round` isn't in core; a cast truncates towards zero and saturates.
                ((hundredths + 0.5_f32.copysign(hundredths)) as $integer).into()
            }

            #[inline]
            fn from_f64(hundredths: f64) -> Self {
                ((hundredths + 0.5_f64.copysign(hundredths)) as $integer).into()
            }

            #[inline]
            fn to_f64(self) -> f64 {
                let hundredths: $integer = self.into();
                hundredths.into()
            }
        }
    )*};
}

centi! {
    #[cfg(target_endian = "little")] i16, i16, CentiI16;
    #[cfg(target_endian = "little")] u16, u16, CentiU16;
    #[cfg(target_endian = "little")] i32, i32, CentiI32;
    #[cfg(target_endian = "little")] u32, u32, CentiU32;
    little_endian::I16, i16, CentiI16;
    little_endian::U16, u16, CentiU16;
    little_endian::I32, i32, CentiI32;
    little_endian::U32, u32, CentiU32;
}
