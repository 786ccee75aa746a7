//! `binlog lock`: logs against the lock of a schema.

use super::diff::ChangeRow;
use crate::arguments::{self, Context};
use crate::definitions;
use crate::input::{Source, is_log, require_stdin_once};
use crate::json;
use crate::outcome::{CommandResult, Failure, Outcome};
use crate::output::Output;
use crate::style::Style;
use binlog::compatibility::Level;
use binlog::lock::{Check, Lock};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Compares the definitions of logs with a lock, the file that has the format of every release; exits with 1 if a log
/// breaks what was released.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The lock: flightlog.lock; `-` is standard input. `binlog::lock::assert` in a test of the firmware makes it.
    #[arg(value_name = "LOCK")]
    lock: PathBuf,

    /// Logs of today's firmware, or the JSON of their definitions; without one, the lock's releases are printed.
    #[arg(value_name = "LOG")]
    logs: Vec<PathBuf>,

    /// Which programs must keep working, as for `binlog diff`, instead of those that the lock names.
    #[arg(long, value_name = "LEVEL", value_parser = arguments::level())]
    level: Option<Level>,
}

#[derive(Serialize)]
struct Row<'r> {
    log: &'r str,
    /// Whether nothing that was released is broken.
    is_ok: bool,
    /// Whether the lock has all that the log defines, too.
    is_current: bool,
    violations: Vec<ViolationRow>,
    /// Changes that no release forbids.
    changes: Vec<ChangeRow>,
}

#[derive(Serialize)]
struct ViolationRow {
    #[serde(flatten)]
    change: ChangeRow,
    releases: Vec<String>,
    /// The line of the lock that would allow it.
    exception: String,
}

#[derive(Serialize)]
struct Releases<'l> {
    lock: &'l str,
    level: &'static str,
    releases: Vec<&'l str>,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    require_stdin_once(arguments.logs.iter().chain([&arguments.lock]).map(PathBuf::as_path))?;
    let name = Source::of(&arguments.lock).name();
    let mut lock = read(&arguments.lock)?;
    if let Some(level) = arguments.level {
        lock.set_level(level);
    }
    let mut out = Output::stdout();
    if arguments.logs.is_empty() {
        let releases = Releases { lock: &name, level: lock.level().name(), releases: lock.releases().collect() };
        match context.json {
            true => json::line(&mut out, &releases)?,
            false => writeln!(out, "{name}: level {}, releases {}", releases.level, releases.releases.join(", "))?,
        }
    }
    let mut outcome = Outcome::Fine;
    for path in &arguments.logs {
        let definitions = definitions::read(path)?;
        let check = lock.check_log(&definitions.schema);
        let log = Source::of(path).name();
        match context.json {
            true => json::line(&mut out, &row(&log, &check))?,
            false if check.is_ok() => writeln!(out, "{log}: as the lock says")?,
            false => write!(out, "{}\n{check}", Style::Strong.of(&log, context.color))?,
        }
        outcome = outcome.max(definitions.outcome);
        if !check.violations().is_empty() {
            outcome = outcome.max(Outcome::Finding);
        }
    }
    out.finish()?;
    Ok(outcome)
}

/// Reads a lock. Its place on the command line is easily confused with that of a log.
fn read(path: &Path) -> Result<Lock, Failure> {
    let source = Source::one(path)?;
    let (name, bytes) = (source.name(), source.read()?);
    if is_log(&bytes) {
        let text = "is a log, not a lock; the lock comes first: binlog lock flightlog.lock flight.bin";
        return Err(Failure::new(format_args!("{name} {text}")));
    }
    let text = str::from_utf8(&bytes).map_err(|_| Failure::new(format_args!("{name} is no lock: it isn't a text")))?;
    text.parse().map_err(|error| Failure::of(&name, &error))
}

fn row<'r>(log: &'r str, check: &Check) -> Row<'r> {
    let violation = |violation: &binlog::lock::Violation| ViolationRow {
        change: ChangeRow::of(&violation.change),
        releases: violation.releases.clone(),
        exception: violation.exception.clone(),
    };
    Row {
        log,
        is_ok: check.violations().is_empty(),
        is_current: check.is_ok(),
        violations: check.violations().iter().map(violation).collect(),
        changes: check.unaccepted().iter().map(ChangeRow::of).collect(),
    }
}
