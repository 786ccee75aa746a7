//! Numbers as text, stored in the format of a column.

use crate::format::Format;

/// Appends the number at the beginning of `text`, if it has at most 18 digits, no exponent, and a comma or the end of
/// the line after it, as most numbers of a log. Returns what follows the comma: `Some(None)` at the end of the line.
/// `None`: [`encode`] has to read the number.
pub(super) fn encode_usual<'t>(
    format: Format,
    text: &'t [u8],
    is_spaced: bool,
    to: &mut Vec<u8>,
) -> Option<Option<&'t [u8]>> {
    let start = text.iter().take_while(|byte| **byte == b' ').count();
    let (number, length) = Decimal::at_start(&text[start..])?;
    let end = start + length;
    if text.get(end).is_some_and(|byte| *byte != b',') || is_spaced && is_decimal_comma(format, text, end) {
        return None;
    }
    macro_rules! whole {
        ($type:ty, $decimals:literal) => {
            to.extend(<$type>::try_from(number.shifted($decimals)?).ok()?.to_le_bytes())
        };
    }
    match format {
        Format::I8 => whole!(i8, 0),
        Format::U8 | Format::FlightMode => whole!(u8, 0),
        Format::I16 => whole!(i16, 0),
        Format::U16 => whole!(u16, 0),
        Format::I32 => whole!(i32, 0),
        Format::U32 => whole!(u32, 0),
        Format::I64 => whole!(i64, 0),
        Format::U64 => whole!(u64, 0),
        Format::CentiI16 => whole!(i16, 2),
        Format::CentiU16 => whole!(u16, 2),
        Format::CentiI32 => whole!(i32, 2),
        Format::CentiU32 => whole!(u32, 2),
        Format::Coordinate => whole!(i32, 7),
        Format::F32 => to.extend(number.to_f32()?.to_le_bytes()),
        Format::F64 => to.extend(number.to_f64()?.to_le_bytes()),
        Format::F16 | Format::I16x32 | Format::Chars4 | Format::Chars16 | Format::Chars64 => return None,
    }
    Some(text.get(end + 1..))
}

/// Whether the comma at a place of a log that separates values by a comma and a space is the decimal one of some
/// countries.
pub(super) fn is_decimal_comma(format: Format, text: &[u8], comma: usize) -> bool {
    let has_fraction = || !format.is_integer() && format != Format::FlightMode && !format.is_text();
    text.get(comma + 1).is_some_and(u8::is_ascii_digit) && has_fraction()
}

/// How a number was stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stored {
    Exactly,
    /// It has more digits than the format.
    Rounded,
}

