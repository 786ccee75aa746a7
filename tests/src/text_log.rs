//! Logs as text, as Mission Planner converts them. The program's benchmark has this file as a module, too.

#![allow(unreachable_pub, reason = "it is public in binlog-tests")]

use binlog::{Format, Records, Value};
use std::io::Write;

/// The records of a log, one a line.
pub fn as_text(log: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for record in Records::new(log).flatten() {
        text.extend(record.name().as_bytes());
        for (column, value) in record.values() {
            text.extend(b", ");
            put(&mut text, column.format, value);
        }
        text.truncate(text.trim_ascii_end().len());
        text.extend(b"\r\n");
    }
    text
}

fn put(text: &mut Vec<u8>, format: Format, value: Value<'_>) {
    let written = match value {
        Value::Hundredths(number) => write!(text, "{:.2}", number as f64 / 100.0),
        Value::Float(number) if number.is_infinite() => write!(text, "{number:?}inity"),
        Value::Float(number) if format == Format::F32 => write!(text, "{:?}", number as f32),
        Value::Float(number) => write!(text, "{number:?}"),
        Value::Samples(samples) => write!(text, "[{}]", samples.map(|sample| sample.to_string()).join(" ")),
        Value::Text(chars) => text.write_all(chars.as_bytes()),
        number => write!(text, "{number}"),
    };
    written.expect("memory takes all");
}
