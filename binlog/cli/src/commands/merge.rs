//! `binlog merge`: several logs as one.

use super::written::check_destination;
use crate::context::{Context, Logs};
use crate::counted::counted;
use crate::input::{Input, in_a_shell};
use crate::json;
use crate::one_line::shown;
use crate::outcome::{CommandResult, Failure, warn};
use crate::output::{Existing, Output, is_same_file};
use binlog::merge::{MergeError, Merged, merge};
use binlog::{AnyLog, Format, Log};
use jiff::Timestamp;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Merges logs of one boot by time: parts of a log, or the logs of several loggers.
///
/// Ids of types, units and multipliers are matched by what they mean. Types that two logs define differently are an
/// error; leave them out of one of the logs with `binlog cut --without`. Merging a log with itself is an error.
///
/// Warns if GPS times show that the logs are of different boots, or that the 32-bit times of one have begun again at 0
/// before it begins. Warns of a log that has neither GPS times nor a record in common with another log. Embedded
/// descriptions that contradict those of an earlier log are left out with a warning.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    logs: Logs,

    /// The file for the merged log; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    existing: Existing,
}

#[derive(Serialize)]
struct Json<'r> {
    logs: Vec<JsonLog<'r>>,
    duplicates: u64,
    renumbered: Vec<JsonRenumbered<'r>>,
    /// Pairs of logs.
    in_common: Vec<[&'r str; 2]>,
    other_descriptions: Vec<&'r str>,
}

#[derive(Serialize)]
struct JsonLog<'r> {
    log: &'r str,
    records: u64,
    skipped_bytes: usize,
}

#[derive(Serialize)]
struct JsonRenumbered<'r> {
    log: &'r str,
    name: &'r str,
    from: u8,
    to: u8,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    check_destination(&arguments.output, context)?;
    let (inputs, left_out) = arguments.logs.sources()?.open_all()?;
    let logs = inputs.iter().map(ardupilot).collect::<Result<Vec<_>, _>>()?;
    let paths = inputs.iter().filter_map(|input| input.path.as_deref());
    if let Some((one, other)) = given_twice(paths.clone()) {
        let (one, other) = (shown(one), shown(other));
        return Err(match one == other {
            true => Failure::new(format_args!("{one} is given twice; leave one out")),
            false => Failure::new(format_args!("{one} and {other} are the same file; leave one out")),
        });
    }
    let mut out = Output::create(Some(&arguments.output), paths, arguments.existing)?;
    warn_of_boots(&inputs, &logs);
    let merged = merge(logs.iter().copied(), &mut out).map_err(|error| failure(error, &inputs))?;
    out.finish()?;
    warn_of_unknown_boots(&inputs, &logs, &merged);
    warn_of_descriptions(&inputs, &merged);
    let skipped = |log: usize| -> usize {
        let of_log = merged.skipped().iter().filter(|(of, _)| *of == log).map(|(_, skipped)| skipped);
        of_log.filter(|skipped| !skipped.is_padding(inputs[log].log.bytes())).map(|skipped| skipped.length).sum()
    };
    if context.json {
        let mut out = Output::stdout();
        json::line(&mut out, &report(&inputs, &merged, skipped))?;
        out.finish()?;
    } else {
        for (log, input) in inputs.iter().enumerate().filter(|(log, _)| skipped(*log) > 0) {
            let lacking = counted(skipped(log), "byte");
            warn(format_args!("{}: the log is damaged; the merged log lacks {lacking}", input.name));
        }
    }
    inputs.iter().enumerate().for_each(|(log, input)| input.note_reported(skipped(log) > 0));
    Ok(inputs.iter().map(Input::warn_of_loss).max().map_or(left_out, |outcome| outcome.max(left_out)))
}