/// Appends a number, or an array of them, in a format that isn't text; `None` if the text isn't one or it is out of the
/// format's range.
pub(super) fn encode(format: Format, text: &[u8], to: &mut Vec<u8>) -> Option<Stored> {
    macro_rules! integer {
        ($type:ty) => {
            to.extend(<$type>::try_from(integer(text)?).ok()?.to_le_bytes())
        };
    }
    macro_rules! scaled {
        ($type:ty, $by:literal, $decimals:literal) => {{
            if let Some(whole) = decimal(text).and_then(|number| number.shifted($decimals)) {
                to.extend(<$type>::try_from(whole).ok()?.to_le_bytes());
                return Some(Stored::Exactly);
            }
            let scaled = float(text)? * $by;
            let whole = scaled.round();
            // An infinity or NaN is in no range.
            if !(f64::from(<$type>::MIN)..=f64::from(<$type>::MAX)).contains(&whole) {
                return None;
            }
            to.extend((whole as $type).to_le_bytes());
            // Some programs print one unit in the last place of a double.
            if (scaled - whole).abs() > 1e-3 {
                return Some(Stored::Rounded);
            }
        }};
    }
    match format {
        Format::I8 => integer!(i8),
        Format::U8 | Format::FlightMode => integer!(u8),
        Format::I16 => integer!(i16),
        Format::U16 => integer!(u16),
        Format::I32 => integer!(i32),
        Format::U32 => integer!(u32),
        Format::I64 => integer!(i64),
        Format::U64 => integer!(u64),
        Format::CentiI16 => scaled!(i16, 1e2, 2),
        Format::CentiU16 => scaled!(u16, 1e2, 2),
        Format::CentiI32 => scaled!(i32, 1e2, 2),
        Format::CentiU32 => scaled!(u32, 1e2, 2),
        Format::Coordinate => scaled!(i32, 1e7, 7),
        Format::F16 => {
            let value = float(text)? as f32;
            let half = f32_to_half(value);
            if value.is_finite() && half & 0x7C00 == 0x7C00 {
                return None;
            }
            to.extend(half.to_le_bytes());
        }
        Format::F32 => {
            // Parsed as it is, a number isn't rounded twice.
            let parsed = || str::from_utf8(text).ok()?.parse::<f32>().ok();
            let short = decimal(text).and_then(Decimal::to_f32);
            let value = short.or_else(parsed).or_else(|| float(text).map(|value| value as f32))?;
            if value.is_infinite() && float(text)?.is_finite() {
                return None;
            }
            to.extend(value.to_le_bytes());
        }
        Format::F64 => to.extend(float(text)?.to_le_bytes()),
        Format::I16x32 => {
            let samples = text.strip_prefix(b"[")?.strip_suffix(b"]")?;
            let is_between = |byte: &u8| *byte == b',' || byte.is_ascii_whitespace();
            let mut count = 0;
            for sample in samples.split(is_between).filter(|sample| !sample.is_empty()) {
                to.extend(i16::try_from(integer(sample)?).ok()?.to_le_bytes());
                count += 1;
            }
            return (count == 32).then_some(Stored::Exactly);
        }
        Format::Chars4 | Format::Chars16 | Format::Chars64 => return None,
    }
    Some(Stored::Exactly)
}

/// An integer.
pub(super) fn integer(text: &[u8]) -> Option<i128> {
    let usual = decimal(text).and_then(|number| number.shifted(0));
    usual.map(i128::from).or_else(|| unusual_integer(text))
}

/// An integer with a plus, with more than 18 digits, or as spreadsheets write it: `12.0`, `1E+09`.
#[cold]
fn unusual_integer(text: &[u8]) -> Option<i128> {
    let text = str::from_utf8(text).ok()?;
    // Beyond this, a double isn't exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    text.parse::<i128>().ok().or_else(|| {
        let value = text.parse::<f64>().ok()?;
        (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i128)
    })
}

/// A number without an exponent: `digits` divided by a power of ten.
#[derive(Clone, Copy)]
struct Decimal {
    is_negative: bool,
    digits: u64,
    decimals: usize,
}

/// A number of at most 18 digits without an exponent; `None` for others.
fn decimal(text: &[u8]) -> Option<Decimal> {
    Decimal::at_start(text).filter(|(_, length)| *length == text.len()).map(|(number, _)| number)
}

impl Decimal {
    /// The number of at most 18 digits that a text begins with, and its length; `None` if it begins with none.
    fn at_start(text: &[u8]) -> Option<(Self, usize)> {
        let unsigned = text.strip_prefix(b"-").unwrap_or(text);
        let (mut digits, mut length, mut point) = (0_u64, 0, None);
        for byte in unsigned {
            match byte {
                b'0'..=b'9' => digits = digits.wrapping_mul(10).wrapping_add(u64::from(byte - b'0')),
                b'.' if point.is_none() => point = Some(length),
                _ => break,
            }
            length += 1;
        }
        let (decimals, count) = point.map_or((0, length), |point| (length - point - 1, length - 1));
        let is_negative = unsigned.len() < text.len();
        let number = Decimal { is_negative, digits, decimals };
        (1..=18).contains(&count).then_some((number, length + usize::from(is_negative)))
    }

