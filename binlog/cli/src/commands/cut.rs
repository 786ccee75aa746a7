//! `binlog cut`: a part of a log.

use super::written::write_same_format;
use crate::any_log::Session;
use crate::context::{self, Context};
use crate::counted::counted;
use crate::input::Input;
use crate::json;
use crate::outcome::{CommandResult, Failure, warn};
use crate::output::{Existing, Output};
use crate::patterns::Patterns;
use crate::selection::Selection;
use binlog::Log;
use binlog::blackbox::BlackboxLog;
use binlog::cut::Cut;
use binlog::repair::{Removal, Removed};
use serde::Serialize;
use std::path::PathBuf;

/// Writes a part of a log: a part of its time, some of its types, or both.
///
/// The part has what readers need to understand it: all definitions, units and embedded descriptions, and the
/// parameters, the mode, the version and the firmware's name that apply at its beginning. These keep their times, so
/// the part seems to begin at boot. `--types` doesn't leave out modes and arming. A 32-bit TimeUS begins again at 0
/// after 71.6 minutes; a part that begins later has a few records from around that moment, so that its times are those
/// of the log.
///
/// The part of a Blackbox log begins with the last I frame at or before the time, because P frames refer to the frames
/// before them. The slow and home frames that apply there follow it. Types can't be chosen.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// A log of either format; `-` is standard input.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// The file for the part; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    existing: Existing,

    /// Only these types of an ArduPilot log, separated by commas; `*` and `?` are wildcards: ATT,XK*.
    #[arg(long, short, value_name = "TYPES", value_delimiter = ',', value_parser = context::name)]
    types: Vec<String>,

    /// All types of an ArduPilot log except these.
    #[arg(long, value_name = "TYPES", value_delimiter = ',', value_parser = context::name, conflicts_with = "types")]
    without: Vec<String>,

    #[command(flatten)]
    selection: Selection,
}

#[derive(Serialize)]
struct Json<'r> {
    log: &'r str,
    definitions: u64,
    records: u64,
    carried: u64,
    misread_times: u64,
    skipped_bytes: usize,
}

#[derive(Serialize)]
struct JsonBlackbox<'r> {
    log: &'r str,
    sessions: usize,
    /// Frames and events.
    frames: u64,
    carried: u64,
    lost_bytes: usize,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    write_same_format(
        &arguments.log,
        &arguments.output,
        context,
        "part",
        |input, log| ardupilot(arguments, context, input, log),
        |input, log| blackbox(arguments, context, input, log),
    )
}

/// Cuts an ArduPilot log. Returns how many bytes of the log are lost.
fn ardupilot(arguments: &Arguments, context: &Context, input: &Input, log: &Log<'_>) -> Result<usize, Failure> {
    let named = |failure: Failure| failure.context(&input.name);
    let cut = with_types(arguments, log, during(arguments, &input.sessions()).map_err(named)?).map_err(named)?;
    let mut out = Output::create(Some(&arguments.output), input.path.as_deref(), arguments.existing)?;
    let part = cut.write(log, &mut out)?;
    out.finish()?;
    let lost = part.skipped().iter().filter(|skipped| !skipped.is_padding(log.bytes()));
    let skipped_bytes: usize = lost.map(|skipped| skipped.length).sum();
    if context.json {
        let (definitions, records) = (part.definitions(), part.chosen());
        let (carried, misread_times) = (part.carried(), part.misread_times());
        let mut out = Output::stdout();
        let log = &input.name;
        json::line(&mut out, &Json { log, definitions, records, carried, misread_times, skipped_bytes })?;
        out.finish()?;
    }
    if part.misread_times() > 0 {
        let records = counted(part.misread_times() as usize, "record");
        warn(format_args!(
            "{}: the 32-bit TimeUS of {records} is off by a multiple of 71.6 minutes in the part, because the records \
             of the chosen types don't show how often it has begun again at 0; choose a type with more records, too",
            input.name
        ));
    }
    if part.chosen() == 0 {
        warn(format_args!("{}: no record is in the part", input.name));
    }
    Ok(skipped_bytes)
}

/// Cuts a Blackbox log. Returns how many bytes of the log are lost.
fn blackbox(arguments: &Arguments, context: &Context, input: &Input, log: &BlackboxLog<'_>) -> Result<usize, Failure> {
    let named = |failure: Failure| failure.context(&input.name);
    for (option, types) in [("--types", &arguments.types), ("--without", &arguments.without)] {
        if !types.is_empty() {
            let text =
                "it is a Blackbox log, whose frames refer to one another, so it can be cut by time and session only";
            return Err(named(Failure::new(format_args!("{option} doesn't apply: {text}"))));
        }
    }
    let cut = during(arguments, &input.sessions()).map_err(named)?;
    let mut out = Output::create(Some(&arguments.output), input.path.as_deref(), arguments.existing)?;
    let part = cut.write_blackbox(log, &mut out)?;
    out.finish()?;
    let is_lost = |removed: &&Removed| !matches!(removed.reason, Removal::Padding | Removal::AfterEnd);
    let lost_bytes: usize = part.removed().iter().filter(is_lost).map(|removed| removed.length).sum();
    if context.json {
        let (log, sessions, frames, carried) = (&input.name, part.sessions(), part.chosen(), part.carried());
        let mut out = Output::stdout();
        json::line(&mut out, &JsonBlackbox { log, sessions, frames, carried, lost_bytes })?;
        out.finish()?;
    }
    if part.chosen() == 0 {
        warn(format_args!("{}: no frame is in the part", input.name));
    }
    Ok(lost_bytes)
}

/// The chosen intervals of each boot or session.
fn during(arguments: &Arguments, sessions: &[Session<'_>]) -> Result<Cut, Failure> {
    if arguments.selection.is_everything() {
        return Ok(Cut::new());
    }
    let chosen = arguments.selection.intervals(sessions)?;
    Ok(Cut::new().during_boots(chosen.iter().map(|intervals| intervals.ranges().to_vec())))
}

fn with_types(arguments: &Arguments, log: &Log<'_>, cut: Cut) -> Result<Cut, Failure> {
    let names: Vec<String> = log.types().map(|rows| rows.name().to_owned()).collect();
    let matching = |patterns: &[String]| {
        let types = Patterns::new(patterns);
        types.require(names.iter().map(String::as_str))?;
        Ok::<Vec<String>, Failure>(names.iter().filter(|name| types.contains(name)).cloned().collect())
    };
    if !arguments.types.is_empty() {
        return Ok(cut.types(matching(&arguments.types)?));
    }
    if !arguments.without.is_empty() {
        return Ok(cut.without(matching(&arguments.without)?));
    }
    Ok(cut)
}
