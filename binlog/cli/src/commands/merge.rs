//! `binlog merge`: several logs as one.

use super::written::{ardupilot, check_destination};
use crate::arguments::{Context, Logs};
use crate::counted::counted;
use crate::input::{Input, in_a_shell, shown};
use crate::json;
use crate::outcome::{CommandResult, Failure, warn};
use crate::output::{Existing, Output, is_same_file};
use binlog::Log;
use binlog::merge::{MergeError, Merged, merge};
use jiff::Timestamp;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Merges logs of one boot by time: parts of a log, or the logs of several loggers.
///
/// Ids of types, units and multipliers are matched by what they mean. Types that two logs define differently are an
/// error; leave them out of one of the logs with `binlog cut --without`. Merging a log with itself is an error.
///
/// Warns if GPS times show that the logs are of different boots, and of logs without GPS times if no two logs have an
/// equal record.
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
    if merged.duplicates() == 0 {
        warn_of_unknown_boots(&inputs, &logs);
    }
    let skipped = |log: usize| -> usize {
        let of_log = merged.skipped().iter().filter(|(of, _)| *of == log).map(|(_, skipped)| skipped);
        of_log.filter(|skipped| !skipped.is_padding(inputs[log].flight.bytes())).map(|skipped| skipped.length).sum()
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

/// A file that is given twice, under one name or two.
fn given_twice<'p>(mut paths: impl Iterator<Item = &'p Path> + Clone) -> Option<(&'p Path, &'p Path)> {
    while let Some(path) = paths.next() {
        if let Some(again) = paths.clone().find(|other| is_same_file(path, other)) {
            return Some((path, again));
        }
    }
    None
}

/// The logs of one boot agree on the time of boot within so many microseconds: a GPS without a fix may report it late.
const SAME_BOOT_US: u64 = 60_000_000;

/// Warns of a log whose clock has another zero than that of the first log with GPS times.
fn warn_of_boots(inputs: &[Input], logs: &[&Log<'_>]) {
    let boots = inputs.iter().zip(logs).filter_map(|(input, log)| Some((input, log.clock()?.boot_unix_us())));
    let boots: Vec<(&Input, i64)> = boots.collect();
    let Some((first, first_us)) = boots.first() else { return };
    if let Some((other, other_us)) = boots.iter().find(|(_, boot_us)| boot_us.abs_diff(*first_us) > SAME_BOOT_US) {
        let [first_at, other_at] = [*first_us, *other_us].map(|us| {
            let second = Timestamp::from_second(us.div_euclid(1_000_000));
            second.map_or_else(|_| "at no date".to_owned(), |second| format!("at {second}"))
        });
        warn(format_args!(
            "{} and {} are of different boots, by GPS {first_at} and {other_at}; the merged log mixes their records by \
             the time since boot",
            first.name, other.name
        ));
    }
}

/// Warns of logs without GPS times, of which nothing says whether they are of one boot with the others.
fn warn_of_unknown_boots(inputs: &[Input], logs: &[&Log<'_>]) {
    let undated = inputs.iter().zip(logs).filter(|(_, log)| log.clock().is_none()).map(|(input, _)| &*input.name);
    let names: Vec<&str> = undated.collect();
    if inputs.len() > 1 && !names.is_empty() {
        warn(format_args!(
            "{}: neither a GPS time nor a record in common with the other logs shows that they are of one boot; the \
             merged log has their records in the order of the time since boot",
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
    let renumbered = merged.renumbered().iter().filter_map(|renumbered| {
        let log = &inputs.get(renumbered.log)?.name;
        Some(JsonRenumbered { log, name: &renumbered.name, from: renumbered.from, to: renumbered.to })
    });
    Json {
        logs: inputs.iter().enumerate().map(log).collect(),
        duplicates: merged.duplicates(),
        renumbered: renumbered.collect(),
    }
}
