//! The values of a column in their native type, and the loops that gather them from the log.

use crate::field::Chars;
use crate::records::value::{half_to_f32, samples};
use crate::{Format, LoggedText, Scaling, Value};

macro_rules! values {
    ($($(#[$doc:meta])* $variant:ident($type:ty);)*) => {
        /// The values of a column, in the type that they are stored in.
        #[derive(Clone, PartialEq, Debug)]
        #[non_exhaustive]
        pub enum Values {
            $($(#[$doc])* $variant(Vec<$type>),)*
        }

        impl Values {
            /// How many.
            pub fn len(&self) -> usize {
                match self {
                    $(Values::$variant(values) => values.len(),)*
                }
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Room to write into, a piece at a time.
            pub(super) fn room(&mut self) -> Room<'_> {
                match self {
                    $(Values::$variant(values) => Room::$variant(values),)*
                }
            }
        }

        /// Values that are yet to be gathered.
        pub(super) enum Room<'v> {
            $($variant(&'v mut [$type]),)*
        }

        impl<'v> Room<'v> {
            /// The first `count` values, and the rest.
            pub(super) fn split_at(self, count: usize) -> (Self, Self) {
                match self {
                    $(Room::$variant(values) => {
                        let (first, rest) = values.split_at_mut(count.min(values.len()));
                        (Room::$variant(first), Room::$variant(rest))
                    })*
                }
            }
        }
    };
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
    /// `d`, and any number that was asked for as an `f64`.
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
    /// Values that will be gathered: of a format's own type, or scaled.
    pub(super) fn zeroed(format: Format, cells: Cells, count: usize) -> Self {
        if matches!(cells, Cells::F64(_)) && !format.is_text() && format != Format::I16x32 {
            return Values::F64(vec![0.0; count]);
        }
        match format {
            Format::I8 => Values::I8(vec![0; count]),
            Format::U8 | Format::FlightMode => Values::U8(vec![0; count]),
            Format::I16 | Format::CentiI16 => Values::I16(vec![0; count]),
            Format::U16 | Format::CentiU16 => Values::U16(vec![0; count]),
            Format::I32 | Format::CentiI32 | Format::Coordinate => Values::I32(vec![0; count]),
            Format::U32 | Format::CentiU32 => Values::U32(vec![0; count]),
            Format::I64 => Values::I64(vec![0; count]),
            Format::U64 => Values::U64(vec![0; count]),
            Format::F16 | Format::F32 => Values::F32(vec![0.0; count]),
            Format::F64 => Values::F64(vec![0.0; count]),
            Format::Chars4 => Values::Chars4(vec![Chars::default(); count]),
            Format::Chars16 => Values::Chars16(vec![Chars::default(); count]),
            Format::Chars64 => Values::Chars64(vec![Chars::default(); count]),
            Format::I16x32 => Values::I16x32(vec![[0; 32]; count]),
        }
    }

    /// One of them as a number, not scaled; `None` for text, arrays and beyond the end.
    #[inline]
    pub(super) fn number(&self, i: usize) -> Option<f64> {
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

    /// One of them, as its format means it.
    pub(super) fn get(&self, i: usize, format: Format) -> Option<Value<'_>> {
        let integer = |value: i64| match format {
            Format::CentiI16 | Format::CentiU16 | Format::CentiI32 | Format::CentiU32 => Value::Hundredths(value),
            _ => Value::Signed(value),
        };
        let unsigned = |value: u32| match format {
            Format::CentiU16 | Format::CentiU32 => Value::Hundredths(value.into()),
            _ => Value::Unsigned(value.into()),
        };
        Some(match self {
            Values::I8(values) => integer((*values.get(i)?).into()),
            Values::U8(values) => unsigned((*values.get(i)?).into()),
            Values::I16(values) => integer((*values.get(i)?).into()),
            Values::U16(values) => unsigned((*values.get(i)?).into()),
            Values::I32(values) if format == Format::Coordinate => Value::Coordinate(*values.get(i)?),
            Values::I32(values) => integer((*values.get(i)?).into()),
            Values::U32(values) => unsigned(*values.get(i)?),
            Values::I64(values) => Value::Signed(*values.get(i)?),
            Values::U64(values) => Value::Unsigned(*values.get(i)?),
            Values::F32(values) => Value::Float((*values.get(i)?).into()),
            Values::F64(values) => Value::Float(*values.get(i)?),
            Values::Chars4(values) => Value::Text(LoggedText::new(values.get(i)?.raw())),
            Values::Chars16(values) => Value::Text(LoggedText::new(values.get(i)?.raw())),
            Values::Chars64(values) => Value::Text(LoggedText::new(values.get(i)?.raw())),
            Values::I16x32(values) => Value::Samples(*values.get(i)?),
        })
    }
}

/// What cells are gathered as.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Cells {
    /// As they are stored.
    Native,
    /// Numbers as `f64`, scaled.
    F64(Scale),
}

/// What a stored number is scaled by.
// A division by 100 or 1e7 is exact where a multiplication by 0.01 or 1e-7 is off in the last bit; pymavlink divides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Scale {
    None,
    Divide(f64),
    Multiply(f64),
}

impl Scale {
    /// What a column is scaled by, whose multiplier is `multiplier` where it has one.
    pub(super) fn of(format: Format, multiplier: Option<f64>, scaling: Scaling) -> Self {
        match (scaling, format) {
            (Scaling::Stored, _) => Scale::None,
            (_, format) if format.is_centi() => Scale::Divide(100.0),
            (_, Format::Coordinate) => Scale::Divide(1e7),
            (Scaling::Shown, _) => Scale::None,
            (Scaling::Units, _) => match multiplier {
                // 0 says that there is no multiplier.
                None | Some(0.0 | 1.0) => Scale::None,
                Some(multiplier) if multiplier.abs() < 1.0 && is_whole(1.0 / multiplier) => {
                    Scale::Divide((1.0 / multiplier).round())
                }
                Some(multiplier) => Scale::Multiply(multiplier),
            },
        }
    }

    #[inline(always)]
    pub(super) fn apply(self, value: f64) -> f64 {
        match self {
            Scale::None => value,
            Scale::Divide(by) => value / by,
            Scale::Multiply(by) => value * by,
        }
    }
}

/// Whether a number is an integer but for what rounding takes.
fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() <= value.abs() * f64::EPSILON
}

impl Room<'_> {
    /// Gathers a column: `log` is where the offsets count from, `field` where the column's bytes are in a record, header
    /// included.
    pub(super) fn gather(self, log: &[u8], offsets: &[u32], field: usize, format: Format, cells: Cells) {
        if let Room::F64(room) = self {
            let scale = match cells {
                Cells::Native => Scale::None,
                Cells::F64(scale) => scale,
            };
            return match scale {
                Scale::None => numbers(room, log, offsets, field, format, |value| value),
                Scale::Divide(by) => numbers(room, log, offsets, field, format, |value| value / by),
                Scale::Multiply(by) => numbers(room, log, offsets, field, format, |value| value * by),
            };
        }
        match self {
            Room::I8(room) => gather(room, log, offsets, field, i8::from_le_bytes),
            Room::U8(room) => gather(room, log, offsets, field, u8::from_le_bytes),
            Room::I16(room) => gather(room, log, offsets, field, i16::from_le_bytes),
            Room::U16(room) => gather(room, log, offsets, field, u16::from_le_bytes),
            Room::I32(room) => gather(room, log, offsets, field, i32::from_le_bytes),
            Room::U32(room) => gather(room, log, offsets, field, u32::from_le_bytes),
            Room::I64(room) => gather(room, log, offsets, field, i64::from_le_bytes),
            Room::U64(room) => gather(room, log, offsets, field, u64::from_le_bytes),
            Room::F32(room) if format == Format::F16 => {
                gather(room, log, offsets, field, |bytes| half_to_f32(u16::from_le_bytes(bytes)));
            }
            Room::F32(room) => gather(room, log, offsets, field, f32::from_le_bytes),
            Room::Chars4(room) => gather(room, log, offsets, field, Chars::from_raw),
            Room::Chars16(room) => gather(room, log, offsets, field, Chars::from_raw),
            Room::Chars64(room) => gather(room, log, offsets, field, Chars::from_raw),
            Room::I16x32(room) => gather(room, log, offsets, field, |bytes| samples(&bytes)),
            // Above.
            Room::F64(_) => {}
        }
    }
}

#[inline(always)]
fn gather<T, const N: usize>(room: &mut [T], log: &[u8], offsets: &[u32], field: usize, read: impl Fn([u8; N]) -> T) {
    for (value, &offset) in room.iter_mut().zip(offsets) {
        let at = offset as usize + field;
        // A column of an indexed record is inside the log.
        if let Some(bytes) = log.get(at..at + N).and_then(|bytes| bytes.first_chunk()) {
            *value = read(*bytes);
        }
    }
}

#[inline(always)]
fn numbers(room: &mut [f64], log: &[u8], offsets: &[u32], field: usize, format: Format, scale: impl Fn(f64) -> f64) {
    macro_rules! gather_as {
        ($type:ty) => {
            gather(room, log, offsets, field, |bytes| scale(<$type>::from_le_bytes(bytes) as f64))
        };
    }
    match format {
        Format::I8 => gather_as!(i8),
        Format::U8 | Format::FlightMode => gather_as!(u8),
        Format::I16 | Format::CentiI16 => gather_as!(i16),
        Format::U16 | Format::CentiU16 => gather_as!(u16),
        Format::I32 | Format::CentiI32 | Format::Coordinate => gather_as!(i32),
        Format::U32 | Format::CentiU32 => gather_as!(u32),
        Format::I64 => gather_as!(i64),
        Format::U64 => gather_as!(u64),
        Format::F16 => {
            gather(room, log, offsets, field, |bytes| scale(half_to_f32(u16::from_le_bytes(bytes)).into()));
        }
        Format::F32 => gather_as!(f32),
        Format::F64 => gather_as!(f64),
        // No numbers: their values are never `F64`.
        Format::Chars4 | Format::Chars16 | Format::Chars64 | Format::I16x32 => {}
    }
}
