//! JSON lines: an [object](super::objects) for each record, in the order of the log:
//! `{"mavpackettype":"ATT","TimeUS":1500,"Roll":4.97,…}`. The key of the type is that of pymavlink's `to_dict`, which
//! no column of ArduPilot has; ISBH has one that is called `type`. A column of a damaged log that has it gets a `_` at
//! the end.

use super::choice::Choice;
use super::objects::{self, key};
use crate::any_log::Session;
use crate::intervals::Intervals;
use crate::line_buffer::LineBuffer;
use crate::{json, number};
use std::io::{self, Write};

/// Writes the chosen records of a session in the intervals. With `session_number`, each object has this number as its
/// session; `with_names`, values that have a name in the log are that. Returns the number of records.
///
/// # Errors
///
/// Errors of the writer.
pub fn write(
    out: &mut impl Write,
    session: &Session<'_>,
    session_number: Option<usize>,
    choice: &Choice,
    intervals: &Intervals,
    with_names: bool,
) -> io::Result<u64> {
    let mut lines = LineBuffer::new(out);
    let mut records = 0;
    let own = ["mavpackettype", "session"];
    let own = if session_number.is_some() { &own[..] } else { &own[..1] };
    objects::visit(session, choice, intervals, own, with_names, |object| {
        let line = lines.text();
        line.extend_from_slice(b"{\"mavpackettype\":");
        json::string(line, object.name);
        if let Some(session_number) = session_number {
            key(line, "session");
            number::integer(line, session_number);
        }
        line.extend_from_slice(object.members);
        line.extend_from_slice(b"}\n");
        records += 1;
        lines.write_if_full()?;
        Ok::<(), io::Error>(())
    })?;
    lines.finish()?;
    Ok(records)
}
