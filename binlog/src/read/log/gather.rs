//! The loops that gather the values of columns from the log.

use crate::format::field::Chars;
use crate::format::value::{half_to_f32, samples};
use crate::format::{Format, LoggedText, Scaling, Value};
use crate::source::values::{Native, Room};
use crate::source::{Buffer, Kind, Values};

impl Values {
    /// No values, of the type in which those of a column will be gathered: of the format's own, or scaled `f64`.
    pub(super) fn none_of(format: Format, cells: Cells) -> Self {
        match (format, cells) {
            (Format::Chars4, _) => Values::Chars4(Buffer::default()),
            (Format::Chars16, _) => Values::Chars16(Buffer::default()),
            (Format::Chars64, _) => Values::Chars64(Buffer::default()),
            (_, Cells::F64(_)) if Kind::of(format).is_number() => Values::none(Kind::F64),
            _ => Values::none(Kind::of(format)),
        }
    }

    /// Times that a column of 32 bits doesn't say itself, in the type in which its cells are gathered.
    pub(super) fn of_times(times_us: Vec<u64>, cells: Cells) -> Self {
        match cells {
            Cells::Native => Values::U64(times_us.into()),
            Cells::F64(scale) => Values::F64(times_us.into_iter().map(|time_us| scale.apply(time_us as f64)).collect()),
        }
    }

    /// One value in its format.
    pub(super) fn get(&self, i: usize, format: Format) -> Option<Value<'_>> {
        let is_centi = format.is_centi();
        let integer = |value: i64| if is_centi { Value::Hundredths(value) } else { Value::Signed(value) };
        let unsigned = |value: u32| match is_centi {
            true => Value::Hundredths(value.into()),
            false => Value::Unsigned(value.into()),
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

/// The type in which cells are gathered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Cells {
    /// As stored.
    Native,
    /// Numbers as `f64`, scaled.
    F64(Scale),
}

/// How a stored number is scaled. Dividing by 100 or 1e7 is exact, as in pymavlink; multiplying by 0.01 or 1e-7 would
/// be wrong in the last bit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Scale {
    None,
    Divide(f64),
    Multiply(f64),
}

impl Scale {
    /// The scale of a column; `factor` is the factor that remains after the format's own scaling.
    pub(crate) fn of(format: Format, factor: Option<f64>, scaling: Scaling) -> Self {
        match (scaling, format.divisor(), factor) {
            (Scaling::Stored, ..) => Scale::None,
            (_, Some(divisor), _) => Scale::Divide(divisor),
            (Scaling::Shown, ..) | (Scaling::Units, None, None | Some(1.0)) => Scale::None,
            (Scaling::Units, None, Some(factor)) if factor.abs() < 1.0 && is_whole(1.0 / factor) => {
                Scale::Divide((1.0 / factor).round())
            }
            (Scaling::Units, None, Some(factor)) => Scale::Multiply(factor),
        }
    }

    #[inline(always)]
    pub(crate) fn apply(self, value: f64) -> f64 {
        match self {
            Scale::None => value,
            Scale::Divide(by) => value / by,
            Scale::Multiply(by) => value * by,
        }
    }
}

/// Whether a number is an integer within rounding.
fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() <= value.abs() * f64::EPSILON
}

/// Columns of one kind of records that are gathered in the same way.
pub(super) struct Group<'v> {
    pub(super) format: Format,
    pub(super) cells: Cells,
    /// The offsets of the columns in a record, header included, and the room for their values.
    pub(super) columns: Vec<(u8, Room<'v>)>,
}

/// From the start of a record to the end of the widest column that may begin in it.
const RECORD_AND_COLUMN: usize = 255 + 64;

impl<'v> Group<'v> {
    /// Splits off the room for the first `count` records; the rest stays.
    pub(super) fn split_off(&mut self, count: usize) -> Self {
        let columns = self.columns.iter_mut().map(|(at, room)| (*at, room.split_off(count))).collect();
        Group { format: self.format, cells: self.cells, columns }
    }

