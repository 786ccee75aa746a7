//! `binlog merge`: several logs as one.

use super::written::{ardupilot, check_destination};
use crate::arguments::{Context, Logs};
use crate::counted::counted;
use crate::input::{Input, sources};
use crate::json;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::{Existing, Output};
use binlog::merge::{MergeError, Merged, merge};
use serde::Serialize;
use std::path::PathBuf;

/// Merges logs of one boot by time: parts of a log, or the logs of several loggers.
///
/// Ids of types, units and multipliers are matched by what they mean. Types that two logs define differently are an
/// error; leave them out of one of the logs with `binlog cut --without`.
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
    let sources = sources(&arguments.logs.logs)?;
    let inputs = sources.iter().map(Input::open).collect::<Result<Vec<_>, _>>()?;
    let logs = inputs.iter().map(ardupilot).collect::<Result<Vec<_>, _>>()?;
    let paths = inputs.iter().filter_map(|input| input.path.as_deref());
    let mut out = Output::create(Some(&arguments.output), paths, arguments.existing)?;
    let merged = merge(logs, &mut out).map_err(|error| failure(error, &inputs))?;
    out.finish()?;
    let skipped = |log: usize| -> usize {
        merged.skipped().iter().filter(|(of, _)| *of == log).map(|(_, skipped)| skipped.length).sum()
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
    inputs.iter().enumerate().for_each(|(log, input)| input.set_lost(skipped(log) > 0));
    Ok(inputs.iter().map(Input::outcome).max().unwrap_or(Outcome::Fine))
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
        MergeError::SeveralBoots { log, .. } | MergeError::NoName { log, .. } => {
            Failure::new(format_args!("{error} ({})", name(log)))
        }
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
