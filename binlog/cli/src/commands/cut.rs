//! `binlog cut`: a part of a log.

use super::written::{ardupilot, check_destination};
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
use binlog::cut::Cut;
use serde::Serialize;
use std::path::PathBuf;

/// Writes a part of a log: a part of its time, some of its types, or both.
///
/// The part has what readers need to understand it: all definitions, units and embedded descriptions, and the
/// parameters, the mode, the version and the firmware's name that apply at its beginning. These keep their times, so
/// the part seems to begin at boot. `--types` doesn't leave out modes and arming. A 32-bit TimeUS begins again at 0
/// after 71.6 minutes; a part that begins later has a few records from around that moment, so that its times are those
/// of the log.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// An ArduPilot log; `-` is standard input.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// The file for the part; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    existing: Existing,

    /// Only these types, separated by commas; `*` and `?` are wildcards: ATT,XK*.
    #[arg(long, short, value_name = "TYPES", value_delimiter = ',', value_parser = context::name)]
    types: Vec<String>,

    /// All types except these.
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

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    check_destination(&arguments.output, context)?;
    let input = Input::open_path(&arguments.log)?;
    let log = ardupilot(&input)?;
    let sessions = input.sessions();
    let named = |failure: Failure| failure.context(&input.name);
    let cut = cut(arguments, log, &sessions).map_err(named)?;
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
    } else if skipped_bytes > 0 {
        let lacking = counted(skipped_bytes, "byte");
        warn(format_args!("{}: the log is damaged; the part lacks {lacking}", input.name));
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
    input.note_reported(skipped_bytes > 0);
    Ok(input.warn_of_loss())
}

fn cut(arguments: &Arguments, log: &Log<'_>, sessions: &[Session<'_>]) -> Result<Cut, Failure> {
    let mut cut = Cut::new();
    if !arguments.selection.is_everything() {
        let chosen = arguments.selection.intervals(sessions)?;
        cut = cut.during_boots(chosen.iter().map(|intervals| intervals.ranges().to_vec()));
    }
    let names: Vec<String> = log.types().map(|rows| rows.name().to_owned()).collect();
    let matching = |patterns: &[String]| {
        let types = Patterns::new(patterns);
        types.require(names.iter().map(String::as_str))?;
        Ok::<Vec<String>, Failure>(names.iter().filter(|name| types.contains(name)).cloned().collect())
    };
    if !arguments.types.is_empty() {
        cut = cut.types(matching(&arguments.types)?);
    } else if !arguments.without.is_empty() {
        cut = cut.without(matching(&arguments.without)?);
    }
    Ok(cut)
}