/// The log, which has to be ArduPilot's.
fn ardupilot(input: &Input) -> Result<&Log<'static>, Failure> {
    match &input.log {
        AnyLog::ArduPilot(log) => Ok(log),
        AnyLog::Blackbox(_) => {
            let text = "it is a Blackbox log, and this works on ArduPilot logs; `binlog convert` makes one of it";
            Err(Failure::new(text).context(&input.name))
        }
    }
}

/// A file that is given twice, under one name or two.
fn given_twice<'p>(mut paths: impl Iterator<Item = &'p Path> + Clone) -> Option<(&'p Path, &'p Path)> {
    while let Some(path) = paths.next() {
        if let Some(again) = paths.clone().find(|other| is_same_file(path, other)) {
            return Some((path, again));
        }
    }
    None
}

/// The logs of one boot agree on the time of boot within this number of microseconds: a GPS without a fix may report it
/// late.
const SAME_BOOT_US: u64 = 60_000_000;

/// Warns of logs whose clocks have another zero than that of the first log with GPS times.
fn warn_of_boots(inputs: &[Input], logs: &[&Log<'_>]) {
    let boots = inputs.iter().zip(logs).filter_map(|(input, log)| {
        let boot_us = log.clock()?.boot_unix_us();
        Some(OfBoot { name: &input.name, log, boot_us })
    });
    let boots: Vec<OfBoot<'_>> = boots.collect();
    let Some(first) = boots.first() else { return };
    let mut said: Vec<String> = Vec::new();
    for other in boots.iter().filter(|other| other.boot_us.abs_diff(first.boot_us) > SAME_BOOT_US) {
        let text = late_log(first, other).unwrap_or_else(|| {
            let [first_at, other_at] = [first, other].map(|of| {
                let second = Timestamp::from_second(of.boot_us.div_euclid(1_000_000));
                second.map_or_else(|_| "at no date".to_owned(), |second| format!("at {second}"))
            });
            format!(
                "{} and {} are of different boots, by GPS {first_at} and {other_at}; the merged log mixes their \
                 records by the time since boot",
                first.name, other.name
            )
        });
        if !said.contains(&text) {
            warn(&text);
            said.push(text);
        }
    }
}

/// A log with GPS times.
struct OfBoot<'i> {
    name: &'i str,
    log: &'i Log<'i>,
    boot_us: i64,
}

/// What is said of the later one of two logs that seem to be of different boots, if it may have begun after its 32-bit
/// times did so again: the boots are so far apart.
fn late_log(one: &OfBoot<'_>, other: &OfBoot<'_>) -> Option<String> {
    let late = if other.boot_us > one.boot_us { other } else { one };
    let apart_us = other.boot_us.abs_diff(one.boot_us);
    let wrapped_us = (apart_us + (1 << 31)) >> 32 << 32;
    let is_late = wrapped_us > 0 && apart_us.abs_diff(wrapped_us) <= SAME_BOOT_US && has_narrow_times(late.log);
    is_late.then(|| {
        format!(
            "{}: by GPS, its 32-bit TimeUS began again at 0 before the log begins; the merged log has its records \
             {:.1} minutes too early",
            late.name,
            wrapped_us as f64 / 60e6
        )
    })
}

/// Whether a log has times of 32 bits.
fn has_narrow_times(log: &Log<'_>) -> bool {
    let is_narrow = |format: Format| matches!(format, Format::U32 | Format::I32);
    log.types()
        .any(|rows| rows.definitions().any(|of| of.column("TimeUS").is_some_and(|column| is_narrow(column.format))))
}

