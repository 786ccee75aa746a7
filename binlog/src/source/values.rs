//! The values of a column in their native type.

use super::buffer::{Buffer, Plain};
use super::kind::Kind;
use crate::format::field::Chars;
use memmap2::MmapMut;
use std::ops::Range;
use std::sync::Arc;
use zerocopy::{FromBytes, FromZeros, IntoBytes};

macro_rules! values {
    ($($(#[$doc:meta])* $variant:ident($type:ty): $kind:ident;)*) => {
        /// The values of a column, in the type that stores them.
        #[derive(Clone, PartialEq, Debug)]
        #[non_exhaustive]
        pub enum Values {
            $($(#[$doc])* $variant(Buffer<$type>),)*
        }

        impl Values {
            /// The number of values.
            pub fn len(&self) -> usize {
                match self {
                    $(Values::$variant(values) => values.len(),)*
                }
            }

            /// Whether there are no values.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// What they are: numbers of a type, text or arrays.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Values::$variant(_) => Kind::$kind,)*
                }
            }

            /// The memory of the values, one after the other, in the byte order of this machine. A text has its full
            /// width, padding included.
            pub fn as_bytes(&self) -> &[u8] {
                match self {
                    $(Values::$variant(values) => values.as_bytes(),)*
                }
            }

            /// Room to write into, in parts.
            pub(crate) fn room(&mut self) -> Room<'_> {
                match self {
                    $(Values::$variant(values) => Room::$variant(values.to_mut()),)*
                }
            }

            /// Zeros of the same type.
            pub(crate) fn zeroed(&self, count: usize) -> Self {
                match self {
                    $(Values::$variant(_) => Values::$variant(vec![<$type>::new_zeroed(); count].into()),)*
                }
            }

            /// The bytes of one value.
            pub(super) fn width(&self) -> usize {
                match self {
                    $(Values::$variant(_) => size_of::<$type>(),)*
                }
            }

            /// Room for values of the same type in these bytes, which are aligned for any type.
            pub(super) fn room_in<'v>(&self, bytes: &'v mut [u8]) -> Room<'v> {
                match self {
                    $(Values::$variant(_) => {
                        let values = <[$type]>::mut_from_bytes(bytes);
                        debug_assert!(values.is_ok(), "a place has whole values and is aligned");
                        Room::$variant(values.unwrap_or_default())
                    })*
                }
            }

            /// Values of the same type that are at this place of a piece of memory.
            pub(super) fn shared(&self, piece: &Arc<MmapMut>, place: Range<usize>) -> Self {
                match self {
                    $(Values::$variant(_) => Values::$variant(Buffer::shared(piece, place)),)*
                }
            }
        }

        /// Room for values that have not been gathered yet.
        pub(crate) enum Room<'v> {
            $($variant(&'v mut [$type]),)*
        }

        impl<'v> Room<'v> {
            /// Splits off the room for the first `count` values; the rest stays.
            pub(crate) fn split_off(&mut self, count: usize) -> Room<'v> {
                match self {
                    $(Room::$variant(values) => Room::$variant(split_off(values, count)),)*
                }
            }
        }

        $(impl Native for $type {
            fn split_off<'v>(room: &mut Room<'v>, count: usize) -> &'v mut [Self] {
                match room {
                    Room::$variant(values) => split_off(values, count),
                    _ => &mut [],
                }
            }
        })*
    };
}

/// A type that stores the values of a column.
pub(crate) trait Native: Plain {
    /// Splits off the first `count` values of a room of this type; the rest stays.
    fn split_off<'v>(room: &mut Room<'v>, count: usize) -> &'v mut [Self];
}

fn split_off<'v, T>(values: &mut &'v mut [T], count: usize) -> &'v mut [T] {
    let count = count.min(values.len());
    let (first, rest) = std::mem::take(values).split_at_mut(count);
    *values = rest;
    first
}

values! {
    /// `b`.
    I8(i8): I8;
    /// `B`, `M`.
    U8(u8): U8;
    /// `h`, `c`.
    I16(i16): I16;
    /// `H`, `C`.
    U16(u16): U16;
    /// `i`, `e`, `L`.
    I32(i32): I32;
    /// `I`, `E`.
    U32(u32): U32;
    /// `q`.
    I64(i64): I64;
    /// `Q`.
    U64(u64): U64;
    /// `f`; `g` widened.
    F32(f32): F32;
    /// `d`, and any number that was read as an `f64`.
    F64(f64): F64;
    /// `n`.
    Chars4(Chars<4>): Text;
    /// `N`.
    Chars16(Chars<16>): Text;
    /// `Z`.
    Chars64(Chars<64>): Text;
    /// `a`.
    I16x32([i16; 32]): Samples;
}

impl Values {
    /// No values of a kind: no bytes for texts and raw data.
    pub(crate) fn none(kind: Kind) -> Self {
        macro_rules! none {
            ($($number:ident)*) => {
                match kind {
                    $(Kind::$number => Values::$number(Buffer::default()),)*
                    Kind::Samples => Values::I16x32(Buffer::default()),
                    Kind::Text | Kind::Bytes => Values::U8(Buffer::default()),
                }
            };
        }
        none!(I8 U8 I16 U16 I32 U32 I64 U64 F32 F64)
    }

