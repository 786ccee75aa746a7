//! `binlog repair`: a clean log from a damaged one.

mod blackbox;

use super::written::check_destination;
use crate::context::Context;
use crate::counted::counted;
use crate::input::{Input, Source, require_stdin_once};
use crate::json;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::{Existing, Output};
use binlog::repair::{InsertedDefinition, InsertedUnits, RepairError, Repaired, ReplacedDefinition};
use binlog::{AnyLog, Log, Reason, Skipped};
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;

/// Writes a log without the damage: every record or frame that can be read is kept, all other bytes are removed.
///
/// Keep the damaged log. Records in front of the definition of their type become readable. Records without a definition
/// are removed; `--definitions` takes definitions from another log of the same firmware. A log in which each byte
/// belongs to a record stays the same, byte for byte: `binlog check` finds wrong values in it. Each change is printed,
/// with its place. The exit code is 3 if bytes were removed.
///
/// Of a Blackbox log, padding and the old contents of the card or chip after the log are removed as well.
/// `--definitions` takes missing and damaged header lines from another log. LOG may then lack its header.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// A log of either format; `-` is standard input.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// The file for the repaired log; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// A log of the same firmware and options. Definitions and units that are missing in LOG, and definitions that are
    /// damaged, are taken from it. Of a Blackbox log, these are header lines.
    #[arg(long, value_name = "OTHER")]
    definitions: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,
}

#[derive(Serialize)]
struct Json<'r> {
    log: &'r str,
    records: u64,
    recovered: u64,
    is_copy: bool,
    removed: Vec<JsonRemoved>,
    inserted: Vec<JsonInserted<'r>>,
    /// Types that got their FMTU from the other log.
    units: Vec<JsonUnits<'r>>,
    /// Rows of UNIT and MULT from the other log.
    rows: usize,
    replaced: Vec<JsonReplaced<'r>>,
    /// Offsets of records that were kept though their end may be damaged.
    suspects: &'r [usize],
    /// Types whose definition differs from the other log's and stays.
    differing: &'r [String],
}

#[derive(Serialize)]
struct JsonRemoved {
    offset: usize,
    bytes: usize,
    reason: String,
}

#[derive(Serialize)]
struct JsonInserted<'r> {
    offset: usize,
    defined_at: usize,
    id: u8,
    name: &'r str,
    is_from_other_log: bool,
}

#[derive(Serialize)]
struct JsonUnits<'r> {
    offset: usize,
    id: u8,
    name: &'r str,
}

#[derive(Serialize)]
struct JsonReplaced<'r> {
    offset: usize,
    id: u8,
    name: &'r str,
    problem: &'r str,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    check_destination(&arguments.output, context)?;
    require_stdin_once(
        [Some(&arguments.log), arguments.definitions.as_ref()].into_iter().flatten().map(PathBuf::as_path),
    )?;
    let source = Source::one(&arguments.log)?;
    let other = arguments.definitions.as_deref().map(Input::open_path).transpose()?;
    let input = match other.as_ref().map(|other| &other.log) {
        None => Input::open(&source)?,
        Some(AnyLog::ArduPilot(_)) => Input::open_undefined(&source)?,
        Some(AnyLog::Blackbox(_)) => Input::open_without_header(&source)?,
    };
    let of_other = other.as_ref().map(|other| (&*other.name, &other.log));
    let inputs = [Some(&input), other.as_ref()].into_iter().flatten().filter_map(|input| input.path.as_deref());
    let create = || Output::create(Some(&arguments.output), inputs.clone(), arguments.existing);
    let is_lost = match (&input.log, of_other) {
        (AnyLog::ArduPilot(log), None) => ardupilot(&input, log, None, create()?, context)?,
        (AnyLog::ArduPilot(log), Some((name, AnyLog::ArduPilot(definitions)))) => {
            ardupilot(&input, log, Some((name, definitions)), create()?, context)?
        }
        (AnyLog::Blackbox(log), None) => blackbox::repair(&input, log, None, create()?, context)?,
        (AnyLog::Blackbox(log), Some((name, AnyLog::Blackbox(definitions)))) => {
            blackbox::repair(&input, log, Some((name, definitions)), create()?, context)?
        }
        (AnyLog::ArduPilot(_), Some((name, AnyLog::Blackbox(_)))) => {
            return Err(other_format(name, "a Blackbox log", "an ArduPilot log").context(&input.name));
        }
        (AnyLog::Blackbox(_), Some((name, AnyLog::ArduPilot(_)))) => {
            return Err(other_format(name, "an ArduPilot log", "a Blackbox log").context(&input.name));
        }
    };
    // The report covers the damage, and what is readable again isn't lost.
    input.note_reported(true);
    Ok(input.warn_of_lines().max(Outcome::lost_if(is_lost)))
}

fn other_format(other: &str, is: &str, format: &str) -> Failure {
    Failure::new(format_args!("it is {format}, and {other}, whose definitions are to be used, is {is}; name {format}"))
}

