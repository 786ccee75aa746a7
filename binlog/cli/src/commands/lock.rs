//! `binlog lock`: logs against the lock of a schema.

use super::diff::ChangeRow;
use crate::context::{self, Context};
use crate::definitions;
use crate::input::{Source, is_log, require_stdin_once};
use crate::json;
use crate::one_line::on_one_line;
use crate::outcome::{CommandResult, Failure, Outcome};
use crate::output::{Existing, Output, is_stdout};
use crate::style::Style;
use binlog::LoggedSchema;
use binlog::compatibility::Level;
use binlog::lock::{Check, Lock};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Compares the definitions of logs with a lock, the file that has the format of every release; exits with 1 if a log
/// breaks what was released. With `--write`, makes the lock from a log.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The lock: flightlog.lock; `-` is standard input. `binlog::lock::assert` in a test of the firmware makes it.
    #[arg(value_name = "LOCK")]
    lock: PathBuf,

    /// Logs of today's firmware, or the JSON of their definitions; without one, the lock's releases are printed.
    #[arg(value_name = "LOG")]
    logs: Vec<PathBuf>,

    /// Which programs must keep working, as for `binlog diff`, instead of those that the lock names.
    #[arg(long, value_name = "LEVEL", value_parser = context::level())]
    level: Option<Level>,

    /// A lock whose exceptions (`allow` lines) count, too, for the releases that LOCK has: a pull request's own, while
    /// LOCK is that of the main branch. Those that allow a change are printed; its facts don't count.
    #[arg(long, value_name = "LOCK", requires = "logs")]
    allow: Option<PathBuf>,

    /// Makes LOCK from the definitions of LOG, for firmware whose tests don't run on the host. It must not exist. The
    /// lock takes no rates, types that refuse numbers, or descriptions from a log, and names of values and bits only if
    /// the log carries them.
    #[arg(long, conflicts_with_all = ["level", "allow"], requires = "logs")]
    write: bool,
}

/// What a lock doesn't take from a log.
fn lacks(schema: &LoggedSchema) -> Vec<&'static str> {
    let mut columns = schema.descriptions().iter().flat_map(|message| &message.columns);
    let has_names = columns.any(|column| !column.values.is_empty() || !column.bits.is_empty());
    let names = Some("names of values and bits").filter(|_| !has_names);
    [Some("rates"), names, Some("types that refuse numbers"), Some("descriptions")].into_iter().flatten().collect()
}

#[derive(Serialize)]
struct Written<'w> {
    lock: &'w str,
    log: &'w str,
    /// What the log doesn't say.
    lacks: Vec<&'static str>,
}

#[derive(Serialize)]
struct Row<'r> {
    log: &'r str,
    /// Whether nothing that was released is broken.
    is_ok: bool,
    /// Whether the lock has all that the log defines, too.
    is_current: bool,
    violations: Vec<ViolationRow>,
    /// Changes that the lock allows.
    changes: Vec<ChangeRow>,
    /// The lines of the other lock that allow changes.
    allowed_by_other: &'r [String],
    /// What the lock says and the log doesn't.
    not_compared: &'r [String],
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
    let locks = [&arguments.lock].into_iter().chain(&arguments.allow);
    require_stdin_once(arguments.logs.iter().chain(locks).map(PathBuf::as_path))?;
    if arguments.write {
        return write(arguments, context);
    }
    let name = Source::of(&arguments.lock).name();
    let mut lock = read(&arguments.lock)?;
    if let Some(level) = arguments.level {
        lock.set_level(level);
    }
    let other =
        arguments.allow.as_deref().map(|path| Ok::<_, Failure>((Source::of(path).name(), read(path)?))).transpose()?;
    let mut out = Output::stdout();
    if arguments.logs.is_empty() {
        let releases = Releases { lock: &name, level: lock.level().name(), releases: lock.releases().collect() };
        match context.json {
            true => json::line(&mut out, &releases)?,
            false if releases.releases.is_empty() => writeln!(out, "{name}: level {}, no release yet", releases.level)?,
            false => writeln!(out, "{name}: level {}, releases {}", releases.level, releases.releases.join(", "))?,
        }
    }
    let mut outcome = Outcome::Fine;
    for path in &arguments.logs {
        let definitions = definitions::read(path)?;
        let check = match &other {
            Some((_, other)) => lock.check_log_with(&definitions.schema, other),
            None => lock.check_log(&definitions.schema),
        };
        let log = Source::of(path).name();
        match context.json {
            true => json::line(&mut out, &row(&log, &check))?,
            false if check.is_ok() => writeln!(out, "{log}: as the lock says")?,
            false => write!(out, "{}\n{check}", Style::Strong.of(&log, context.color))?,
        }
        if !context.json {
            for line in check.allowed_by_other() {
                let name = other.as_ref().map_or("", |(name, _)| name.as_str());
                writeln!(out, "  allowed by {name}: {}", on_one_line(line))?;
            }
            if !check.not_compared().is_empty() {
                let not_compared = on_one_line(&check.not_compared().join("; "));
                writeln!(out, "  not in the log, so not compared: {not_compared}")?;
            }
        }
        if Check::annotations_are_wanted() && !context.json && !check.violations().is_empty() {
            let file = Some(arguments.lock.as_path()).filter(|file| file.exists());
            check.annotations(file).iter().try_for_each(|annotation| writeln!(out, "{annotation}"))?;
        }
        outcome = outcome.max(definitions.outcome);
        if !check.violations().is_empty() {
            outcome = outcome.max(Outcome::Finding);
        }
    }
    out.finish()?;
    Ok(outcome)
}

