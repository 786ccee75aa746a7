//! Numbers as text, without formatting machinery.
//!
//! Both float forms have the shortest digits that read back as the same number. They differ in the notation:
//!
//! - [`python`] is `repr` of Python, with an exponent below 1e-4 and from 1e16 on, `1e-05`: what `dump` prints, because
//!   it equals `mavlogdump.py` to the byte.
//! - [`shortest`] is the form of `zmij`, `1e-6`: what `export` writes. An `f32` has the digits that tell it apart from
//!   other `f32`s: 0.1, where pymavlink, which widens it, has 0.10000000149011612.

/// Appends an integer.
#[inline]
pub fn integer(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// The most decimals of [`decimal`].
const MAX_DECIMALS: usize = 7;

/// Appends an integer divided by `10^decimals`, at most 7, as the shortest text of that number without an exponent: at
/// least one digit after the point.
///
/// A number of up to 15 digits is the shortest text of the nearest `f64`, so this is what dividing and formatting the
/// quotient yields, without a division.
#[inline]
pub fn decimal(out: &mut Vec<u8>, value: i64, decimals: u32) {
    let decimals = (decimals as usize).min(MAX_DECIMALS);
    if value < 0 {
        out.push(b'-');
    }
    // Divisions by a constant are multiplications.
    let magnitude = value.unsigned_abs();
    let (whole, mut rest) = match decimals {
        2 => (magnitude / 100, (magnitude % 100) as u32),
        7 => (magnitude / 10_000_000, (magnitude % 10_000_000) as u32),
        _ => {
            let scale = 10_u64.pow(decimals as u32);
            (magnitude / scale, (magnitude % scale) as u32)
        }
    };
    integer(out, whole);
    let mut text = [b'0'; 1 + MAX_DECIMALS];
    text[0] = b'.';
    // One zero stays.
    let mut length = 2;
    for place in (1..=decimals).rev() {
        let digit = (rest % 10) as u8;
        rest /= 10;
        text[place] = b'0' + digit;
        if digit != 0 {
            length = length.max(place + 1);
        }
    }
    out.extend_from_slice(&text[..length]);
}

/// Appends the shortest text that reads back as the same float of this width. Infinities are `inf`; nothing is appended
/// for NaN.
#[inline]
pub fn shortest<F: zmij::Float + Into<f64> + Copy>(out: &mut Vec<u8>, value: F) {
    let wide: f64 = value.into();
    if wide.is_finite() {
        out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
    } else if wide.is_infinite() {
        out.extend_from_slice(if wide > 0.0 { b"inf" } else { b"-inf" });
    }
}

/// Appends a finite float as `repr` of Python does.
#[inline]
pub fn python(out: &mut Vec<u8>, value: f64) {
    let mut buffer = zmij::Buffer::new();
    let digits = buffer.format_finite(value);
    let magnitude = value.abs();
    if (1e-4..1e16).contains(&magnitude) || value == 0.0 {
        out.extend_from_slice(digits.as_bytes());
    } else {
        with_exponent(out, digits);
    }
}

/// Appends a stored coordinate, which pymavlink divides by 1e7, as [`python`] of the quotient.
#[inline]
pub fn python_coordinate(out: &mut Vec<u8>, stored: i32) {
    // Below 1e-4, there is an exponent.
    if stored.unsigned_abs() < 1000 { python(out, f64::from(stored) / 1e7) } else { decimal(out, stored.into(), 7) }
}

/// Appends a number below 1e-4 or from 1e16 on, given in any form: `1.5e-05`, `1e+16`.
#[cold]
fn with_exponent(out: &mut Vec<u8>, number: &str) {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("-", number));
    let (mantissa, exponent) = number.split_once('e').unwrap_or((number, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let leading_zeros = digits.bytes().take_while(|digit| *digit == b'0').count();
    // The exponent of the first digit that isn't 0.
    let exponent = exponent + whole.len() as i32 - 1 - leading_zeros as i32;
    let significant = digits[leading_zeros..].trim_end_matches('0');
    let (first, rest) = significant.split_at(significant.len().min(1));
    let point = if rest.is_empty() { "" } else { "." };
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    out.extend_from_slice(format!("{sign}{first}{point}{rest}e{exponent_sign}{:02}", exponent.abs()).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).expect("ASCII")
    }

    proptest! {
        /// What Rust prints of the quotient, except that Rust writes small numbers with an exponent.
        #[test]
        fn a_decimal_is_the_shortest_text_of_the_quotient(
            value in i64::from(i32::MIN)..=u32::MAX.into(),
            decimals in 1..=7_u32,
        ) {
            let quotient = value as f64 / 10_f64.powi(decimals as i32);
            let ours = text(|out| decimal(out, value, decimals));
            prop_assert_eq!(ours.parse::<f64>().expect("a number").to_bits(), quotient.to_bits());
            let printed = format!("{quotient:?}");
            prop_assert!(ours == printed || printed.contains('e'), "{} {}", ours, printed);
        }

        #[test]
        fn every_digit_of_a_decimal_is_that_of_the_integer(value: i64, decimals in 1..=7_u32) {
            let ours = text(|out| decimal(out, value, decimals));
            let (whole, fraction) = ours.split_once('.').expect("a point");
            prop_assert!(fraction.len() == 1 || !fraction.ends_with('0'), "{}", ours);
            let digits = format!("{whole}{fraction:0<width$}", width = decimals as usize);
            prop_assert_eq!(digits.parse::<i128>().expect("digits"), i128::from(value));
        }

        #[test]
        fn a_float_reads_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            for printed in [text(|out| python(out, value)), text(|out| shortest(out, value))] {
                prop_assert_eq!(printed.parse::<f64>().map(f64::to_bits), Ok(bits), "{}", printed);
            }
        }

        #[test]
        fn pythons_hundredths_are_decimals(stored in i64::from(i32::MIN)..=u32::MAX.into()) {
            prop_assert_eq!(text(|out| decimal(out, stored, 2)), text(|out| python(out, stored as f64 / 100.0)));
        }

        #[test]
        fn pythons_coordinates_are_the_float(stored: i32, small in -5000..5000) {
            for stored in [stored, small] {
                let float = text(|out| python(out, f64::from(stored) / 1e7));
                prop_assert_eq!(text(|out| python_coordinate(out, stored)), float);
            }
        }
    }

    #[test]
    fn extremes() {
        assert_eq!(text(|out| decimal(out, 0, 2)), "0.0");
        assert_eq!(text(|out| decimal(out, -5, 2)), "-0.05");
        assert_eq!(text(|out| decimal(out, i32::MIN.into(), 7)), "-214.7483648");
        assert_eq!(text(|out| decimal(out, 1, 7)), "0.0000001");
        assert_eq!(text(|out| decimal(out, i64::MIN, 6)), "-9223372036854.775808");
        assert_eq!(text(|out| shortest(out, f32::NAN)), "");
        assert_eq!(text(|out| shortest(out, f64::NEG_INFINITY)), "-inf");
        assert_eq!(text(|out| shortest(out, 0.1_f32)), "0.1");
    }

    #[test]
    fn floats_are_as_python_prints_them() {
        for (value, printed) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (50.0, "50.0"),
            (0.1_f32.into(), "0.10000000149011612"),
            (1e15, "1000000000000000.0"),
            (9999999999999998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1.5e16, "1.5e+16"),
            (-1.234e100, "-1.234e+100"),
            (0.0001, "0.0001"),
            (0.00012345, "0.00012345"),
            (0.00001, "1e-05"),
            (0.000012345, "1.2345e-05"),
            (-9.999e-5, "-9.999e-05"),
            (5e-324, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (f32::MIN_POSITIVE.into(), "1.1754943508222875e-38"),
        ] {
            assert_eq!(text(|out| python(out, value)), printed);
        }
    }
}
