//! `binlog anonymise`: a copy of a log that can be shared.

use super::written::write_same_format;
use crate::context::{self, Context};
use crate::counted::counted;
use crate::input::Input;
use crate::json;
use crate::outcome::{CommandResult, Failure, warn};
use crate::output::{Existing, Output};
use crate::patterns::{Patterns, matches};
use crate::suggest;
use binlog::Log;
use binlog::anonymise::{Anonymise, Kind};
use binlog::blackbox::BlackboxLog;
use binlog::repair::{Removal, Removed};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Writes a copy of a log that can be shared: without the places, names and numbers of its vehicle and owner.
///
/// All positions are moved together, by an offset from the system's random source. It is drawn for each copy, and
/// neither printed nor stored. Distances stay, and so do metres north and east: for that, the latitude moves by 7
/// degrees at most. The longitude moves by any angle. A position of 0, 0 stays, and one more than 1000 km from the
/// first becomes 0, 0. Damaged bytes, padding, records without a definition and bytes after the end of a text are
/// removed.
///
/// Some of what stays hints at a place: the magnetometer (MAG, magADC) at the latitude, a profile of heights near the
/// ground at the ground below, dates and times at the region, through the sun and the weather. `--drop
/// MAG,heights,dates` removes them from an ArduPilot log, `--drop heights,dates` from a Blackbox log. Offsets of
/// calibrations are the same in all logs of a vehicle. Numbers that nobody knows the meaning of stay, except in types
/// that you drop. Look at the copy before you share it.
#[derive(clap::Args, Debug)]
#[command(after_long_help = table())]
pub struct Arguments {
    /// A log of either format; `-` is standard input.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// The file for the copy; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Keeps what is removed: kinds of the table below, types, parameters, or header lines of a Blackbox log, separated
    /// by commas. `*` and `?` are wildcards. The positions in them are moved nevertheless, except in texts and files: a
    /// place that these name tells how far all others were moved.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = context::name)]
    keep: Vec<String>,

    /// Also removes these kinds of the table, or types of an ArduPilot log.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = context::name)]
    drop: Vec<String>,

    #[command(flatten)]
    existing: Existing,
}

/// The table of what is removed.
fn table() -> String {
    let rows = |is_removed: bool| {
        let kinds = Kind::ALL.into_iter().filter(move |kind| kind.is_removed() == is_removed);
        kinds.map(|kind| format!("  {kind}: {};\n      {}\n", kind.places(), kind.reason())).collect::<String>()
    };
    format!("Removed unless kept:\n{}\nKept unless dropped:\n{}", rows(true), rows(false))
}

#[derive(Serialize)]
struct Json<'r> {
    log: &'r str,
    records: u64,
    positions: u64,
    /// Positions that became 0, 0.
    elsewhere: u64,
    /// Records that the copy lacks, by kind.
    removed: BTreeMap<&'static str, u64>,
    /// Numbers that became 0 and texts that were cut, by kind.
    values: BTreeMap<&'static str, u64>,
    /// Records of types that were dropped.
    dropped: u64,
    /// Records whose end may be damaged.
    suspects: u64,
    skipped_bytes: usize,
}

#[derive(Serialize)]
struct JsonBlackbox<'r> {
    log: &'r str,
    sessions: usize,
    /// Frames and events.
    frames: u64,
    positions: u64,
    elsewhere: u64,
    /// Header lines whose values were removed.
    lines: u64,
    /// Frames and events of unknown kinds.
    unknown: u64,
    lost_bytes: usize,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    if let Some(name) = arguments.keep.iter().find(|name| arguments.drop.contains(name)) {
        return Err(both_name(name));
    }
    write_same_format(
        &arguments.log,
        &arguments.output,
        context,
        "copy",
        |input, log| ardupilot(arguments, context, input, log),
        |input, log| blackbox(arguments, context, input, log),
    )
}

fn both_name(name: &str) -> Failure {
    Failure::new(format_args!("--keep and --drop both name {name}; leave one out"))
}