    /// The stored number of a row; `None` for text and arrays, and beyond the end. Integers beyond 2^53 are rounded.
    #[inline]
    pub fn number(&self, i: usize) -> Option<f64> {
        Some(match self {
            Values::I8(values) => (*values.get(i)?).into(),
            Values::U8(values) => (*values.get(i)?).into(),
            Values::I16(values) => (*values.get(i)?).into(),
            Values::U16(values) => (*values.get(i)?).into(),
            Values::I32(values) => (*values.get(i)?).into(),
            Values::U32(values) => (*values.get(i)?).into(),
            Values::I64(values) => *values.get(i)? as f64,
            Values::U64(values) => *values.get(i)? as f64,
            Values::F32(values) => (*values.get(i)?).into(),
            Values::F64(values) => *values.get(i)?,
            Values::Chars4(_) | Values::Chars16(_) | Values::Chars64(_) | Values::I16x32(_) => return None,
        })
    }

    /// The values at these places; those beyond the end are left out.
    #[must_use]
    pub fn at(&self, places: &[usize]) -> Self {
        fn at<T: Plain>(values: &[T], places: &[usize]) -> Buffer<T> {
            places.iter().filter_map(|&place| values.get(place).cloned()).collect()
        }
        macro_rules! at {
            ($($variant:ident)*) => {
                match self {
                    $(Values::$variant(values) => Values::$variant(at(values, places)),)*
                }
            };
        }
        at!(I8 U8 I16 U16 I32 U32 I64 U64 F32 F64 Chars4 Chars16 Chars64 I16x32)
    }

    /// The values as numbers of a [wider](Kind::widened) kind. The values themselves, which aren't copied, if they are
    /// of the kind; back again, if the kind doesn't hold all values of theirs.
    ///
    /// # Errors
    ///
    /// The values as they were.
    pub fn widened(self, kind: Kind) -> Result<Self, Self> {
        if self.kind() == kind {
            return Ok(self);
        }
        if !kind.holds(self.kind()) {
            return Err(self);
        }
        // Where an `f64` is wide enough, it holds the narrower numbers exactly; others are integers.
        macro_rules! widened {
            ($($variant:ident: $type:ty),*) => {
                match kind {
                    $(Kind::$variant => Values::$variant(match &self {
                        Values::I8(values) => values.iter().map(|&value| value as $type).collect(),
                        Values::U8(values) => values.iter().map(|&value| value as $type).collect(),
                        Values::I16(values) => values.iter().map(|&value| value as $type).collect(),
                        Values::U16(values) => values.iter().map(|&value| value as $type).collect(),
                        Values::I32(values) => values.iter().map(|&value| value as $type).collect(),
                        Values::U32(values) => values.iter().map(|&value| value as $type).collect(),
                        Values::F32(values) => values.iter().map(|&value| value as $type).collect(),
                        _ => return Err(self),
                    }),)*
                    _ => return Err(self),
                }
            };
        }
        Ok(widened!(I16: i16, U16: u16, I32: i32, U32: u32, I64: i64, U64: u64, F32: f32, F64: f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_a_kind_and_their_memory() {
        let numbers = Values::U16(vec![1, 0x0203].into());
        assert_eq!((numbers.kind(), numbers.as_bytes()), (Kind::U16, [1_u16, 0x0203].as_bytes()));
        let texts = Values::Chars4(vec![Chars::literal("ab"), Chars::literal("")].into());
        assert_eq!((texts.kind(), texts.as_bytes()), (Kind::Text, &b"ab\0\0\0\0\0\0"[..]));
        assert_eq!(Values::I16x32(vec![[1; 32]; 2].into()).as_bytes().len(), 128);
        assert!(Values::F64(Vec::new().into()).as_bytes().is_empty());
    }

    #[test]
    fn values_are_taken_at_places() {
        assert_eq!(Values::U16(vec![5, 6, 7].into()).at(&[2, 0, 3]), Values::U16(vec![7, 5].into()));
        assert_eq!(Values::I16x32(vec![[1; 32]; 2].into()).at(&[1]), Values::I16x32(vec![[1; 32]].into()));
    }

    #[test]
    fn values_widen_or_stay() {
        for (values, kind, widened) in [
            (Values::U8(vec![255].into()), Kind::I16, Some(Values::I16(vec![255].into()))),
            (Values::I32(vec![-7].into()), Kind::F64, Some(Values::F64(vec![-7.0].into()))),
            (Values::U32(vec![u32::MAX].into()), Kind::I64, Some(Values::I64(vec![u32::MAX.into()].into()))),
            (Values::F32(vec![0.5].into()), Kind::F64, Some(Values::F64(vec![0.5].into()))),
            (Values::I64(vec![1].into()), Kind::F64, None),
            (Values::F32(vec![0.5].into()), Kind::I64, None),
            (Values::Chars4(vec![Chars::default()].into()), Kind::I8, None),
            (
                Values::Chars4(vec![Chars::default()].into()),
                Kind::Text,
                Some(Values::Chars4(vec![Chars::default()].into())),
            ),
        ] {
            assert_eq!(values.clone().widened(kind), widened.ok_or(values), "{kind:?}");
        }
    }
}