    /// Gathers the columns of some records; the offsets count from the start of `log`.
    pub(super) fn gather(&mut self, log: &[u8], offsets: &[u32]) {
        match self.columns.first() {
            None => {}
            Some((_, Room::I8(_))) => self.lanes(log, offsets, i8::from_le_bytes),
            Some((_, Room::U8(_))) => self.lanes(log, offsets, u8::from_le_bytes),
            Some((_, Room::I16(_))) => self.lanes(log, offsets, i16::from_le_bytes),
            Some((_, Room::U16(_))) => self.lanes(log, offsets, u16::from_le_bytes),
            Some((_, Room::I32(_))) => self.lanes(log, offsets, i32::from_le_bytes),
            Some((_, Room::U32(_))) => self.lanes(log, offsets, u32::from_le_bytes),
            Some((_, Room::I64(_))) => self.lanes(log, offsets, i64::from_le_bytes),
            Some((_, Room::U64(_))) => self.lanes(log, offsets, u64::from_le_bytes),
            Some((_, Room::F32(_))) if self.format == Format::F16 => {
                self.lanes(log, offsets, |bytes| half_to_f32(u16::from_le_bytes(bytes)));
            }
            Some((_, Room::F32(_))) => self.lanes(log, offsets, f32::from_le_bytes),
            Some((_, Room::F64(_))) => match self.cells {
                Cells::Native | Cells::F64(Scale::None) => self.numbers(log, offsets, |value| value),
                Cells::F64(Scale::Divide(by)) => self.numbers(log, offsets, |value| value / by),
                Cells::F64(Scale::Multiply(by)) => self.numbers(log, offsets, |value| value * by),
            },
            Some((_, Room::Chars4(_))) => self.lanes(log, offsets, Chars::<4>::from_raw),
            Some((_, Room::Chars16(_))) => self.lanes(log, offsets, Chars::<16>::from_raw),
            Some((_, Room::Chars64(_))) => self.lanes(log, offsets, Chars::<64>::from_raw),
            Some((_, Room::I16x32(_))) => self.lanes(log, offsets, |bytes| samples(&bytes)),
        }
    }

    fn numbers(&mut self, log: &[u8], offsets: &[u32], scale: impl Fn(f64) -> f64 + Copy) {
        macro_rules! lanes_of {
            ($type:ty) => {
                self.lanes(log, offsets, |bytes| scale(<$type>::from_le_bytes(bytes) as f64))
            };
        }
        match self.format {
            Format::I8 => lanes_of!(i8),
            Format::U8 | Format::FlightMode => lanes_of!(u8),
            Format::I16 | Format::CentiI16 => lanes_of!(i16),
            Format::U16 | Format::CentiU16 => lanes_of!(u16),
            Format::I32 | Format::CentiI32 | Format::Coordinate => lanes_of!(i32),
            Format::U32 | Format::CentiU32 => lanes_of!(u32),
            Format::I64 => lanes_of!(i64),
            Format::U64 => lanes_of!(u64),
            Format::F16 => self.lanes(log, offsets, |bytes| scale(half_to_f32(u16::from_le_bytes(bytes)).into())),
            Format::F32 => lanes_of!(f32),
            Format::F64 => lanes_of!(f64),
            // Not numbers, so their values are never `F64`.
            Format::Chars4 | Format::Chars16 | Format::Chars64 | Format::I16x32 => {}
        }
    }

    /// Gathers four columns at a time, so that each record is located once for all of them.
    #[inline(never)]
    fn lanes<T: Native, const N: usize>(&mut self, log: &[u8], offsets: &[u32], read: impl Fn([u8; N]) -> T + Copy) {
        let (fours, rest) = self.columns.as_chunks_mut::<4>();
        for columns in fours {
            gather(columns.each_mut().map(|(at, room)| (*at, T::split_off(room, offsets.len()))), log, offsets, read);
        }
        let (twos, rest) = rest.as_chunks_mut::<2>();
        for columns in twos {
            gather(columns.each_mut().map(|(at, room)| (*at, T::split_off(room, offsets.len()))), log, offsets, read);
        }
        for (at, room) in rest {
            gather([(*at, T::split_off(room, offsets.len()))], log, offsets, read);
        }
    }
}

#[inline(always)]
fn gather<T, const N: usize, const LANES: usize>(
    lanes: [(u8, &mut [T]); LANES],
    log: &[u8],
    offsets: &[u32],
    read: impl Fn([u8; N]) -> T,
) {
    let count = lanes.iter().map(|(_, room)| room.len()).fold(offsets.len(), usize::min);
    // All slices have the same length, which saves a bounds check for each lane.
    let lanes = lanes.map(|(at, room)| (usize::from(at), room.split_at_mut(count).0));
    let offsets = &offsets[..count];
    let mut lanes = lanes;
    for i in 0..count {
        let offset = offsets[i] as usize;
        match log.get(offset..offset + RECORD_AND_COLUMN).and_then(<[u8]>::first_chunk::<RECORD_AND_COLUMN>) {
            Some(window) => {
                for (at, room) in &mut lanes {
                    if let Some(bytes) = window.get(*at..*at + N).and_then(<[u8]>::first_chunk) {
                        room[i] = read(*bytes);
                    }
                }
            }
            // At the end of the log. A column of an indexed record is inside the log.
            None => {
                for (at, room) in &mut lanes {
                    if let Some(bytes) = log.get(offset + *at..offset + *at + N).and_then(<[u8]>::first_chunk) {
                        room[i] = read(*bytes);
                    }
                }
            }
        }
    }
}