/// Repairs an ArduPilot log. Returns whether bytes were removed.
fn ardupilot(
    input: &Input,
    log: &Log<'_>,
    other: Option<(&str, &Log<'_>)>,
    mut out: Output,
    context: &Context,
) -> Result<bool, Failure> {
    let repaired = match other {
        Some((name, definitions)) => log.repair_with(definitions, &mut out).map_err(|error| refused(error, name))?,
        None => log.repair(&mut out)?,
    };
    if repaired.records() == 0 {
        return Err(no_record(other.map(|(name, _)| name)).context(&input.name));
    }
    out.finish()?;
    if context.json {
        let mut out = Output::stdout();
        json::line(&mut out, &report(&input.name, &repaired))?;
        out.finish()?;
    } else {
        // Standard output may be the log, so the report goes to standard error.
        print(input, &repaired);
        let is_undefined = |removed: &Skipped| matches!(removed.reason, Reason::UnknownId(_));
        if other.is_none() && repaired.removed().iter().any(is_undefined) {
            warn("records lack their definition; `--definitions OTHER` takes them from a log of the same firmware");
        }
        let removed: usize = repaired.removed().iter().map(|removed| removed.length).sum();
        if let Some((other, _)) = other.filter(|_| repaired.removed().iter().any(is_undefined) && !took(&repaired)) {
            let log = &input.name;
            warn(format_args!("{other} defines no type that {log} lacks: is it of the same firmware?"));
        } else if let Some((other, _)) = other.filter(|_| removed > log.bytes().len() / 2) {
            warn(format_args!("the definitions of {other} don't explain most of the log: is it of the same firmware?"));
        }
    }
    let is_lost = |removed: &Skipped| !removed.is_padding(log.bytes());
    Ok(repaired.removed().iter().any(is_lost))
}

/// Why a repair with the definitions of another log has failed.
fn refused(error: RepairError, other: &str) -> Failure {
    match error {
        RepairError::Io(error) => error.into(),
        error => Failure::new(error).context(other),
    }
}

/// The failure of a repair that would write an empty log.
fn no_record(other: Option<&str>) -> Failure {
    match other {
        Some(name) => Failure::new(format_args!(
            "none of its records can be read with the definitions of {name}; name a log of the same firmware"
        )),
        None => Failure::new("it has no record that can be read, so nothing is written"),
    }
}

/// Whether definitions or units of the other log are in the repaired one.
fn took(repaired: &Repaired) -> bool {
    let is_inserted = repaired.inserted().iter().any(|inserted| inserted.is_from_other_log);
    is_inserted || !repaired.replaced().is_empty() || !repaired.units().is_empty()
}

/// At most this many lines of the report are printed.
const SHOWN: usize = 20;

/// Prints the lines of a report to standard error.
fn print_lines(report: &impl Display) {
    let lines = report.to_string();
    let (count, mut err) = (lines.lines().count(), io::stderr().lock());
    // With stderr closed there is nobody to tell.
    let _ = lines.lines().take(SHOWN).try_for_each(|line| writeln!(err, "{line}"));
    if count > SHOWN {
        let _ = writeln!(err, "and {} more; `--json` prints all", counted(count - SHOWN, "line"));
    }
}

fn print(input: &Input, repaired: &Repaired) {
    let name = &input.name;
    print_lines(repaired);
    if repaired.is_copy() && input.damaged_lines().is_some() {
        warn(format_args!("{name} is text: the output is a binary log with all its lines that can be read"));
        return;
    }
    if repaired.is_copy() {
        warn(format_args!(
            "each byte of {name} belongs to a record: the output is a copy; `binlog check` finds wrong values"
        ));
        return;
    }
    let removed: usize = repaired.removed().iter().map(|removed| removed.length).sum();
    let (removed, records) = (counted(removed, "byte"), counted(repaired.records(), "record"));
    let recovered = repaired.recovered();
    warn(format_args!("{name}: {removed} removed; {records} kept, {recovered} of them readable again"));
}

fn report<'r>(log: &'r str, repaired: &'r Repaired) -> Json<'r> {
    let removed = repaired.removed().iter().map(|removed| JsonRemoved {
        offset: removed.offset,
        bytes: removed.length,
        reason: removed.reason.to_string(),
    });
    let inserted = repaired.inserted().iter().map(|inserted| {
        let InsertedDefinition { offset, defined_at, id, name, is_from_other_log } = inserted;
        JsonInserted { offset: *offset, defined_at: *defined_at, id: *id, name, is_from_other_log: *is_from_other_log }
    });
    let units = repaired.units().iter();
    let units = units.map(|InsertedUnits { offset, id, name }| JsonUnits { offset: *offset, id: *id, name });
    let replaced = repaired.replaced().iter().map(|ReplacedDefinition { offset, id, name, problem }| JsonReplaced {
        offset: *offset,
        id: *id,
        name,
        problem,
    });
    Json {
        log,
        records: repaired.records(),
        recovered: repaired.recovered(),
        is_copy: repaired.is_copy(),
        removed: removed.collect(),
        inserted: inserted.collect(),
        units: units.collect(),
        rows: repaired.rows(),
        replaced: replaced.collect(),
        suspects: repaired.suspects(),
        differing: repaired.differing(),
    }
}
