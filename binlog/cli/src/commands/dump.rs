//! `binlog dump`: the records of a log, one line each.

use crate::any_log::{Session, SessionLog};
use crate::context::{self, Context, Logs};
use crate::counted::counted;
use crate::dump::{self, Form, NamedBoot};
use crate::input::{Input, other_session};
use crate::intervals::Intervals;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::{Existing, Output};
use crate::patterns::Patterns;
use crate::progress::Progress;
use crate::selection::Selection;
use crate::texts::Joined;
use binlog::AnyLog;
use binlog::Log;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Prints the records of a log, one line each: as mavlogdump.py does, or as JSON; of Blackbox logs, the main frames as
/// CSV.
///
/// Dates are in local time, as those of mavlogdump.py; with TZ=UTC in the environment they are in UTC. They come from
/// the first GPS record with a week; other commands take the date from the first GPS fix. A JSON line has the shape of
/// `mavlogdump.py --format json`; a number that isn't finite is null, and a text that takes several records is one
/// line.
///
/// Blackbox CSV has the logged columns of blackbox_decode, with values as logged. Columns that blackbox_decode computes
/// are left out. `export` has voltage and current in V and A; `export --wide main` has the GPS beside the main frames.
///
/// With several logs, a line `==> NAME <==` precedes each; with --json, each object has the key `log`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    logs: Logs,

    /// Only these types, separated by commas; `*` and `?` are wildcards: ATT,XK*. Of
    /// Blackbox logs, with --json: main, slow, gps, home, events.
    #[arg(long, short, value_name = "TYPES", value_delimiter = ',', value_parser = context::name)]
    types: Vec<String>,

    /// Writes to a file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Prints the names that the log has for values and bits: Boost for 3, Battery | Compass for 5. A value without a
    /// name stays a number.
    #[arg(long)]
    value_names: bool,

    #[command(flatten)]
    existing: Existing,

    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    let logs = arguments.logs.sources()?;
    let mut out = Output::create(arguments.output.as_deref(), logs.paths(), arguments.existing)?;
    let outcome = logs.for_each(|input| {
        let types = Patterns::new(&arguments.types);
        match &input.log {
            AnyLog::ArduPilot(log) => records(input, log, &types, arguments, context, &mut out),
            AnyLog::Blackbox(_) => frames(input, &types, &arguments.selection, context, &mut out),
        }
    })?;
    out.finish()?;
    Ok(outcome)
}

fn records(
    input: &Input,
    log: &Log<'_>,
    types: &Patterns,
    arguments: &Arguments,
    context: &Context,
    out: &mut Output,
) -> CommandResult {
    let selection = &arguments.selection;
    let names = if arguments.value_names { NamedBoot::all(log) } else { Vec::new() };
    let parts = if selection.is_everything() {
        // Nothing is indexed for that.
        vec![(0..log.bytes().len(), Intervals::everything())]
    } else {
        let sessions = input.sessions();
        let intervals = selection.intervals(&sessions).map_err(|failure| failure.context(&input.name))?;
        sessions.iter().map(|session| session.range()).zip(intervals).collect()
    };
    let texts = if context.json && types.contains("MSG") { Joined::of(log) } else { Joined::default() };
    let form = match context.json {
        true => Form::Json { log: input.name_among_several(), texts: &texts },
        false => Form::Text,
    };
    if !context.json {
        input.print_heading(out)?;
    }
    let mut progress = Progress::bytes(&input.name, log.bytes().len() as u64);
    let dumped = dump::records(log.bytes(), &parts, types, form, &names, out, |done| progress.set(done))?;
    let printed = dumped.types.iter().map(String::as_str);
    if types.unmatched(printed.clone()).is_some() {
        // The log is indexed for the error only: a part of it may not have all types.
        let indexed = log.types().map(|rows| rows.name().to_owned());
        let known: BTreeSet<String> = printed.map(str::to_owned).chain(indexed).collect();
        types.require(known.iter().map(String::as_str)).map_err(|failure| failure.context(&input.name))?;
    }
    if dumped.records == 0 {
        selection.warn_of_nothing(input, !types.is_all());
    }
    if dumped.skipped_bytes > 0 {
        let skipped = counted(dumped.skipped_bytes, "byte");
        warn(format_args!("{}: skipped {skipped} without a record", input.name));
    }
    input.note_reported(dumped.skipped_bytes > 0);
    Ok(Outcome::Fine)
}

fn frames(
    input: &Input,
    types: &Patterns,
    selection: &Selection,
    context: &Context,
    out: &mut Output,
) -> CommandResult {
    if !context.json && !types.is_all() && !types.contains("main") {
        let text = "dump prints the main frames of Blackbox logs as CSV; --json prints the others, too";
        return Err(Failure::new(format_args!("{}: {text}", input.name)));
    }
    let sessions = input.sessions();
    let names: Vec<String> = sessions.iter().flat_map(Session::table_names).chain([dump::EVENTS.to_owned()]).collect();
    let named = |failure: Failure| failure.context(&input.name);
    types.require(names.iter().map(String::as_str)).map_err(named)?;
    let intervals = selection.intervals(&sessions).map_err(named)?;
    let mut progress = Progress::bytes(&input.name, input.log.bytes().len() as u64);
    if !context.json {
        input.print_heading(out)?;
    }
    let (mut header, mut printed, mut lost, mut foreign, mut damaged_headers) = (None, 0, 0, 0, 0);
    for (session, intervals) in sessions.iter().zip(&intervals) {
        if let SessionLog::Blackbox(frames) = session.log()
            && !intervals.is_nothing()
        {
            let dumped = match context.json {
                true => dump::frames_json(frames, input.name_among_several(), intervals, types, out)?,
                false => dump::frames(frames, intervals, &mut header, out)?,
            };
            printed += dumped.frames;
            lost += dumped.lost_bytes;
            foreign += dumped.foreign_bytes;
            damaged_headers += usize::from(!frames.header().problems().is_empty());
            progress.set(session.range().end as u64);
        }
    }
    if printed == 0 && !sessions.is_empty() {
        selection.warn_of_nothing(input, !types.is_all());
    }
    if lost > 0 {
        warn(format_args!("{}: skipped {} without a frame", input.name, counted(lost, "byte")));
    }
    if foreign > 0 {
        warn(format_args!("{}: {}", input.name, other_session(foreign)));
    }
    if damaged_headers > 0 {
        let sessions = counted(damaged_headers, "session");
        warn(format_args!("{}: the header of {sessions} is damaged; frames may be missing or wrong", input.name));
    }
    input.note_reported(lost > 0 || foreign > 0 || damaged_headers > 0);
    Ok(Outcome::Fine)
}