    /// The integer that it is with the point this number of places to the right; `None` if it isn't one or is large.
    fn shifted(self, places: usize) -> Option<i64> {
        const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
        let shifted = self.digits.checked_mul(*POWERS.get(places.checked_sub(self.decimals)?)?)?;
        let shifted = i64::try_from(shifted).ok()?;
        Some(if self.is_negative { -shifted } else { shifted })
    }

    /// The nearest number; `None` if more than a division is needed to find it: both of its operands have to be exact.
    fn to_f64(self) -> Option<f64> {
        const POWERS: [f64; 16] =
            [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
        let power = POWERS.get(self.decimals).filter(|_| self.digits < 1 << 53)?;
        let value = self.digits as f64 / power;
        Some(if self.is_negative { -value } else { value })
    }

    /// As [`to_f64`](Self::to_f64). The nearest double is on the same side of the middle of two floats as the number,
    /// unless it is that middle itself. With 15 decimals at most, a number isn't so small that a float has fewer bits.
    fn to_f32(self) -> Option<f32> {
        const LOST: u64 = (1 << 29) - 1;
        const MIDDLE: u64 = 1 << 28;
        let value = self.to_f64()?;
        let is_middle = value.to_bits() & LOST == MIDDLE;
        (!is_middle).then_some(value as f32)
    }
}

fn float(text: &[u8]) -> Option<f64> {
    if let Some(short) = decimal(text).and_then(Decimal::to_f64) {
        return Some(short);
    }
    let text = str::from_utf8(text).ok()?;
    text.parse::<f64>().ok().or_else(|| unusual_float(text))
}

/// A number with a decimal comma, or an infinity or NaN as .NET and Windows print them.
#[cold]
fn unusual_float(text: &str) -> Option<f64> {
    let (sign, unsigned) = text.strip_prefix('-').map_or((1.0, text), |unsigned| (-1.0, unsigned));
    if unsigned == "∞" || unsigned.starts_with("1.#INF") {
        return Some(sign * f64::INFINITY);
    }
    if ["1.#QNAN", "1.#IND", "1.#SNAN"].iter().any(|nan| unsigned.starts_with(nan)) {
        return Some(f64::NAN);
    }
    text.replacen(',', ".", 1).parse().ok()
}

/// The nearest half-precision float (IEEE 754 binary16); of two that are equally near, the even one.
fn f32_to_half(value: f32) -> u16 {
    let sign = (value.to_bits() >> 16 & 0x8000) as u16;
    let magnitude = value.abs();
    if value.is_nan() {
        return sign | 0x7E00;
    }
    // The unit in the last place; below 2^-14, that of subnormal numbers.
    let exponent = ((magnitude.to_bits() >> 23) as i32 - 127).max(-14);
    if exponent > 15 {
        return sign | 0x7C00;
    }
    let units = (f64::from(magnitude) * f64::from(10 - exponent).exp2()).round_ties_even() as u16;
    // A carry reaches the exponent; subnormal numbers have the exponent 0 and no leading bit.
    sign | (((exponent + 14) as u16) << 10).wrapping_add(units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::value::half_to_f32;

    fn encoded(format: Format, text: &str) -> Option<(Vec<u8>, Stored)> {
        let mut bytes = Vec::new();
        encode(format, text.as_bytes(), &mut bytes).map(|stored| (bytes, stored))
    }

    #[test]
    fn all_halves_survive_text() {
        for half in 0..=u16::MAX {
            let value = half_to_f32(half);
            if value.is_finite() {
                assert_eq!(f32_to_half(value), half, "{value}");
                let text = value.to_string();
                assert_eq!(encoded(Format::F16, &text), Some((half.to_le_bytes().to_vec(), Stored::Exactly)), "{text}");
            }
        }
        assert_eq!(encoded(Format::F16, "65504").map(|(bytes, _)| bytes), Some(0x7BFF_u16.to_le_bytes().to_vec()));
        assert_eq!(encoded(Format::F16, "65520"), None);
        assert!(encoded(Format::F16, "inf").is_some());
    }

    #[test]
    fn numbers_at_the_ends_of_each_format_are_read_and_none_beyond() {
        for (format, least, most, below, beyond) in [
            (Format::I8, "-128", "127", "-129", "128"),
            (Format::U8, "0", "255", "-1", "256"),
            (Format::I16, "-32768", "32767", "-32769", "32768"),
            (Format::U16, "0", "65535", "-1", "65536"),
            (Format::I32, "-2147483648", "2147483647", "-2147483649", "2147483648"),
            (Format::U32, "0", "4294967295", "-1", "4294967296"),
            (Format::I64, "-9223372036854775808", "9223372036854775807", "-9223372036854775809", "9223372036854775808"),
            (Format::U64, "0", "18446744073709551615", "-1", "18446744073709551616"),
            (Format::CentiI16, "-327.68", "327.67", "-327.69", "327.68"),
            (Format::CentiU16, "0.00", "655.35", "-0.01", "655.36"),
            (Format::CentiI32, "-21474836.48", "21474836.47", "-21474836.49", "21474836.48"),
            (Format::CentiU32, "0.00", "42949672.95", "-0.01", "42949672.96"),
            (Format::Coordinate, "-214.7483648", "214.7483647", "-214.7483649", "214.7483648"),
            (Format::F32, "-3.4028235e38", "3.4028235e38", "-3.5e38", "3.5e38"),
        ] {
            for text in [least, most] {
                assert!(matches!(encoded(format, text), Some((_, Stored::Exactly))), "{format}: {text}");
            }
            for text in [below, beyond, "", "x", "1x", "1 2"] {
                assert_eq!(encoded(format, text), None, "{format}: {text}");
            }
        }
    }

    #[test]
    fn floats_are_those_that_rust_reads() {
        // Any digits, with the point anywhere.
        let mut digits = 1_u64;
        for i in 0..20_000_u32 {
            digits = digits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut text = (digits >> (i % 60)).to_string();
            text.insert(i as usize % (text.len() + 1), '.');
            if i % 3 == 0 {
                text.insert(0, '-');
            }
            let bits = |format| encoded(format, &text).map(|(bytes, _)| bytes);
            assert_eq!(bits(Format::F64), text.parse().ok().map(|value: f64| value.to_le_bytes().to_vec()), "{text}");
            assert_eq!(bits(Format::F32), text.parse().ok().map(|value: f32| value.to_le_bytes().to_vec()), "{text}");
            assert_usual(&text);
        }
        // In the middle of two floats, and beside it.
        for text in
            ["16777217", "16777219", "16777217.0000001", "33554434.0000001", "8388608.5", "-0", "0.000000000000001"]
        {
            let value: f32 = text.parse().expect(text);
            assert_eq!(
                encoded(Format::F32, text).map(|(bytes, _)| bytes),
                Some(value.to_le_bytes().to_vec()),
                "{text}"
            );
            assert_usual(text);
        }
    }

    /// Checks that a number in a line is what it is alone, or is left to that way.
    fn assert_usual(text: &str) {
        for format in
            [Format::U8, Format::I16, Format::CentiI32, Format::Coordinate, Format::U64, Format::F32, Format::F64]
        {
            for (line, after) in [(format!(" {text}, 7"), Some(" 7")), (text.to_owned(), None)] {
                let mut bytes = Vec::new();
                let Some(rest) = encode_usual(format, line.as_bytes(), true, &mut bytes) else {
                    assert!(bytes.is_empty(), "{format}: {text}");
                    continue;
                };
                assert_eq!(rest, after.map(str::as_bytes));
                assert_eq!(Some((bytes, Stored::Exactly)), encoded(format, text), "{format}: {text}");
            }
        }
    }

    #[test]
    fn usual_numbers_are_read_where_they_stand() {
        let read = |format, text: &'static str, is_spaced| {
            let mut bytes = Vec::new();
            let rest = encode_usual(format, text.as_bytes(), is_spaced, &mut bytes);
            rest.map(|rest| (bytes, rest.map(|rest| str::from_utf8(rest).expect("ASCII"))))
        };
        for (format, text, bytes, rest) in [
            (Format::U8, " 7, 8, 9", &7_u8.to_le_bytes()[..], Some(" 8, 9")),
            (Format::I16, "-0", &0_i16.to_le_bytes(), None),
            (Format::CentiI16, " -1.07,3", &(-107_i16).to_le_bytes(), Some("3")),
            (Format::Coordinate, "  149.1653055,", &1_491_653_055_i32.to_le_bytes(), Some("")),
            (Format::U64, "123456789012345678", &123_456_789_012_345_678_u64.to_le_bytes(), None),
            (Format::F32, " .5, 1", &0.5_f32.to_le_bytes(), Some(" 1")),
            (Format::F64, " 1., 1", &1_f64.to_le_bytes(), Some(" 1")),
            (Format::F64, " -0, 1", &(-0_f64).to_le_bytes(), Some(" 1")),
        ] {
            // What follows a comma without a space may be the rest of a number with a decimal comma.
            for is_spaced in [false, !text.contains(",3")] {
                assert_eq!(read(format, text, is_spaced), Some((bytes.to_vec(), rest)), "{format}: {text}");
            }
        }
        for (format, text) in [
            (Format::U8, "256"),
            (Format::U8, "1.5"),
            (Format::I16, "1 , 2"),
            (Format::I16, "\t1"),
            (Format::U64, "1234567890123456789"),
            (Format::CentiI16, "1.005"),
            (Format::F32, "16777217"),
            (Format::F32, "1e5"),
            (Format::F64, "."),
            (Format::F64, "-"),
            (Format::F64, ""),
            (Format::F64, "1.2.3"),
            (Format::F64, "+1"),
            (Format::F64, "nan"),
            (Format::F16, "1"),
        ] {
            assert_eq!(read(format, text, false), None, "{format}: {text}");
        }
        assert_eq!(read(Format::F32, " 1,5, 2", true), None);
        assert_eq!(read(Format::I16, " 1,5, 2", true), Some((vec![1, 0], Some("5, 2"))));
    }

    #[test]
    fn each_spelling_of_a_number_is_read() {
        for (text, value) in [
            ("1.5", 1.5),
            ("+1.5", 1.5),
            ("-1,5", -1.5),
            ("3.118068E-05", 3.118068E-05),
            ("NaN", f64::NAN),
            ("nan", f64::NAN),
            ("-nan", f64::NAN),
            ("-1.#IND", f64::NAN),
            ("1.#QNAN0", f64::NAN),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("∞", f64::INFINITY),
            ("-1.#INF00", f64::NEG_INFINITY),
        ] {
            let read =
                encoded(Format::F64, text).and_then(|(bytes, _)| Some(f64::from_le_bytes(*bytes.first_chunk()?)));
            let read = read.expect(text);
            assert!(read == value || (read.is_nan() && value.is_nan()), "{text}: {read}");
        }
        for (text, value) in [("12.0", 12), ("+7", 7), ("1E+02", 100), ("-0", 0)] {
            assert_eq!(encoded(Format::I16, text).map(|(bytes, _)| bytes), Some(vec![value, 0]), "{text}");
        }
        // The last digits of a double aren't those of the log.
        let exact = |value: i32| Some((value.to_le_bytes().to_vec(), Stored::Exactly));
        assert_eq!(encoded(Format::Coordinate, "14.110576000000001"), exact(141_105_760));
        assert_eq!(encoded(Format::CentiI32, "0.289999999999"), exact(29));
        assert_eq!(encoded(Format::CentiI16, "0.125").map(|(_, stored)| stored), Some(Stored::Rounded));
        let samples: Vec<String> = (0..32).map(|i| (i - 16).to_string()).collect();
        for between in [" ", ", ", ","] {
            let text = format!("[{}]", samples.join(between));
            assert_eq!(encoded(Format::I16x32, &text).map(|(bytes, _)| bytes[..2].to_vec()), Some(vec![0xF0, 0xFF]));
        }
        assert_eq!(encoded(Format::I16x32, "[1 2 3]"), None);
    }
}
