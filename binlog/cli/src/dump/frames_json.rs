//! The frames and events of a Blackbox session as JSON lines, in the shape of records:
//! `{"meta":{"type":"main","timestamp":36.1},"data":{"loopIteration":0,"time":36100000}}`.

use super::frames::DumpedFrames;
use crate::export::described;
use crate::intervals::Intervals;
use crate::line_buffer::LineBuffer;
use crate::patterns::Patterns;
use crate::{json, number};
use binlog::blackbox::log::table_name;
use binlog::blackbox::log::{Item, Session};
use std::io::{self, Write};

/// The name of events in `--types` and in the JSON.
pub const EVENTS: &str = "events";

/// Prints the frames of the chosen kinds, `main`, `slow`, `gps`, `home` and `events`, that are in the chosen times.
/// Values are as logged; the timestamp is in seconds of the session's clock. With `log`, each object has this name.
///
/// # Errors
///
/// If the output can't be written.
pub fn frames_json(
    session: &Session<'_>,
    log: Option<&str>,
    intervals: &Intervals,
    types: &Patterns,
    out: &mut impl Write,
) -> io::Result<DumpedFrames> {
    let mut lines = LineBuffer::new(out);
    let mut dumped = DumpedFrames::default();
    let mut items = session.frames();
    while let Some(item) = items.next() {
        match item {
            Item::Lost(stretch) => dumped.lose(&stretch),
            Item::Event { time_us, event, .. } if intervals.contains(time_us) && types.contains(EVENTS) => {
                let line = lines.text();
                begin(line, log, EVENTS, time_us);
                let (name, detail) = described(&event);
                for (label, text) in [(&b"\"Event\":"[..], name), (b",\"Detail\":", &detail)] {
                    line.extend_from_slice(label);
                    json::string(line, text);
                }
                line.extend_from_slice(b"}}\n");
                dumped.frames += 1;
            }
            Item::Frame(frame) if intervals.contains(frame.time_us()) => {
                let letter = if frame.letter() == b'P' { b'I' } else { frame.letter() };
                let table = table_name(letter);
                if !types.contains(&table) {
                    continue;
                }
                let line = lines.text();
                begin(line, log, &table, frame.time_us());
                for (i, (field, &bits)) in frame.fields().iter().zip(frame.values()).enumerate() {
                    line.extend_from_slice(if i == 0 { b"" } else { b"," });
                    json::string(line, field.name());
                    line.push(b':');
                    number::integer(line, field.value(bits));
                }
                line.extend_from_slice(b"}}\n");
                dumped.frames += 1;
            }
            _ => {}
        }
        lines.write_if_full()?;
    }
    lines.finish()?;
    Ok(dumped)
}

fn begin(line: &mut Vec<u8>, log: Option<&str>, table: &str, time_us: u64) {
    super::json::begin(line, log);
    json::string(line, table);
    line.extend_from_slice(b",\"timestamp\":");
    json::float(line, time_us as f64 / 1e6, number::python);
    line.extend_from_slice(b"},\"data\":{");
}
