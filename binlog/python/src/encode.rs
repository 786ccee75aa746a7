//! Values as the columns of records: rounded as the library rounds, and refused where a column can't hold them.

use binlog::Format;
use binlog::field::Chars;
use binlog::log::Values;
use std::ops::Range;
use std::sync::Arc;

/// A number of Python's.
#[derive(Clone, Copy)]
pub enum Number {
    /// An integer.
    Int(i64),
    /// An integer, if it is beyond an `i64`.
    Large(u64),
    /// A float.
    Float(f64),
}

/// The values of a column, by whoever they were given.
pub enum Given {
    /// Values in a type of the log's: of a table, of a buffer, of Arrow.
    Values(Arc<Values>),
    /// The numbers of a list.
    Numbers(Vec<Number>),
    /// Texts.
    Texts(Vec<Text>),
}

/// A text.
pub enum Text {
    /// Text, which ends at no NUL.
    Utf8(Vec<u8>),
    /// Raw data, padded with zeros.
    Raw(Vec<u8>),
}

/// What is wrong with a value.
pub struct Fault {
    /// Its row; `None` if it is all values.
    pub row: Option<usize>,
    /// Whether the type is wrong, and not the value.
    pub is_type: bool,
    /// What is wrong.
    pub text: String,
}

/// A column of records that lie one after the other.
#[derive(Clone, Copy)]
pub struct Place {
    /// How the column is stored.
    pub format: Format,
    /// Where the column begins in a record.
    pub offset: usize,
    /// The length of a record.
    pub length: usize,
    /// Whether values are as readers show them: hundredths and coordinates are multiplied.
    pub shown: bool,
}

impl Given {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Given::Values(values) => values.len(),
            Given::Numbers(numbers) => numbers.len(),
            Given::Texts(texts) => texts.len(),
        }
    }

    /// Writes the values of some rows to their places in the records of these rows.
    pub fn write(&self, place: Place, rows: Range<usize>, records: &mut [u8]) -> Result<(), Fault> {
        let first = rows.start;
        let written = match self {
            Given::Numbers(values) => numbers(&values[rows], place, records),
            Given::Texts(values) => each(&values[rows], place, records, |value, to| text(value, place, to)),
            Given::Values(values) => self::values(values, place, rows, records),
        };
        written.map_err(|fault| Fault { row: fault.row.map(|row| first + row), ..fault })
    }
}

/// Writes values in a type of the log's.
fn values(values: &Values, place: Place, rows: Range<usize>, records: &mut [u8]) -> Result<(), Fault> {
    // Values of the column's own type are copied. Others are numbers first: a loop for each pair of types would be
    // large.
    macro_rules! numbers {
        ($values:expr, $format:ident) => {
            match place.format {
                Format::$format => each(&$values[rows], place, records, |value, to| {
                    to.copy_from_slice(&value.to_le_bytes());
                    Ok(())
                }),
                _ => {
                    let values: Vec<Number> = $values[rows].iter().map(|&value| value.into()).collect();
                    numbers(&values, place, records)
                }
            }
        };
    }
    match values {
        Values::I8(values) => numbers!(values, I8),
        Values::U8(values) => numbers!(values, U8),
        Values::I16(values) => numbers!(values, I16),
        Values::U16(values) => numbers!(values, U16),
        Values::I32(values) => numbers!(values, I32),
        Values::U32(values) => numbers!(values, U32),
        Values::I64(values) => numbers!(values, I64),
        Values::U64(values) => numbers!(values, U64),
        Values::F32(values) => numbers!(values, F32),
        Values::F64(values) => numbers!(values, F64),
        Values::Chars4(values) => each(&values[rows], place, records, |value, to| logged(value, place, to)),
        Values::Chars16(values) => each(&values[rows], place, records, |value, to| logged(value, place, to)),
        Values::Chars64(values) => each(&values[rows], place, records, |value, to| logged(value, place, to)),
        Values::I16x32(values) => each(&values[rows], place, records, |value, to| {
            if place.format != Format::I16x32 {
                return Err(Fault::of_type(place.format, "arrays"));
            }
            to.as_chunks_mut().0.iter_mut().zip(value).for_each(|(to, sample)| *to = sample.to_le_bytes());
            Ok(())
        }),
        _ => Err(Fault::of_type(place.format, "values of an unknown kind")),
    }
}

impl Fault {
    fn of_value(text: String) -> Self {
        Fault { row: None, is_type: false, text }
    }

    fn of_type(format: Format, given: &str) -> Self {
        let wanted = match format {
            Format::I16x32 => "arrays of 32 integers",
            format if format.is_text() => "texts",
            _ => "numbers",
        };
        Fault { row: None, is_type: true, text: format!("{given}; the format `{format}` holds {wanted}") }
    }
}

