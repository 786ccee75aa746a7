//! `binlog diff`: how the definitions of two logs differ.

use crate::context::{self, Context};
use crate::definitions;
use crate::input::require_stdin_once;
use crate::json;
use crate::one_line::on_one_line;
use crate::outcome::{CommandResult, Outcome, warn};
use crate::output::Output;
use binlog::compatibility::{Change, Level};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Compares the definitions of two logs; exits with 1 if a change breaks programs that read the older one.
///
/// Names of values and bits are compared if both logs carry them.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The older log, or the JSON of its definitions (`binlog schema --json`); `-` is standard input.
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The newer log, or the JSON of its definitions; `-` is standard input.
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// Which programs must keep working: those that read columns by name (names), those that read records into structs
    /// (typed), or those that read bytes at fixed places (layout).
    #[arg(long, value_name = "LEVEL", default_value = "names", value_parser = context::level())]
    level: Level,
}

/// A change of a format, as `--json` prints it.
#[derive(Serialize)]
pub(super) struct ChangeRow {
    message: String,
    column: Option<String>,
    rule: &'static str,
    before: Option<String>,
    after: Option<String>,
    breaks: Option<&'static str>,
    text: String,
}

impl ChangeRow {
    pub(super) fn of(change: &Change) -> Self {
        ChangeRow {
            message: change.message.clone(),
            column: change.column.clone(),
            rule: change.kind.name(),
            before: change.before.clone(),
            after: change.after.clone(),
            breaks: change.breaks.level().map(Level::name),
            text: change.to_string(),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    require_stdin_once([arguments.old.as_path(), &arguments.new])?;
    let (old, new) = (definitions::read(&arguments.old)?, definitions::read(&arguments.new)?);
    let difference = old.schema.difference(&new.schema);
    let mut out = Output::stdout();
    if context.json {
        for change in difference.changes() {
            json::line(&mut out, &ChangeRow::of(change))?;
        }
    } else {
        write!(out, "{difference}")?;
    }
    out.finish()?;
    if !difference.named_in_one().is_empty() {
        let columns = on_one_line(&difference.named_in_one().join(", "));
        warn(format_args!("names of values and bits that only one of the logs has aren't compared: {columns}"));
    }
    let outcome = if difference.breaks(arguments.level) { Outcome::Finding } else { Outcome::Fine };
    Ok(outcome.max(old.outcome).max(new.outcome))
}
