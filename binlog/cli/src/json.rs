//! JSON lines, in UTF-8. What `--json` prints of a log is serialized by serde; records, of which there are millions,
//! are put together from the parts here. A number that isn't finite is null.

use crate::number;
use crate::outcome::Failure;
use serde::Serialize;
use std::io::Write;

/// Prints a value and ends the line.
///
/// # Errors
///
/// If the output can't be written.
pub fn line(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value).map_err(std::io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}

/// Appends a text in quotes.
pub fn string(out: &mut Vec<u8>, text: &str) {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else if let Ok(escaped) = serde_json::to_string(text) {
        out.extend_from_slice(escaped.as_bytes());
    }
}

/// Appends a number in one of the forms of [`number`], which takes finite numbers, or null.
#[inline]
pub fn float(out: &mut Vec<u8>, value: f64, finite: impl Fn(&mut Vec<u8>, f64)) {
    if value.is_finite() { finite(out, value) } else { out.extend_from_slice(b"null") }
}

/// Appends an array of integers.
pub fn integers(out: &mut Vec<u8>, values: &[i16]) {
    out.push(b'[');
    for (i, &value) in values.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b"" } else { b"," });
        number::integer(out, value);
    }
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_string_is_that_of_serde_json(text: String) {
            let mut out = Vec::new();
            string(&mut out, &text);
            prop_assert_eq!(out, serde_json::to_vec(&text).expect("a string"));
        }
    }

    #[test]
    fn numbers_that_json_lacks_are_null() {
        let mut out = Vec::new();
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-5] {
            float(&mut out, value, number::python);
            out.push(b' ');
        }
        integers(&mut out, &[]);
        integers(&mut out, &[1, -2]);
        assert_eq!(String::from_utf8_lossy(&out), "null null null 1e-05 [][1,-2]");
    }
}