/// Makes a lock from a log.
fn write(arguments: &Arguments, context: &Context) -> CommandResult {
    let (name, path) = (Source::of(&arguments.lock).name(), arguments.lock.as_path());
    let [log] = &arguments.logs[..] else {
        return Err(Failure::new("--write makes a lock from one log: binlog lock --write flightlog.lock flight.bin"));
    };
    if is_stdout(path) {
        return Err(Failure::new("--write needs a file: binlog lock --write flightlog.lock flight.bin"));
    }
    if path.symlink_metadata().is_ok() {
        let text = "exists, and --write makes new locks only; without it, the lock is compared with the log";
        return Err(Failure::new(format_args!("{name} {text}")));
    }
    let definitions = definitions::read(log)?;
    let log = Source::of(log).name();
    let lock = Lock::of_log(&definitions.schema);
    let text = lock.to_string();
    if let Err(error) = text.parse::<Lock>() {
        return Err(Failure::new(format_args!("{log} defines what a lock can't hold: {error}")));
    }
    let mut out = Output::file(path, [], Existing::default())?;
    out.write_all(text.as_bytes())?;
    out.finish()?;
    let mut said = Output::stdout();
    let lacks = lacks(&definitions.schema);
    match context.json {
        true => json::line(&mut said, &Written { lock: &name, log: &log, lacks })?,
        false => {
            writeln!(said, "{name}: made from {log}, with no release yet; commit it")?;
            let lacks = lacks.join(", ");
            writeln!(said, "The lock takes no {lacks} from a log, so it doesn't notice their changes.")?;
            // Definitions that contradict themselves.
            for change in lock.check_log(&definitions.schema).unaccepted() {
                writeln!(said, "Left out: {}", change.summary())?;
            }
        }
    }
    said.finish()?;
    Ok(definitions.outcome)
}

/// Reads a lock. Its place on the command line is easily confused with that of a log.
fn read(path: &Path) -> Result<Lock, Failure> {
    let source = Source::one(path)?;
    let (name, bytes) = (source.name(), source.read()?);
    if is_log(&bytes) {
        let text = "is a log, not a lock; the lock comes first: binlog lock flightlog.lock flight.bin";
        return Err(Failure::new(format_args!("{name} {text}")));
    }
    let text = str::from_utf8(&bytes).map_err(|_| Failure::new(format_args!("{name} isn't a lock: it isn't text")))?;
    if text.trim().is_empty() {
        let text =
            "is empty, not a lock; if it is from `git show`, that branch has no such file: the lock has to be there";
        return Err(Failure::new(format_args!("{name} {text}")));
    }
    text.parse().map_err(|error| Failure::of(&name, &error))
}

fn row<'r>(log: &'r str, check: &'r Check) -> Row<'r> {
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
        allowed_by_other: check.allowed_by_other(),
        not_compared: check.not_compared(),
    }
}