/// Anonymises an ArduPilot log. Returns how many bytes of the log are lost.
fn ardupilot(arguments: &Arguments, context: &Context, input: &Input, log: &Log<'_>) -> Result<usize, Failure> {
    let types: BTreeSet<String> = log.types().map(|rows| rows.name().to_owned()).collect();
    // To read them takes as long as to write a small log.
    let parameters = if arguments.keep.is_empty() { BTreeMap::default() } else { log.parameters() };
    let names = types.iter().map(String::as_str).chain(parameters.keys().map(String::as_str));
    let mut options = kept(arguments, names).map_err(|failure| failure.context(&input.name))?;
    for name in &arguments.drop {
        let Some(kind) = Kind::from_name(name) else {
            let pattern = Patterns::new(std::slice::from_ref(name));
            pattern.require(types.iter().map(String::as_str)).map_err(|failure| failure.context(&input.name))?;
            for of_log in types.iter().filter(|of_log| pattern.contains(of_log)) {
                if arguments.keep.iter().any(|keep| matches(keep, of_log)) {
                    return Err(both_name(of_log));
                }
                options = options.drop_type(of_log);
            }
            continue;
        };
        options = options.drop_kind(kind);
    }
    let mut out = Output::create(Some(&arguments.output), input.path.as_deref(), arguments.existing)?;
    let done = options.write(log, secret()?, &mut out)?;
    out.finish()?;
    let lost = done.skipped().iter().filter(|skipped| !skipped.is_padding(log.bytes()));
    let skipped_bytes: usize = lost.map(|skipped| skipped.length).sum();
    let (log, records, positions, elsewhere) = (&*input.name, done.records(), done.positions(), done.elsewhere());
    let (dropped, suspects) = (done.dropped(), done.suspects());
    let by_name = |counts: Vec<(Kind, u64)>| -> BTreeMap<&'static str, u64> {
        counts.into_iter().map(|(kind, count)| (kind.name(), count)).collect()
    };
    let (removed, values) = (by_name(done.removed()), by_name(done.values()));
    if context.json {
        let mut out = Output::stdout();
        let line = Json { log, records, positions, elsewhere, removed, values, dropped, suspects, skipped_bytes };
        json::line(&mut out, &line)?;
        out.finish()?;
        return Ok(skipped_bytes);
    }
    let parts_of = |counts: &BTreeMap<&str, u64>| -> Vec<String> {
        counts.iter().map(|(kind, count)| format!("{count} of {kind}")).collect()
    };
    let mut parts = parts_of(&removed);
    parts.extend((dropped > 0).then(|| format!("{dropped} of dropped types")));
    parts.extend((suspects > 0).then(|| format!("{suspects} that may be damaged")));
    let removed = if parts.is_empty() { "none".to_owned() } else { parts.join(", ") };
    let values = match values.is_empty() {
        true => String::new(),
        false => format!("; values removed: {}", parts_of(&values).join(", ")),
    };
    say(log, positions, elsewhere, format_args!("records removed: {removed}{values}"));
    Ok(skipped_bytes)
}

/// Anonymises a Blackbox log. Returns how many bytes of the log are lost.
fn blackbox(arguments: &Arguments, context: &Context, input: &Input, log: &BlackboxLog<'_>) -> Result<usize, Failure> {
    let named = |failure: Failure| failure.context(&input.name);
    let sessions: Vec<_> = log.sessions().collect();
    let lines = sessions.iter().flat_map(|session| session.header().lines()).map(|line| line.name());
    let mut options = kept(arguments, lines).map_err(named)?;
    for name in &arguments.drop {
        let kinds = Kind::ALL.into_iter().map(Kind::name);
        let refused = || {
            let text = "it is a Blackbox log, which has no types";
            named(Failure::new(format_args!(
                "--drop {name} doesn't apply: {text}; {}",
                suggest::hint(name, "kinds are", kinds)
            )))
        };
        options = options.drop_kind(Kind::from_name(name).ok_or_else(refused)?);
    }
    let mut out = Output::create(Some(&arguments.output), input.path.as_deref(), arguments.existing)?;
    let done = options.write_blackbox(log, secret()?, &mut out)?;
    out.finish()?;
    let is_lost = |removed: &&Removed| !matches!(removed.reason, Removal::Padding | Removal::AfterEnd);
    let lost_bytes: usize = done.lost().iter().filter(is_lost).map(|removed| removed.length).sum();
    let (log, sessions, frames) = (&*input.name, done.sessions(), done.frames());
    let (positions, elsewhere, lines, unknown) = (done.positions(), done.elsewhere(), done.lines(), done.unknown());
    if context.json {
        let mut out = Output::stdout();
        let line = JsonBlackbox { log, sessions, frames, positions, elsewhere, lines, unknown, lost_bytes };
        json::line(&mut out, &line)?;
        out.finish()?;
        return Ok(lost_bytes);
    }
    say(log, positions, elsewhere, format_args!("values of header lines removed: {lines}"));
    Ok(lost_bytes)
}

/// Says what was done. Standard output may be the copy.
fn say(log: &str, positions: u64, elsewhere: u64, removed: impl std::fmt::Display) {
    let moved = match positions {
        0 => "no position found".to_owned(),
        positions => format!("{} moved", counted(positions as usize, "position")),
    };
    warn(format_args!("{log}: {moved}; {removed}"));
    if elsewhere > 0 {
        let elsewhere = counted(elsewhere as usize, "position");
        let text =
            "more than 1000 km from the first one, not on the earth, or without their other coordinate, became 0";
        warn(format_args!("{log}: {elsewhere} {text}"));
    }
}

/// The options for what `--keep` names. `names` are those that the log has.
fn kept<'n>(arguments: &Arguments, names: impl Iterator<Item = &'n str> + Clone) -> Result<Anonymise, Failure> {
    let mut options = Anonymise::new();
    for name in &arguments.keep {
        if let Some(kind) = Kind::from_name(name) {
            options = options.keep_kind(kind);
            continue;
        }
        if !names.clone().any(|of_log| matches(name, of_log)) {
            let kinds = Kind::ALL.into_iter().map(|kind| -> &'n str { kind.name() });
            let hint = suggest::hint(name, "kinds are", kinds.chain(names));
            return Err(Failure::absent(format_args!("the log has nothing called `{name}` to be kept; {hint}")));
        }
        options = options.keep(name);
    }
    Ok(options)
}

/// What draws the new place: for one copy, and known to nobody.
fn secret() -> Result<[u8; 16], Failure> {
    let mut secret = [0; 16];
    let failure = |error| Failure::new(format_args!("the system's random source can't be read: {error}"));
    getrandom::fill(&mut secret).map_err(failure)?;
    Ok(secret)
}
