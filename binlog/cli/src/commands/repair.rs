//! `binlog repair`: a clean log from a damaged one.

use super::written::{ardupilot, check_destination};
use crate::arguments::Context;
use crate::counted::counted;
use crate::input::Input;
use crate::json;
use crate::outcome::{CommandResult, warn};
use crate::output::{Existing, Output};
use binlog::repair::{InsertedDefinition, Repaired};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Writes a log without the damage: every record that can be read is kept, all other bytes are removed.
///
/// Records in front of the definition of their type become readable. If the definition itself is damaged, the records are
/// removed, so keep the damaged log. A sound log stays the same, byte for byte. What was removed is printed with its place,
/// and the exit code is then 3.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// An ArduPilot log; `-` is standard input.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// The file for the repaired log; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

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
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    check_destination(&arguments.output, context)?;
    let input = Input::open_path(&arguments.log)?;
    let log = ardupilot(&input)?;
    let mut out = Output::create(Some(&arguments.output), input.path.as_deref(), arguments.existing)?;
    let repaired = log.repair(&mut out)?;
    out.finish()?;
    if context.json {
        let mut out = Output::stdout();
        json::line(&mut out, &report(&input.name, &repaired))?;
        out.finish()?;
    } else {
        // Standard output may be the log.
        print(&input.name, &repaired);
    }
    input.note_reported(!repaired.removed().is_empty());
    Ok(input.warn_of_loss())
}

fn print(name: &str, repaired: &Repaired) {
    if repaired.was_sound() {
        warn(format_args!("{name} is sound: the output is a copy"));
        return;
    }
    // With stderr closed there is nobody to tell.
    let _ = write!(io::stderr(), "{repaired}");
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
    let inserted = repaired.inserted().iter().map(|InsertedDefinition { offset, defined_at, id, name }| JsonInserted {
        offset: *offset,
        defined_at: *defined_at,
        id: *id,
        name,
    });
    Json {
        log,
        records: repaired.records(),
        recovered: repaired.recovered(),
        was_sound: repaired.was_sound(),
        removed: removed.collect(),
        inserted: inserted.collect(),
    }
}
