//! Numbers and `bool` as fields.

use super::Field;
use crate::format::Format;
use zerocopy::little_endian;

/// ArduPilot's "no value" for an `f32` column: a quiet NaN with a payload, which a computed NaN (`7FC00000`) doesn't
/// have.
pub const NO_VALUE_F32: f32 = f32::from_bits(0x7FC0_4152);

/// ArduPilot's "no value" for an `f64` column.
pub const NO_VALUE_F64: f64 = f64::from_bits(0x7FF9_5244_5550_490A);

macro_rules! number {
    ($($(#[$attribute:meta])* $type:ty: $format:ident, $from:expr;)*) => {$(
        $(#[$attribute])*
        #[diagnostic::do_not_recommend]
        impl Field for $type {
            const FORMAT: Format = Format::$format;

            #[inline]
            fn decode(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map($from)
            }
        }
    )*};
}

// A field's bytes in memory are its bytes in the record, so native numbers are fields on little-endian targets only.
number! {
    i8: I8, i8::from_le_bytes;
    u8: U8, u8::from_le_bytes;
    #[cfg(target_endian = "little")] i16: I16, i16::from_le_bytes;
    #[cfg(target_endian = "little")] u16: U16, u16::from_le_bytes;
    #[cfg(target_endian = "little")] i32: I32, i32::from_le_bytes;
    #[cfg(target_endian = "little")] u32: U32, u32::from_le_bytes;
    #[cfg(target_endian = "little")] i64: I64, i64::from_le_bytes;
    #[cfg(target_endian = "little")] u64: U64, u64::from_le_bytes;
    #[cfg(target_endian = "little")] f32: F32, f32::from_le_bytes;
    #[cfg(target_endian = "little")] f64: F64, f64::from_le_bytes;
    #[cfg(all(target_endian = "little", feature = "half"))] half::f16: F16, half::f16::from_le_bytes;
    little_endian::I16: I16, little_endian::I16::from_bytes;
    little_endian::U16: U16, little_endian::U16::from_bytes;
    little_endian::I32: I32, little_endian::I32::from_bytes;
    little_endian::U32: U32, little_endian::U32::from_bytes;
    little_endian::I64: I64, little_endian::I64::from_bytes;
    little_endian::U64: U64, little_endian::U64::from_bytes;
    little_endian::F32: F32, little_endian::F32::from_bytes;
    little_endian::F64: F64, little_endian::F64::from_bytes;
}

#[diagnostic::do_not_recommend]
impl Field for bool {
    const FORMAT: Format = Format::U8;
    const IS_CLOSED: bool = true;

    #[inline]
    fn decode(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

macro_rules! array {
    ($($(#[$attribute:meta])* $element:ty;)*) => {$(
        $(#[$attribute])*
        #[diagnostic::do_not_recommend]
        impl Field for [$element; 32] {
            const FORMAT: Format = Format::I16x32;

            #[inline]
            fn decode(bytes: &[u8]) -> Option<Self> {
                let (pairs, []) = bytes.as_chunks() else { return None };
                let pairs: &[[u8; 2]; 32] = pairs.try_into().ok()?;
                Some(pairs.map(|pair| little_endian::I16::from_bytes(pair).into()))
            }
        }
    )*};
}

array! {
    #[cfg(target_endian = "little")] i16;
    little_endian::I16;
}
