//! A flight that is replayed and compared with its log.

use crate::{FILE, failed, with_advice};
use binlog::replay::{Flight, compare};
use binlog::{AnyLog, LogWriter};
use simulator::replay::{self, Changed, Failure};
use std::error::Error;
use std::fmt::{Display, Write};
use std::path::Path;
use std::{fs, io};

/// The most notes on a flight that are shown.
const NOTES: usize = 20;

/// Replays a log, and writes the log of the replay if it has a place. Returns a text that says how the two differ.
///
/// # Errors
///
/// If the flight can't be replayed, or if the outputs differ although nothing is changed.
pub(crate) fn replayed(path: &Path, changed: &[Changed], output: Option<&Path>) -> Result<String, Box<dyn Error>> {
    let flight = AnyLog::open(path).map_err(|error| with_sources(&error))?;
    let (mut notes, mut log) = (Vec::new(), LogWriter::new(Vec::new()).map_err(|error| failed(&error, FILE))?);
    let note = |text: &dyn Display| notes.push(text.to_string());
    replay::rerun(Flight::of(&flight).messages(), changed, &mut log, note).map_err(|error| match error {
        Failure::Write(error) => failed(&error, FILE),
        Failure::Replay(error) => format!("{}: {}", path.display(), with_sources(&error)),
    })?;
    let log = log.finish()?;
    if let Some(output) = output {
        write(output, &log, path)?;
    }
    let comparison = compare(&flight, &AnyLog::from_bytes(log)?);
    let rates = comparison.types().iter().find(|it| it.name == "RATE").map(|it| it.compared);
    let Some(records) = rates else {
        return Err(format!("{}: no RATE with IMU[0], which the rate controller needs", path.display()).into());
    };
    let mut text = String::new();
    for note in notes.iter().take(NOTES) {
        writeln!(text, "{}: {note}", path.display())?;
    }
    if notes.len() > NOTES {
        writeln!(text, "{}: {} more", path.display(), notes.len() - NOTES)?;
    }
    if comparison.is_same() {
        let records = if records == 1 { "1 record".into() } else { format!("{records} records") };
        writeln!(text, "{records} of RATE, all as in {}", path.display())?;
    } else {
        write!(text, "{comparison}")?;
    }
    if let (false, Some(output)) = (comparison.is_same(), output) {
        let (old, new) = (path.display(), output.display());
        writeln!(text, "\nbinlog plot {old} {new} RATE.ROut shows both")?;
    }
    match comparison.is_same() || !changed.is_empty() {
        true => Ok(text),
        false => {
            let hint = "a part of a flight, as `binlog cut` makes it, lacks the states of the filters at its beginning";
            let (path, text) = (path.display(), text.trim_end());
            Err(format!("the controller computes something else than in {path}; {hint}\n{text}").into())
        }
    }
}

/// Writes the log of the replay, but never over the flight's.
fn write(output: &Path, log: &[u8], flight: &Path) -> Result<(), String> {
    let is_flight = fs::canonicalize(output).ok().zip(fs::canonicalize(flight).ok()).is_some_and(|(a, b)| a == b);
    if is_flight {
        return Err(format!("{} is the flight itself; choose another place with {FILE}", output.display()));
    }
    let failed = |error: io::Error| with_advice(&format_args!("{}: {error}", output.display()), error.kind(), FILE);
    fs::write(output, log).map_err(failed)
}

/// An error with its sources.
fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text += &format!(": {error}");
        source = error.source();
    }
    text
}
