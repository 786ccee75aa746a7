//! Repairs Blackbox logs.

use super::{JsonRemoved, print_lines, refused};
use crate::context::Context;
use crate::counted::counted;
use crate::input::Input;
use crate::json;
use crate::outcome::{Failure, warn};
use crate::output::Output;
use binlog::blackbox::BlackboxLog;
use binlog::repair::{InsertedLine, Removal, Removed, RepairedBlackbox};
use serde::Serialize;

#[derive(Serialize)]
struct Json<'r> {
    log: &'r str,
    sessions: usize,
    frames: u64,
    is_copy: bool,
    removed: Vec<JsonRemoved>,
    lines: Vec<JsonLine<'r>>,
    /// Offsets of the I frames in front of which a Resume event was inserted.
    resumed: &'r [usize],
    /// Header lines that differ from those of the other log and stay.
    differing: &'r [String],
}

#[derive(Serialize)]
struct JsonLine<'r> {
    /// The offset of the session.
    offset: usize,
    name: &'r str,
    /// The value that was replaced.
    replaced: Option<&'r str>,
    is_from_other_log: bool,
}

/// Repairs a Blackbox log. Returns whether bytes other than padding were removed.
pub(super) fn repair(
    input: &Input,
    log: &BlackboxLog<'_>,
    other: Option<(&str, &BlackboxLog<'_>)>,
    mut out: Output,
    context: &Context,
) -> Result<bool, Failure> {
    let repaired = match other {
        Some((name, definitions)) => log.repair_with(definitions, &mut out).map_err(|error| refused(error, name))?,
        None => log.repair(&mut out)?,
    };
    if repaired.frames() == 0 {
        return Err(no_frame(other.map(|(name, _)| name)).context(&input.name));
    }
    out.finish()?;
    let lacks_header = |removed: &Removed| matches!(removed.reason, Removal::NoHeader | Removal::UnusableLine);
    let removed: usize = repaired.removed().iter().map(|removed| removed.length).sum();
    if context.json {
        let mut out = Output::stdout();
        json::line(&mut out, &report(&input.name, &repaired))?;
        out.finish()?;
    } else {
        // Standard output may be the log, so the report goes to standard error.
        print_lines(&repaired);
        let name = &input.name;
        if repaired.is_copy() {
            warn(format_args!("each byte of {name} is in a header, a frame or an event: the output is a copy"));
        } else {
            let (removed, frames) = (counted(removed, "byte"), counted(repaired.frames(), "frame"));
            warn(format_args!("{name}: {removed} removed; {frames} kept"));
        }
        if other.is_none() && repaired.removed().iter().any(lacks_header) {
            warn("header lines are damaged; `--definitions OTHER` takes them from a log of the same firmware");
        }
    }
    Ok(repaired.removed().iter().any(|removed| !removed.reason.is_padding()))
}

/// The failure of a repair that would write a log without frames.
fn no_frame(other: Option<&str>) -> Failure {
    match other {
        Some(name) => Failure::new(format_args!(
            "none of its frames can be read with the header of {name}; name a log of the same firmware"
        )),
        None => Failure::new(
            "it has no frame that can be read, so nothing is written; `--definitions OTHER` takes the header from a \
             log of the same firmware",
        ),
    }
}

fn report<'r>(log: &'r str, repaired: &'r RepairedBlackbox) -> Json<'r> {
    let removed = repaired.removed().iter().map(|removed| JsonRemoved {
        offset: removed.offset,
        bytes: removed.length,
        reason: removed.reason.to_string(),
    });
    let lines = repaired.lines().iter().map(|line| {
        let InsertedLine { offset, name, replaced, is_from_other_log } = line;
        JsonLine { offset: *offset, name, replaced: replaced.as_deref(), is_from_other_log: *is_from_other_log }
    });
    Json {
        log,
        sessions: repaired.sessions(),
        frames: repaired.frames(),
        is_copy: repaired.is_copy(),
        removed: removed.collect(),
        lines: lines.collect(),
        resumed: repaired.resumed(),
        differing: repaired.differing(),
    }
}
