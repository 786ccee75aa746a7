//! What the commands that write an ArduPilot log have in common.

use crate::context::Context;
use crate::input::Input;
use crate::outcome::Failure;
use crate::output::is_stdout;
use binlog::AnyLog;
use binlog::Log;
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

/// The log, which has to be ArduPilot's.
pub(super) fn ardupilot(input: &Input) -> Result<&Log<'static>, Failure> {
    match &input.log {
        AnyLog::ArduPilot(log) => Ok(log),
        AnyLog::Blackbox(_) => {
            let text = "it is a Blackbox log, and this works on ArduPilot logs; `binlog convert` makes one of it";
            Err(Failure::new(text).context(&input.name))
        }
    }
}
