//! The types of fields, and what remains of a value after its prediction.

use super::encode::FieldWriter;
#[cfg(feature = "read")]
use super::read::FieldValues;
use super::references::References;
use super::{Encoding, zigzag};

mod sealed {
    pub trait Sealed {}
}

/// A type that a field of a frame can have: an integer of up to 32 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a field of a Blackbox frame",
    label = "not an integer of up to 32 bits",
    note = "a field is a `u8`, `i8`, `u16`, `i16`, `u32` or `i32`, or an array of them",
    note = "write an array here, as `[u16; 4]`, not an alias of one",
    note = "scale a float to an integer (`(roll * 10.0) as i16`), and store a `bool` or an enum as its number",
    note = "a struct becomes several fields by `#[blackbox(flatten)]`"
)]
pub trait FieldValue: Copy + sealed::Sealed {
    /// Whether it has negative values.
    const SIGNED: bool;
    /// Its width.
    const BITS: u32;

    /// The 32 bits that predictions are made of: extended by its sign, or by zeros.
    fn raw(self) -> i32;

    /// The value with these bits, of which the low ones count.
    fn from_raw(bits: i32) -> Self;

    /// The mean of two values, rounded towards zero, as 32 bits.
    fn mean(self, other: Self) -> i32;
}

macro_rules! values {
    ($($type:ident $wide:ident)*) => {$(
        impl sealed::Sealed for $type {}

        impl FieldValue for $type {
            const SIGNED: bool = $type::MIN != 0;
            const BITS: u32 = $type::BITS;

            #[inline(always)]
            fn raw(self) -> i32 {
                self as i32
            }

            #[inline(always)]
            fn from_raw(bits: i32) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn mean(self, other: Self) -> i32 {
                (($wide::from(self) + $wide::from(other)) / 2) as i32
            }
        }
    )*};
}

values!(u8 u32 i8 i32 u16 u32 i16 i32 u32 u64 i32 i64);

/// A field's value on its way into a frame. Each method is a predictor of the format and returns the residual: the
/// value minus its prediction, modulo 2^32.
///
/// Derived code calls the methods here if the type can be a field, or else those of [`NoValue`], so that a type that
/// can't is one error.
#[derive(Clone, Copy)]
pub struct Value<T>(pub T);

impl<T: FieldValue> Value<T> {
    /// Whether the type has negative values.
    pub const SIGNED: bool = T::SIGNED;

    /// The encoding of a single number of the type.
    pub const VB: Encoding = if T::SIGNED { Encoding::SignedVb } else { Encoding::UnsignedVb };

    /// The value of the next field.
    #[cfg(feature = "read")]
    #[inline(always)]
    pub fn read(values: &mut FieldValues<'_>) -> T {
        let [value] = values.take();
        value
    }

    /// The values of the next fields.
    #[cfg(feature = "read")]
    #[inline(always)]
    pub fn read_array<const N: usize>(values: &mut FieldValues<'_>) -> [T; N] {
        values.take()
    }

    #[inline(always)]
    fn minus(self, prediction: i32) -> i32 {
        self.0.raw().wrapping_sub(prediction)
    }

    /// [`Zero`](super::Predictor::Zero).
    #[inline(always)]
    pub fn zero(self) -> i32 {
        self.0.raw()
    }

    /// [`Previous`](super::Predictor::Previous).
    #[inline(always)]
    pub fn previous(self, before: T) -> i32 {
        self.minus(before.raw())
    }

    /// [`StraightLine`](super::Predictor::StraightLine).
    #[inline(always)]
    pub fn straight_line(self, before: T, older: T) -> i32 {
        self.minus(before.raw().wrapping_mul(2).wrapping_sub(older.raw()))
    }

    /// [`Average2`](super::Predictor::Average2).
    #[inline(always)]
    pub fn average_2(self, before: T, older: T) -> i32 {
        self.minus(before.mean(older))
    }

    /// [`MinThrottle`](super::Predictor::MinThrottle).
    #[inline(always)]
    pub fn minthrottle(self, references: &References) -> i32 {
        self.minus(references.minthrottle)
    }

    /// [`Motor0`](super::Predictor::Motor0).
    #[inline(always)]
    pub fn motor_0<M: FieldValue>(self, motor_0: M) -> i32 {
        self.minus(motor_0.raw())
    }

    /// [`Increment`](super::Predictor::Increment).
    #[inline(always)]
    pub fn inc(self, before: T, references: &References) -> i32 {
        self.minus(before.raw().wrapping_add(1).wrapping_add(references.skipped as i32))
    }

    /// [`HomeCoordinate`](super::Predictor::HomeCoordinate), of latitude (0) or longitude (1).
    #[inline(always)]
    pub fn home_coord<const AXIS: usize>(self, references: &References) -> i32 {
        self.minus(references.home[AXIS])
    }

    /// [`Fixed1500`](super::Predictor::Fixed1500).
    #[inline(always)]
    pub fn fixed_1500(self) -> i32 {
        self.minus(1500)
    }

    /// [`VbatRef`](super::Predictor::VbatRef).
    #[inline(always)]
    pub fn vbatref(self, references: &References) -> i32 {
        self.minus(references.vbatref)
    }

    /// [`LastMainFrameTime`](super::Predictor::LastMainFrameTime).
    #[inline(always)]
    pub fn last_main_frame_time(self, references: &References) -> i32 {
        self.minus(references.main_frame_time as i32)
    }

    /// [`MinMotor`](super::Predictor::MinMotor).
    #[inline(always)]
    pub fn minmotor(self, references: &References) -> i32 {
        self.minus(references.minmotor)
    }
}

/// The predictors of a type that can't be a field, whose error is reported elsewhere.
#[allow(missing_docs, reason = "they are those of `Value`")]
pub trait NoValue<T>: Sized {
    const SIGNED: bool = false;
    const VB: Encoding = Encoding::UnsignedVb;
    #[cfg(feature = "read")]
    fn read(_: &mut FieldValues<'_>) -> T {
        unreachable!("it doesn't compile")
    }
    #[cfg(feature = "read")]
    fn read_array<const N: usize>(_: &mut FieldValues<'_>) -> [T; N] {
        unreachable!("it doesn't compile")
    }
    fn zero(self) -> i32 {
        0
    }
    fn previous(self, _: T) -> i32 {
        0
    }
    fn straight_line(self, _: T, _: T) -> i32 {
        0
    }
    fn average_2(self, _: T, _: T) -> i32 {
        0
    }
    fn minthrottle(self, _: &References) -> i32 {
        0
    }
    fn motor_0<M>(self, _: M) -> i32 {
        0
    }
    fn inc(self, _: T, _: &References) -> i32 {
        0
    }
    fn home_coord<const AXIS: usize>(self, _: &References) -> i32 {
        0
    }
    fn fixed_1500(self) -> i32 {
        0
    }
    fn vbatref(self, _: &References) -> i32 {
        0
    }
    fn last_main_frame_time(self, _: &References) -> i32 {
        0
    }
    fn minmotor(self, _: &References) -> i32 {
        0
    }
}

impl<T> NoValue<T> for Value<T> {}

impl FieldWriter<'_> {
    /// Appends a residual of a type that only the compiler knows: signed or not.
    #[inline(always)]
    pub fn vb(&mut self, signed: bool, residual: i32) {
        self.unsigned_vb(if signed { zigzag(residual) } else { residual as u32 });
    }
}
