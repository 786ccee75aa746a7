//! The definitions of a log, or those that were written as JSON before.

use crate::input::{Input, Source};
use crate::outcome::{Failure, Outcome};
use binlog::AnyLog;
use binlog::lock::Lock;
use binlog::log::DescribedColumn;
use binlog::{Log, LoggedSchema};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The definitions of a log.
#[derive(Debug)]
pub struct Definitions {
    /// The definitions.
    pub schema: LoggedSchema,
    /// What a boot before the last describes differently from the schema: `PHAS.Phase`.
    pub described_differently: Vec<String>,
    /// How a command ends that has nothing else to say: as [`Input::warn_of_loss`] of the log.
    pub outcome: Outcome,
}

/// The definitions of the log at a path, or those in a JSON file; `-` is standard input.
///
/// # Errors
///
/// If it can't be read, or if it is neither an ArduPilot log nor the JSON of one's definitions.
pub fn read(path: &Path) -> Result<Definitions, Failure> {
    let source = Source::one(path)?;
    let file = source.path().filter(|path| path.is_file());
    let begins_as_json = file.map(begins_as_json).transpose().map_err(|error| source.can_t_read(&error))?;
    if begins_as_json == Some(false) {
        return Input::open(&source).map_err(|failure| or_lock(&source, failure)).and_then(|input| of_log(&input));
    }
    // JSON, or a pipe, which can be read once only.
    let bytes = source.read()?;
    if !is_json(&bytes) {
        return of_log(&Input::of_bytes(&source, bytes)?);
    }
    let json = str::from_utf8(&bytes).map_err(|error| Failure::of(source.name(), &error))?;
    let schema = LoggedSchema::from_json(json).map_err(|error| Failure::of(source.name(), &error))?;
    Ok(Definitions { schema, described_differently: Vec::new(), outcome: Outcome::Fine })
}

/// The error for what isn't a log: a lock is easily given in the place of one.
fn or_lock(source: &Source, failure: Failure) -> Failure {
    let text = source.path().and_then(|path| std::fs::read_to_string(path).ok());
    match text.map(|text| text.parse::<Lock>()) {
        Some(Ok(_)) => {
            let text = "is a lock, not a log; binlog lock flightlog.lock flight.bin compares it with a log";
            Failure::new(format_args!("{} {text}", source.name()))
        }
        _ => failure,
    }
}

fn of_log(input: &Input) -> Result<Definitions, Failure> {
    let AnyLog::ArduPilot(log) = &input.log else {
        let text = "it is a Blackbox log, which has no such definitions; `binlog find` lists its fields";
        return Err(Failure::new(format_args!("{}: {text}", input.name)));
    };
    let schema = log.schema();
    let described_differently = described_differently(log, &schema);
    Ok(Definitions { schema, described_differently, outcome: input.warn_of_loss() })
}

/// The columns that a boot describes differently from the schema of all boots.
fn described_differently(log: &Log<'_>, schema: &LoggedSchema) -> Vec<String> {
    if log.boots().len() == 1 {
        return Vec::new();
    }
    let mut differing: Vec<String> = Vec::new();
    for message in log.boots().flat_map(|boot| boot.log().descriptions()) {
        let Some(described) = schema.described(&message.name) else { continue };
        let differs = |column: &&DescribedColumn| described.column(&column.label).is_some_and(|known| known != *column);
        let columns = message.columns.iter().filter(differs);
        differing.extend(columns.map(|column| format!("{}.{}", message.name, column.label)));
    }
    differing.sort();
    differing.dedup();
    differing
}

fn begins_as_json(path: &Path) -> io::Result<bool> {
    let mut beginning = Vec::new();
    File::open(path)?.take(64).read_to_end(&mut beginning)?;
    Ok(is_json(&beginning))
}

fn is_json(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{")
}
