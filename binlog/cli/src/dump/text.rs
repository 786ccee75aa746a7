//! Records as text: `2025-09-02 12:58:54.15: ATT {TimeUS : 140397562, Roll : 5.97}`.

use super::calendar::Calendar;
use super::plan::{Cell, Plan};
use crate::number;
use crate::one_line::on_one_line;
use binlog::{Format, Value};

/// Says what stands between the columns.
pub(super) fn prepare(plan: &mut Plan) {
    let mut between: Vec<Vec<u8>> = Vec::new();
    for (i, (label, _)) in plan.columns.iter().enumerate() {
        let before = if i == 0 { format!(": {} {{", plan.name) } else { ", ".to_owned() };
        between.push(format!("{before}{label} : ").into_bytes());
    }
    between.push(if plan.columns.is_empty() { format!(": {} {{}}\n", plan.name) } else { "}\n".into() }.into_bytes());
    plan.between = between;
}

/// Appends a record.
#[inline]
pub(super) fn record(out: &mut Vec<u8>, plan: &Plan, payload: &[u8], time: f64, calendar: &mut Calendar) {
    calendar.print(out, time);
    for (place, ((_, cell), before)) in plan.columns.iter().zip(&plan.between).enumerate() {
        out.extend_from_slice(before);
        match plan.value_name(place, payload) {
            Some(name) => out.extend_from_slice(on_one_line(&name).as_bytes()),
            None => value(out, cell, payload.get(cell.at..).unwrap_or_default()),
        }
    }
    if let Some(end) = plan.between.last() {
        out.extend_from_slice(end);
    }
}

#[inline]
fn value(out: &mut Vec<u8>, cell: &Cell, bytes: &[u8]) {
    let Some(value) = Value::of(cell.format, bytes) else { return };
    match value {
        Value::Signed(value) => number::integer(out, value),
        // pymavlink reads modes as i8.
        Value::Unsigned(value) if cell.format == Format::FlightMode => number::integer(out, value as u8 as i8),
        Value::Unsigned(value) => number::integer(out, value),
        Value::Hundredths(value) => number::decimal(out, value, 2),
        Value::Coordinate(value) => number::python_coordinate(out, value),
        Value::Float(value) if value.is_finite() => number::python(out, value),
        Value::Float(value) => not_finite(out, value, cell.format),
        Value::Text(text) if cell.is_raw => python_bytes(out, text.raw()),
        Value::Text(text) => out.extend_from_slice(decoded(text.raw()).as_bytes()),
        Value::Samples(samples) => {
            out.extend_from_slice(b"array('h', [");
            for (i, sample) in samples.into_iter().enumerate() {
                out.extend_from_slice(if i == 0 { b"" } else { b", " });
                number::integer(out, sample);
            }
            out.extend_from_slice(b"])");
        }
    }
}

/// Appends an infinity, or a NaN: `nan` for the usual one, `qnan` for all others.
#[cold]
fn not_finite(out: &mut Vec<u8>, value: f64, format: Format) {
    const USUAL: u64 = 0x7FF8_0000_0000_0000;
    out.extend_from_slice(match value {
        f64::INFINITY => b"inf",
        f64::NEG_INFINITY => b"-inf",
        // Python keeps no more than the sign of a half-precision NaN.
        nan if format == Format::F16 && nan.is_sign_positive() => b"nan",
        nan if nan.to_bits() == USUAL => b"nan",
        _ => b"qnan",
    });
}

/// The text up to the first NUL. As in pymavlink, bytes after it decide, too, whether it is UTF-8 or ISO-8859-1.
pub(super) fn decoded(raw: &[u8]) -> String {
    let end = raw.iter().position(|byte| *byte == 0).unwrap_or(raw.len());
    match str::from_utf8(raw) {
        Ok(text) => text[..end].to_owned(),
        Err(_) => raw[..end].iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// Appends bytes as Python prints them: `b'\x00abc'`.
fn python_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { b'"' } else { b'\'' };
    out.extend_from_slice(&[b'b', quote]);
    for &byte in bytes {
        match byte {
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            _ if byte == quote => out.extend_from_slice(&[b'\\', quote]),
            b' '..=b'~' => out.push(byte),
            _ => out.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
        }
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(format: Format, bytes: &[u8]) -> String {
        let mut out = Vec::new();
        value(&mut out, &Cell { format, at: 0, is_raw: false }, bytes);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn numbers_that_are_not_finite_have_pymavlinks_names() {
        for (value, name) in [
            (f32::NAN, "nan"),
            (-f32::NAN, "qnan"),
            (f32::from_bits(0x7FC0_0001), "qnan"),
            (f32::INFINITY, "inf"),
            (f32::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(printed(Format::F32, &value.to_le_bytes()), name, "{:x}", value.to_bits());
        }
        assert_eq!(printed(Format::F16, &[0x01, 0x7E]), "nan");
        assert_eq!(printed(Format::F16, &[0x01, 0xFE]), "qnan");
        assert_eq!(printed(Format::FlightMode, &[255]), "-1");
    }

    #[test]
    fn bytes_after_the_nul_decide_about_the_encoding() {
        assert_eq!(decoded("Über\0".as_bytes()), "Über");
        assert_eq!(decoded(b"\xC3\x9C\0\xFF"), "Ã\u{9c}");
        assert_eq!(decoded(b"abcd"), "abcd");
    }

    #[test]
    fn raw_bytes_are_as_python_prints_them() {
        for (bytes, text) in [
            (&b"a'b"[..], "b\"a'b\""),
            (b"a'b\"", "b'a\\'b\"'"),
            (b"\0\t\n\r\\~\x7f\xff", "b'\\x00\\t\\n\\r\\\\~\\x7f\\xff'"),
        ] {
            let mut out = Vec::new();
            python_bytes(&mut out, bytes);
            assert_eq!(String::from_utf8_lossy(&out), text);
        }
    }
}
