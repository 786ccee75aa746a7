//! The main frames of a Blackbox session as CSV, as `blackbox_decode` writes it: a header line, `, ` between values,
//! and the fields of the last slow frame after those of the main frame.
//!
//! Values are as logged. The column heads are those of its options `--unit-vbat raw`, `--unit-amperage raw` and
//! `--unit-flags raw`: `time (us)`, `BaroAlt (cm)`, and names without a unit. Values aren't padded to three characters,
//! and times continue beyond 32 bits. Columns that it computes are left out (`blackbox_decode.c` and `parser.c` of
//! Betaflight's blackbox-tools):
//!
//! - `vbatLatest (V)`, `amperageLatest (A)`: it divides by 10 and by 100, although Betaflight 4 logs hundredths of a
//!   volt. `export` has both in their units, by the header.
//! - `energyCumulative (mAh)`: the integral of `amperageLatest`, which it takes for the reading of a 12-bit converter,
//!   as only old firmware logs it. With later firmware the column is wrong.
//! - `roll`, `pitch`, `heading` (`--simulate-imu`), `currentVirtual` and `energyCumulativeVirtual`
//!   (`--simulate-current-meter`): estimates, which no field of the log has.
//! - the GPS fields (`--merge-gps`): `dump --json --types gps` has them, and `export --wide main` beside the main
//!   frames.

use crate::intervals::Intervals;
use crate::line_buffer::LineBuffer;
use crate::number;
use binlog::blackbox::FrameKind;
use binlog::blackbox::log::{Item, Lost, Session};
use std::io::{self, Write};

/// The header line of a session's CSV; `None` without main frames.
fn header(session: &Session<'_>) -> Option<String> {
    let header = session.header();
    let main = header.fields(b'I').iter().map(|field| match field.name() {
        "time" => "time (us)",
        "BaroAlt" => "BaroAlt (cm)",
        name => name,
    });
    let fields: Vec<&str> = main.chain(header.fields(b'S').iter().map(|field| field.name())).collect();
    (!header.fields(b'I').is_empty()).then(|| fields.join(", "))
}

/// What was printed of a session.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DumpedFrames {
    /// Frames and events that were printed.
    pub frames: u64,
    /// Bytes of the session that yield no frame.
    pub lost_bytes: usize,
    /// Bytes of frames of another session.
    pub foreign_bytes: usize,
}

impl DumpedFrames {
    pub(super) fn lose(&mut self, stretch: &Lost) {
        *(if stretch.reason.is_other_session() { &mut self.foreign_bytes } else { &mut self.lost_bytes }) +=
            stretch.length;
    }
}

/// Prints the main frames that are in the chosen times. The header line is left out if `last_header` is the same: the
/// CSV of two sessions with the same fields is one.
///
/// # Errors
///
/// If the output can't be written.
pub fn frames(
    session: &Session<'_>,
    intervals: &Intervals,
    last_header: &mut Option<String>,
    out: &mut impl Write,
) -> io::Result<DumpedFrames> {
    let mut lines = LineBuffer::new(out);
    if let Some(header) = header(session)
        && last_header.as_ref() != Some(&header)
    {
        lines.text().extend_from_slice(header.as_bytes());
        lines.text().push(b'\n');
        *last_header = Some(header);
    }
    let fields = session.header();
    let time_field = fields.fields(b'I').iter().position(|field| field.name() == "time");
    let mut slow = slow_values(&vec![0; fields.fields(b'S').len()], i64::from);
    let mut dumped = DumpedFrames::default();
    let mut items = session.frames();
    while let Some(item) = items.next() {
        let frame = match item {
            Item::Frame(frame) => frame,
            Item::Lost(stretch) => {
                dumped.lose(&stretch);
                continue;
            }
            Item::Event { .. } => continue,
        };
        match frame.kind() {
            Some(FrameKind::Slow) => {
                let mut field = frame.fields().iter();
                slow = slow_values(frame.values(), |bits| field.next().map_or(0, |field| field.value(bits)));
            }
            Some(FrameKind::Intra | FrameKind::Inter) if intervals.contains(frame.time_us()) => {
                let line = lines.text();
                for (i, (field, &bits)) in frame.fields().iter().zip(frame.values()).enumerate() {
                    line.extend_from_slice(if i == 0 { b"" } else { b", " });
                    match time_field == Some(i) {
                        true => number::integer(line, frame.time_us()),
                        false => number::integer(line, field.value(bits)),
                    }
                }
                line.extend_from_slice(&slow);
                line.push(b'\n');
                dumped.frames += 1;
                lines.write_if_full()?;
            }
            _ => {}
        }
    }
    lines.finish()?;
    Ok(dumped)
}

/// The values of a slow frame, as they stand at the end of each line.
fn slow_values(values: &[u32], mut value: impl FnMut(u32) -> i64) -> Vec<u8> {
    let mut line = Vec::new();
    for &bits in values {
        line.extend_from_slice(b", ");
        number::integer(&mut line, value(bits));
    }
    line
}
