//! Records as JSON lines: `{"meta":{"type":"ATT","timestamp":1756817934.15},"data":{"TimeUS":140397562,"Roll":5.97}}`.
//!
//! The values are those that pymavlink reads, which [the export's](crate::export::objects) aren't everywhere: modes are
//! signed, the bytes after a text's NUL decide about its encoding, raw data is text with escapes, and floats have
//! Python's form.

use super::plan::{Cell, Plan};
use super::text::decoded;
use crate::texts::Part;
use crate::{json, number};
use binlog::{Format, Value};

/// Says what stands between the columns.
pub(super) fn prepare(plan: &mut Plan, log: Option<&str>) {
    let mut first = Vec::new();
    begin(&mut first, log);
    json::string(&mut first, &plan.name);
    first.extend_from_slice(b",\"timestamp\":");
    let mut between = vec![first];
    // An object has each name once.
    let mut seen = std::collections::HashSet::new();
    plan.columns.retain(|(label, _)| seen.insert(label.clone()));
    for (i, (label, _)) in plan.columns.iter().enumerate() {
        let mut before = if i == 0 { b"},\"data\":{".to_vec() } else { b",".to_vec() };
        json::string(&mut before, label);
        before.push(b':');
        between.push(before);
    }
    between.push(if plan.columns.is_empty() { b"},\"data\":{}}\n".to_vec() } else { b"}}\n".to_vec() });
    plan.between = between;
}

/// Appends the beginning of an object, up to its type. One of several logs has its name in it.
pub(super) fn begin(out: &mut Vec<u8>, log: Option<&str>) {
    out.push(b'{');
    if let Some(log) = log {
        out.extend_from_slice(b"\"log\":");
        json::string(out, log);
        out.push(b',');
    }
    out.extend_from_slice(b"\"meta\":{\"type\":");
}

/// Appends a record, or what stands in its place.
#[inline]
pub(super) fn record(out: &mut Vec<u8>, plan: &Plan, payload: &[u8], time: f64, part: Part<'_>) {
    if part == Part::Nothing {
        return;
    }
    let Some((first, between)) = plan.between.split_first() else { return };
    out.extend_from_slice(first);
    json::float(out, time, number::python);
    for (place, ((label, cell), before)) in plan.columns.iter().zip(between).enumerate() {
        out.extend_from_slice(before);
        match plan.value_name(place, payload) {
            Some(name) => json::string(out, &name),
            None if label == "Message" && part.text().is_some() => json::string(out, part.text().unwrap_or_default()),
            None => value(out, cell, payload.get(cell.at..).unwrap_or_default()),
        }
    }
    if let Some(end) = between.last() {
        out.extend_from_slice(end);
    }
}

#[inline]
fn value(out: &mut Vec<u8>, cell: &Cell, bytes: &[u8]) {
    let Some(value) = Value::of(cell.format, bytes) else { return out.extend_from_slice(b"null") };
    match value {
        Value::Signed(value) => number::integer(out, value),
        // pymavlink reads modes as i8.
        Value::Unsigned(value) if cell.format == Format::FlightMode => number::integer(out, value as u8 as i8),
        Value::Unsigned(value) => number::integer(out, value),
        Value::Hundredths(value) => number::decimal(out, value, 2),
        Value::Coordinate(value) => number::python_coordinate(out, value),
        Value::Float(value) => json::float(out, value, number::python),
        Value::Text(text) if cell.is_raw => json::string(out, &with_escapes(text.raw())),
        Value::Text(text) => json::string(out, &decoded(text.raw())),
        Value::Samples(samples) => json::integers(out, &samples),
    }
}

/// Bytes as text: what isn't UTF-8 as `\xff`. That is Python's error handler `backslashreplace`.
fn with_escapes(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}
