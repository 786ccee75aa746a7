//! What the commands that write a log of the format that they read have in common.

use crate::context::Context;
use crate::outcome::Failure;
use crate::output::is_stdout;
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