/// Writes each value to its record.
#[inline(always)]
fn each<T>(
    values: &[T],
    place: Place,
    records: &mut [u8],
    write: impl Fn(&T, &mut [u8]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let column = place.offset..place.offset + place.format.size();
    for (row, (value, record)) in values.iter().zip(records.chunks_exact_mut(place.length)).enumerate() {
        write(value, &mut record[column.clone()]).map_err(|fault| Fault { row: Some(row), ..fault })?;
    }
    Ok(())
}

/// A loop for each format.
fn numbers(values: &[Number], place: Place, records: &mut [u8]) -> Result<(), Fault> {
    macro_rules! of_format {
        ($($format:ident)*) => {
            match place.format {
                $(Format::$format => each(values, place, records, |&value, to| {
                    number(value, Place { format: Format::$format, ..place }, to)
                }),)*
                format => Err(Fault::of_type(format, "numbers")),
            }
        };
    }
    of_format!(I8 U8 FlightMode I16 U16 I32 U32 I64 U64 CentiI16 CentiU16 CentiI32 CentiU32 Coordinate F16 F32 F64)
}

/// Writes a number.
#[inline(always)]
pub fn number(number: Number, place: Place, to: &mut [u8]) -> Result<(), Fault> {
    let Place { format, .. } = place;
    macro_rules! integer {
        ($type:ty) => {
            match scaled(number, place)? {
                Number::Int(integer) => <$type>::try_from(integer).ok(),
                Number::Large(integer) => <$type>::try_from(integer).ok(),
                Number::Float(_) => None,
            }
            .map(|integer| to.copy_from_slice(&integer.to_le_bytes()))
        };
    }
    let float = number.to_f64();
    let fits = |is_finite: bool| (is_finite || !float.is_finite()).then_some(());
    let written = match format {
        Format::I8 => integer!(i8),
        Format::U8 => integer!(u8),
        Format::FlightMode => integer!(u8).filter(|()| to.first().is_some_and(|mode| *mode <= LAST_MODE)),
        Format::I16 | Format::CentiI16 => integer!(i16),
        Format::U16 | Format::CentiU16 => integer!(u16),
        Format::I32 | Format::CentiI32 | Format::Coordinate => integer!(i32),
        Format::U32 | Format::CentiU32 => integer!(u32),
        Format::I64 => integer!(i64),
        Format::U64 => integer!(u64),
        Format::F16 => {
            let half = half_of(float as f32);
            to.copy_from_slice(&half.to_le_bytes());
            fits(half & INFINITE != INFINITE)
        }
        Format::F32 => {
            let single = float as f32;
            to.copy_from_slice(&single.to_le_bytes());
            fits(single.is_finite())
        }
        Format::F64 => {
            to.copy_from_slice(&float.to_le_bytes());
            Some(())
        }
        Format::Chars4 | Format::Chars16 | Format::Chars64 | Format::I16x32 => {
            return Err(Fault::of_type(format, "numbers"));
        }
    };
    written.ok_or_else(|| out_of_range(number, place))
}

/// pymavlink reads a mode as a signed number.
const LAST_MODE: u8 = 127;

/// The exponent of a half-precision float that is infinite or not a number.
const INFINITE: u16 = 0x7C00;

impl Number {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        match self {
            Number::Int(integer) => integer as f64,
            Number::Large(integer) => integer as f64,
            Number::Float(float) => float,
        }
    }
}

/// What an integer is multiplied by to be stored.
fn factor(place: Place) -> Option<f64> {
    match place.format {
        _ if !place.shown => None,
        Format::Coordinate => Some(1e7),
        format => format.is_centi().then_some(100.0),
    }
}

/// The integer that is stored for a number; a float if no integer of 64 bits is.
#[inline(always)]
fn scaled(number: Number, place: Place) -> Result<Number, Fault> {
    let float = match (number, factor(place)) {
        (Number::Float(float), None) if float.is_nan() => return Err(not_a_number(place)),
        (Number::Float(float), None) if float.fract() != 0.0 => {
            let text = format!("{float} is not a whole number; the format `{}` holds integers", place.format);
            return Err(Fault::of_value(text));
        }
        (Number::Float(float), None) => float,
        (integer, None) => return Ok(integer),
        (number, Some(factor)) => {
            let stored = number.to_f64() * factor;
            if stored.is_nan() {
                return Err(not_a_number(place));
            }
            // As `Centi::from_f64` rounds.
            (stored + 0.5_f64.copysign(stored)).trunc()
        }
    };
    Ok(match float {
        float if (i64::MIN as f64..-(i64::MIN as f64)).contains(&float) => Number::Int(float as i64),
        float if (0.0..2.0 * -(i64::MIN as f64)).contains(&float) => Number::Large(float as u64),
        float => Number::Float(float),
    })
}