/// Warns of logs of which nothing says whether they are of one boot with the others.
fn warn_of_unknown_boots(inputs: &[Input], logs: &[&Log<'_>], merged: &Merged) {
    let is_dated: Vec<bool> = logs.iter().map(|log| log.clock().is_some()).collect();
    // The logs with GPS times are compared by them.
    let dated = (0..logs.len()).filter(|log| is_dated[*log]).collect::<Vec<_>>();
    let dated = dated.windows(2).map(|pair| [pair[0], pair[1]]);
    let mut groups: Vec<usize> = (0..logs.len()).collect();
    for [one, other] in merged.in_common().chain(dated) {
        let (kept, joined) = (groups[one], groups[other]);
        groups.iter_mut().filter(|group| **group == joined).for_each(|group| *group = kept);
    }
    // The others are unknown beside the logs with GPS times, or else beside those that have a record in common.
    let size = |group: &usize| groups.iter().filter(|other| *other == group).count();
    let known =
        (0..logs.len()).find(|log| is_dated[*log]).or_else(|| (0..logs.len()).find(|log| size(&groups[*log]) > 1));
    let unknown = (0..logs.len()).filter(|log| known.is_none_or(|known| groups[known] != groups[*log]));
    let names: Vec<&str> = unknown.map(|log| &*inputs[log].name).collect();
    if inputs.len() > 1 && !names.is_empty() {
        warn(format_args!(
            "{}: neither a GPS time nor a record in common with the other logs shows that they are of one boot; the \
             merged log has their records in the order of the time since boot",
            names.join(", ")
        ));
    }
}

/// Warns of logs whose embedded descriptions are left out.
fn warn_of_descriptions(inputs: &[Input], merged: &Merged) {
    let names: Vec<&str> = merged.other_descriptions().map(|log| &*inputs[log].name).collect();
    if !names.is_empty() {
        warn(format_args!(
            "{}: other embedded descriptions (LogMessages.xml) than those of an earlier log; the merged log lacks them",
            names.join(", ")
        ));
    }
}

/// The error with the names of the logs.
fn failure(error: MergeError, inputs: &[Input]) -> Failure {
    let name = |log: usize| format!("log {} is {}", log + 1, inputs.get(log).map_or("", |input| &input.name));
    match error {
        MergeError::Io(error) => error.into(),
        MergeError::Conflict(conflict) => {
            let [first, second] = conflict.logs.map(name);
            let names = if first == second { first } else { format!("{first}, {second}") };
            Failure::new(format_args!("{} ({names})", MergeError::Conflict(conflict)))
        }
        MergeError::Same { logs } => {
            let [first, second] = logs.map(|log| inputs.get(log).map_or("", |input| &input.name));
            Failure::new(format_args!("{first} and {second} are the same log, byte for byte; leave one out"))
        }
        MergeError::SeveralBoots { log, boots } => {
            let path = inputs.get(log).and_then(|input| input.path.as_deref()).map_or("-".into(), in_a_shell);
            Failure::new(format_args!(
                "log {} has {boots} boots, whose times begin again; merge logs of one boot, such as the first, which \
                 `binlog cut {path} --session 1 -o boot1.bin` writes ({})",
                log + 1,
                name(log)
            ))
        }
        MergeError::NoName { log, .. } => Failure::new(format_args!("{error} ({})", name(log))),
        error => Failure::new(error),
    }
}

fn report<'r>(inputs: &'r [Input], merged: &'r Merged, skipped: impl Fn(usize) -> usize) -> Json<'r> {
    let log = |(log, input): (usize, &'r Input)| JsonLog {
        log: &input.name,
        records: merged.records().get(log).copied().unwrap_or(0),
        skipped_bytes: skipped(log),
    };
    let name = |log: usize| inputs.get(log).map_or("", |input| &input.name);
    let renumbered = merged.renumbered().iter().filter_map(|renumbered| {
        let log = &inputs.get(renumbered.log)?.name;
        Some(JsonRenumbered { log, name: &renumbered.name, from: renumbered.from, to: renumbered.to })
    });
    Json {
        logs: inputs.iter().enumerate().map(log).collect(),
        duplicates: merged.duplicates(),
        renumbered: renumbered.collect(),
        in_common: merged.in_common().map(|pair| pair.map(name)).collect(),
        other_descriptions: merged.other_descriptions().map(name).collect(),
    }
}
