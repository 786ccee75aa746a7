//! `binlog repair`: a clean log from a damaged one.

use super::written::{ardupilot, check_destination};
use crate::arguments::Context;
use crate::counted::counted;
use crate::input::Input;
use crate::json;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::{Existing, Output};
use binlog::repair::{InsertedDefinition, Repaired, ReplacedDefinition};
use binlog::{Reason, Skipped};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Writes a log without the damage: every record that can be read is kept, all other bytes are removed.
///
/// Records in front of the definition of their type become readable. If the definition itself is damaged, its records are
/// removed, unless `--definitions` names another log of the same firmware that has it. Keep the damaged log. One in which
/// each byte belongs to a record stays the same, byte for byte: `binlog check` finds wrong values in it. What was removed
/// is printed with its place, and the exit code is then 3.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// An ArduPilot log; `-` is standard input.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// The file for the repaired log; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// A log of the same firmware, with the same options: definitions that LOG lacks, or that are damaged in it, are taken
    /// from it.
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
    was_sound: bool,
    removed: Vec<JsonRemoved>,
    inserted: Vec<JsonInserted<'r>>,
    replaced: Vec<JsonReplaced<'r>>,
    /// Offsets of records that were kept though their end may be damaged.
    suspects: &'r [usize],
    /// Types that the other log defines otherwise.
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
    is_borrowed: bool,
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
    let input = Input::open_path(&arguments.log)?;
    let log = ardupilot(&input)?;
    let lender = arguments.definitions.as_deref().map(Input::open_path).transpose()?;
    let definitions = lender.as_ref().map(ardupilot).transpose()?;
    let read = [Some(&input), lender.as_ref()].into_iter().flatten().filter_map(|input| input.path.as_deref());
    let mut out = Output::create(Some(&arguments.output), read, arguments.existing)?;
    let repaired = match definitions {
        Some(definitions) => log.repair_with(definitions, &mut out).map_err(|error| match (error.kind(), &lender) {
            (io::ErrorKind::InvalidInput, Some(lender)) => Failure::new(error).in_(&lender.name),
            _ => error.into(),
        })?,
        None => log.repair(&mut out)?,
    };
    out.finish()?;
    if context.json {
        let mut out = Output::stdout();
        json::line(&mut out, &report(&input.name, &repaired))?;
        out.finish()?;
    } else {
        // Standard output may be the log.
        print(&input.name, &repaired);
        let is_undefined = |removed: &Skipped| matches!(removed.reason, Reason::UnknownId(_));
        if lender.is_none() && repaired.removed().iter().any(is_undefined) {
            warn("records lack their definition; `--definitions OTHER` takes them from a log of the same firmware");
        }
    }
    // What the input lacks is said, and what was readable again isn't lost.
    input.note_reported(true);
    Ok(Outcome::lost_if(!repaired.removed().is_empty()))
}

/// The lines that are printed of a log with much damage.
const SHOWN: usize = 20;

fn print(name: &str, repaired: &Repaired) {
    let lines = repaired.to_string();
    let (count, mut err) = (lines.lines().count(), io::stderr().lock());
    // With stderr closed there is nobody to tell.
    let _ = lines.lines().take(SHOWN).try_for_each(|line| writeln!(err, "{line}"));
    if count > SHOWN {
        let _ = writeln!(err, "and {} more; `--json` prints all", counted(count - SHOWN, "place"));
    }
    if repaired.was_sound() {
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
        let InsertedDefinition { offset, defined_at, id, name, is_borrowed } = inserted;
        JsonInserted { offset: *offset, defined_at: *defined_at, id: *id, name, is_borrowed: *is_borrowed }
    });
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
        was_sound: repaired.was_sound(),
        removed: removed.collect(),
        inserted: inserted.collect(),
        replaced: replaced.collect(),
        suspects: repaired.suspects(),
        differing: repaired.differing(),
    }
}
