//! The value of one column in one record.

use crate::format::Format;
use core::fmt;

/// The value of a column, as stored.
///
/// `Display` prints what pymavlink prints: numbers scaled by their format, text up to the first NUL.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'a> {
    /// `b`, `h`, `i`, `q`.
    Signed(i64),
    /// `B`, `M`, `H`, `I`, `Q`.
    Unsigned(u64),
    /// `c`, `C`, `e`, `E`: hundredths, not yet divided.
    Hundredths(i64),
    /// `L`: 1e-7 degrees, not yet divided.
    Coordinate(i32),
    /// `g`, `f`, `d`, widened without loss. NaNs keep their payload; signalling NaNs become quiet.
    Float(f64),
    /// `n`, `N`, `Z`.
    Text(LoggedText<'a>),
    /// `a`.
    Samples([i16; 32]),
}

/// How a stored number is scaled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scaling {
    /// The number as it is stored.
    Stored,
    /// As pymavlink shows it: `c`, `C`, `e` and `E` divided by 100, `L` divided by 1e7, all others as stored. Viewers
    /// differ: see the guide's chapter on [viewers](crate::guide::viewers).
    #[default]
    Shown,
    /// In the column's unit: numbers that the format doesn't scale are multiplied by the log's multiplier. `TimeUS` is
    /// in seconds. Without a multiplier in the log, it is the [`Shown`](Scaling::Shown) number.
    Units,
}

/// Text in a log: the bytes of an `n`, `N` or `Z` column, padding included.
///
/// Two values are equal if their texts are equal; padding doesn't count.
#[derive(Clone, Copy)]
pub struct LoggedText<'a>(&'a [u8]);

impl<'a> LoggedText<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        LoggedText(bytes)
    }

    /// All bytes of the column, for columns that hold raw data (`FILE.Data`).
    pub fn raw(&self) -> &'a [u8] {
        self.0
    }

    /// The bytes of the text, up to the first NUL.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0.split(|&byte| byte == 0).next().unwrap_or_default()
    }

    /// The text, if it is UTF-8.
    ///
    /// # Errors
    ///
    /// If it isn't UTF-8. [`Display`](fmt::Display) shows any text: as UTF-8, or else as ISO-8859-1.
    pub fn to_str(&self) -> Result<&'a str, core::str::Utf8Error> {
        core::str::from_utf8(self.as_bytes())
    }
}

impl fmt::Display for LoggedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_str() {
            Ok(text) => f.pad(text),
            Err(_) => self.as_bytes().iter().try_for_each(|&byte| fmt::Write::write_char(f, byte.into())),
        }
    }
}

impl fmt::Debug for LoggedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_str() {
            Ok(text) => write!(f, "{text:?}"),
            Err(_) => write!(f, "\"{}\"", self.as_bytes().escape_ascii()),
        }
    }
}

impl PartialEq for LoggedText<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for LoggedText<'_> {}

impl core::hash::Hash for LoggedText<'_> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl PartialEq<str> for LoggedText<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for LoggedText<'_> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl<'a> Value<'a> {
    /// The value at the start of `bytes`; `None` if they are too short.
    pub fn of(format: Format, bytes: &'a [u8]) -> Option<Self> {
        macro_rules! number {
            ($type:ty) => {
                <$type>::from_le_bytes(*bytes.first_chunk()?)
            };
        }
        Some(match format {
            Format::I8 => Value::Signed(number!(i8).into()),
            Format::I16 => Value::Signed(number!(i16).into()),
            Format::I32 => Value::Signed(number!(i32).into()),
            Format::I64 => Value::Signed(number!(i64)),
            Format::U8 | Format::FlightMode => Value::Unsigned(number!(u8).into()),
            Format::U16 => Value::Unsigned(number!(u16).into()),
            Format::U32 => Value::Unsigned(number!(u32).into()),
            Format::U64 => Value::Unsigned(number!(u64)),
            Format::CentiI16 => Value::Hundredths(number!(i16).into()),
            Format::CentiU16 => Value::Hundredths(number!(u16).into()),
            Format::CentiI32 => Value::Hundredths(number!(i32).into()),
            Format::CentiU32 => Value::Hundredths(number!(u32).into()),
            Format::Coordinate => Value::Coordinate(number!(i32)),
            Format::F16 => Value::Float(half_to_f32(number!(u16)).into()),
            Format::F32 => Value::Float(number!(f32).into()),
            Format::F64 => Value::Float(number!(f64)),
            Format::Chars4 | Format::Chars16 | Format::Chars64 => Value::Text(LoggedText(bytes.get(..format.size())?)),
            Format::I16x32 => Value::Samples(samples(bytes.first_chunk()?)),
        })
    }

