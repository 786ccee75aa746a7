//! What the commands that write a log of the format that they read have in common.

use crate::context::Context;
use crate::counted::counted;
use crate::input::Input;
use crate::outcome::{CommandResult, Failure, warn};
use crate::output::is_stdout;
use binlog::blackbox::BlackboxLog;
use binlog::{AnyLog, Log};
use std::io::{self, IsTerminal};
use std::path::Path;

/// Checks that the output can be a log.
pub(super) fn check_destination(output: &Path, context: &Context) -> Result<(), Failure> {
    if !is_stdout(output) {
        return Ok(());
    }
    if context.json {
        return Err(Failure::new("the log and JSON can't both go to standard output; name a file, `-o FILE`"));
    }
    if io::stdout().is_terminal() {
        return Err(Failure::new("a log isn't written to a terminal; name a file, `-o FILE`"));
    }
    Ok(())
}

/// Writes a log of the same format from the log at a path. Both functions write it, and return how many bytes of the
/// log are lost. `copy` is what the warning about them calls the new log.
pub(super) fn write_same_format(
    log: &Path,
    output: &Path,
    context: &Context,
    copy: &str,
    ardupilot: impl FnOnce(&Input, &Log<'_>) -> Result<usize, Failure>,
    blackbox: impl FnOnce(&Input, &BlackboxLog<'_>) -> Result<usize, Failure>,
) -> CommandResult {
    check_destination(output, context)?;
    let input = Input::open_path(log)?;
    let lost_bytes = match &input.log {
        AnyLog::ArduPilot(log) => ardupilot(&input, log)?,
        AnyLog::Blackbox(log) => blackbox(&input, log)?,
    };
    if !context.json && lost_bytes > 0 {
        let lacking = counted(lost_bytes, "byte");
        warn(format_args!("{}: the log is damaged; the {copy} lacks {lacking}", input.name));
    }
    input.note_reported(lost_bytes > 0);
    Ok(input.warn_of_loss())
}