#[cold]
fn not_a_number(place: Place) -> Fault {
    Fault::of_value(format!("NaN can't be stored; the format `{}` holds integers", place.format))
}

#[cold]
fn out_of_range(number: Number, place: Place) -> Fault {
    let shown = match number {
        Number::Int(integer) => integer.to_string(),
        Number::Large(integer) => integer.to_string(),
        Number::Float(float) => float.to_string(),
    };
    let range = |least: i64, most: i64| match factor(place) {
        Some(factor) => format!("{} to {}", least as f64 / factor, most as f64 / factor),
        None => format!("{least} to {most}"),
    };
    let range = match place.format {
        Format::I8 => range(i8::MIN.into(), i8::MAX.into()),
        Format::U8 => range(0, u8::MAX.into()),
        Format::FlightMode => range(0, LAST_MODE.into()),
        Format::I16 | Format::CentiI16 => range(i16::MIN.into(), i16::MAX.into()),
        Format::U16 | Format::CentiU16 => range(0, u16::MAX.into()),
        Format::I32 | Format::CentiI32 | Format::Coordinate => range(i32::MIN.into(), i32::MAX.into()),
        Format::U32 | Format::CentiU32 => range(0, u32::MAX.into()),
        Format::U64 => format!("0 to {}", u64::MAX),
        Format::F16 => "-65504 to 65504".into(),
        Format::F32 => format!("{:e} to {:e}", f32::MIN, f32::MAX),
        _ => range(i64::MIN, i64::MAX),
    };
    Fault::of_value(format!("{shown} is out of range; the format `{}` holds {range}", place.format))
}

/// The nearest half-precision float (IEEE 754 binary16), the even one of two; infinite beyond 65504.
fn half_of(single: f32) -> u16 {
    let (bits, magnitude) = (single.to_bits(), single.abs());
    let sign = (bits >> 16) as u16 & 0x8000;
    let half = if magnitude.is_nan() {
        INFINITE | 0x200 | (bits >> 13) as u16 & 0x3FF
    } else if magnitude < f32::from_bits((127 - 14) << 23) {
        // Below the smallest normal number, multiples of 2^-24; adding 0.5 rounds to them, since it has the same step.
        (magnitude + 0.5).to_bits() as u16
    } else {
        // The lower 13 bits of the mantissa round, and carry into the exponent.
        let rounded = (bits & 0x7FFF_FFFF) + 0xFFF + (bits >> 13 & 1);
        (rounded >> 13).saturating_sub((127 - 15) << 10).min(INFINITE.into()) as u16
    };
    sign | half
}

/// Writes a text.
pub fn text(text: &Text, place: Place, to: &mut [u8]) -> Result<(), Fault> {
    if !place.format.is_text() {
        return Err(Fault::of_type(place.format, "texts"));
    }
    let (bytes, what) = match text {
        Text::Utf8(text) => (text, "text"),
        Text::Raw(bytes) => (bytes, "data"),
    };
    if bytes.len() > to.len() {
        let (length, width) = (bytes.len(), to.len());
        return Err(Fault::of_value(format!(
            "{what} of {length} bytes is too long; the format `{}` holds {width}",
            place.format
        )));
    }
    if what == "text" && bytes.contains(&0) {
        return Err(Fault::of_value("text with a NUL, where readers would end it".into()));
    }
    to[..bytes.len()].copy_from_slice(bytes);
    Ok(())
}

/// Writes the text of a log: all bytes, if it has the column's width.
fn logged<const N: usize>(chars: &Chars<N>, place: Place, to: &mut [u8]) -> Result<(), Fault> {
    let bytes = if to.len() == N { chars.raw() } else { chars.as_bytes() };
    text(&Text::Raw(bytes.to_vec()), place, to)
}

macro_rules! into_number {
    ($($type:ty: $variant:ident),*) => {$(
        impl From<$type> for Number {
            #[inline(always)]
            fn from(value: $type) -> Self {
                Number::$variant(value.into())
            }
        }
    )*};
}

into_number!(i8: Int, u8: Int, i16: Int, u16: Int, i32: Int, u32: Int, i64: Int, f32: Float, f64: Float);

impl From<u64> for Number {
    #[inline(always)]
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or(Number::Large(value), Number::Int)
    }
}