    /// The number as pymavlink shows it: hundredths divided by 100, coordinates by 1e7. Integers beyond 2^53 are
    /// rounded. `None` for text and arrays.
    pub fn to_f64(&self) -> Option<f64> {
        Some(match *self {
            Value::Signed(value) => value as f64,
            Value::Unsigned(value) => value as f64,
            Value::Hundredths(value) => value as f64 / 100.0,
            Value::Coordinate(value) => f64::from(value) / 1e7,
            Value::Float(value) => value,
            Value::Text(_) | Value::Samples(_) => return None,
        })
    }

    /// The stored integer; `None` if the format doesn't store one.
    pub fn to_integer(&self) -> Option<i128> {
        Some(match *self {
            Value::Signed(value) | Value::Hundredths(value) => value.into(),
            Value::Unsigned(value) => value.into(),
            Value::Coordinate(value) => value.into(),
            Value::Float(_) | Value::Text(_) | Value::Samples(_) => return None,
        })
    }

    /// An order in which values that print alike are equal: integers, floats, texts, arrays.
    #[cfg(feature = "read")]
    pub(crate) fn order(&self, other: &Self) -> core::cmp::Ordering {
        // A value that isn't stored as an integer sorts after all integers, and so on.
        let float = |value: &Self| value.to_f64().map(f64::to_bits).map_or((1, 0), |bits| (0, bits));
        let samples = |value: &Self| if let Value::Samples(samples) = value { Some(*samples) } else { None };
        let integer = |value: &Self| value.to_integer().map_or((1, 0), |integer| (0, integer));
        let text = |value: &Self| value.text().map(|text| text.as_bytes());
        (integer(self).cmp(&integer(other)))
            .then_with(|| float(self).cmp(&float(other)))
            .then_with(|| text(self).cmp(&text(other)))
            .then_with(|| samples(self).cmp(&samples(other)))
    }

    /// The text; `None` for other values.
    pub fn text(&self) -> Option<LoggedText<'a>> {
        match self {
            Value::Text(text) => Some(*text),
            _ => None,
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Signed(value) => value.fmt(f),
            Value::Unsigned(value) => value.fmt(f),
            Value::Text(text) => text.fmt(f),
            Value::Samples(samples) => f.debug_list().entries(samples).finish(),
            Value::Hundredths(_) | Value::Coordinate(_) | Value::Float(_) => self.to_f64().unwrap_or_default().fmt(f),
        }
    }
}

pub(crate) fn samples(bytes: &[u8; 64]) -> [i16; 32] {
    let (pairs, _) = bytes.as_chunks();
    core::array::from_fn(|i| pairs.get(i).map_or(0, |pair| i16::from_le_bytes(*pair)))
}

/// Converts a half-precision float (IEEE 754 binary16) without loss.
pub(crate) fn half_to_f32(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10) & 31;
    let mantissa = u32::from(half) & 0x3FF;
    match (exponent, mantissa) {
        // Zeros and subnormals: a multiple of 2^-24.
        (0, _) => f32::from_bits((mantissa as f32 * f32::from_bits((127 - 24) << 23)).to_bits() | sign),
        (31, 0) => f32::from_bits(sign | 0x7F80_0000),
        // A NaN becomes quiet and keeps the rest of its payload.
        (31, _) => f32::from_bits(sign | 0x7FC0_0000 | mantissa << 13),
        _ => f32::from_bits(sign | (exponent + 127 - 15) << 23 | mantissa << 13),
    }
}
