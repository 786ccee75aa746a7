//! The values of a column in their native type.

use crate::format::field::Chars;

macro_rules! values {
    ($($(#[$doc:meta])* $variant:ident($type:ty);)*) => {
        /// The values of a column, in the type that stores them.
        #[derive(Clone, PartialEq, Debug)]
        #[non_exhaustive]
        pub enum Values {
            $($(#[$doc])* $variant(Vec<$type>),)*
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

            /// Room to write into, in parts.
            pub(crate) fn room(&mut self) -> Room<'_> {
                match self {
                    $(Values::$variant(values) => Room::$variant(values),)*
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
pub(crate) trait Native: Sized + 'static {
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
    I8(i8);
    /// `B`, `M`.
    U8(u8);
    /// `h`, `c`.
    I16(i16);
    /// `H`, `C`.
    U16(u16);
    /// `i`, `e`, `L`.
    I32(i32);
    /// `I`, `E`.
    U32(u32);
    /// `q`.
    I64(i64);
    /// `Q`.
    U64(u64);
    /// `f`; `g` widened.
    F32(f32);
    /// `d`, and any number that was read as an `f64`.
    F64(f64);
    /// `n`.
    Chars4(Chars<4>);
    /// `N`.
    Chars16(Chars<16>);
    /// `Z`.
    Chars64(Chars<64>);
    /// `a`.
    I16x32([i16; 32]);
}

impl Values {
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
}
