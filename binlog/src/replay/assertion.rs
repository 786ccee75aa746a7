//! Recorded flights as a test.

use super::compare::{Comparison, within};
use super::flight::Flight;
use crate::any_log::{AnyLog, FoundLogs, LeftOut};
use crate::wording::plural::Plural;
use std::any::Any;
use std::error::Error;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::{env, fmt::Write};

/// Replays the logs of a folder, and compares what the code logs with what they have; any difference panics.
///
/// `rerun` feeds the code with a flight and returns a log of what the code computes, by the schema of the flight's log.
/// [`compare`](super::compare) says what is compared. [`assert_within`] allows differences.
///
/// ```no_run
/// # use binlog::replay::{self, Flight};
/// # fn rerun(flight: &Flight) -> Result<Vec<u8>, Box<dyn std::error::Error>> { unimplemented!() }
/// #[test]
/// fn the_controller_flies_as_it_did() {
///     replay::assert_same("flights", rerun);
/// }
/// ```
///
/// The folder is read as the program reads folders: see [`FoundLogs`]. It may be a single log. A relative path starts
/// at the package's folder: `CARGO_MANIFEST_DIR`, which cargo sets while it runs tests, or else the working directory.
///
/// # Panics
///
/// With the log, the column, the record, its time and both values: if a value differs, if records are missing or added,
/// if the flight lacks a column that the code logs, or if the code logs nothing that the flight has. If `rerun` returns
/// an error or panics, or if what it returns is damaged or of the other format. If the folder has no log, if a log
/// can't be read, or if the program would warn of a file: one named like a log that is empty or no log, such as a
/// pointer of Git LFS.
///
/// The code gets a second to warm up after each boot: if its first record of a type comes by then, and the flight has
/// no more records before it than after it, those before it aren't missing. Neither is the last one if the log ends
/// there, as a power cut leaves an input without its partner.
///
/// Types, instances and columns that only the flight has aren't compared: the code may log a part of it.
#[track_caller]
pub fn assert_same(folder: impl AsRef<Path>, rerun: impl FnMut(&Flight<'_>) -> Result<Vec<u8>, Box<dyn Error>>) {
    assert_within(folder, &[], rerun);
}

/// As [`assert_same`], with tolerances: numbers of a column, `RATE.ROut`, or of all columns of a type, `RATE`, may
/// differ by as much, as pymavlink shows them. Those of a Blackbox log are as logged: `main.axisP[0]`. Infinity allows
/// all values, also those of a column that the flight lacks.
///
/// What has a tolerance must be compared in one log of the folder at least. So a tolerance of 0 makes sure that the
/// code logs something rare for one of the flights: `("EV", 0.0)`.
///
/// ```no_run
/// # use binlog::replay::{self, Flight};
/// # fn rerun(flight: &Flight) -> Result<Vec<u8>, Box<dyn std::error::Error>> { unimplemented!() }
/// #[test]
/// fn the_controller_flies_nearly_as_it_did() {
///     replay::assert_within("flights", &[("RATE.ROut", 1e-6), ("RATE.POut", 1e-6)], rerun);
/// }
/// ```
///
/// # Panics
///
/// As [`assert_same`]. If a tolerance is negative or NaN, or belongs to nothing that was compared.
#[track_caller]
pub fn assert_within(
    folder: impl AsRef<Path>,
    tolerances: &[(&str, f64)],
    rerun: impl FnMut(&Flight<'_>) -> Result<Vec<u8>, Box<dyn Error>>,
) {
    if let Err(text) = check(folder.as_ref(), tolerances, rerun) {
        panic!("{text}");
    }
}

/// The lines of a log that are shown.
const SHOWN: usize = 12;

fn check(
    folder: &Path,
    tolerances: &[(&str, f64)],
    mut rerun: impl FnMut(&Flight<'_>) -> Result<Vec<u8>, Box<dyn Error>>,
) -> Result<(), String> {
    if let Some((name, by)) = tolerances.iter().find(|(_, by)| by.is_nan() || *by < 0.0) {
        return Err(format!("the tolerance of {name} is {by}; it is a number from 0 on"));
    }
    let base = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let place = base.join(folder);
    let FoundLogs { logs, left_out } = match place.is_file() {
        true => FoundLogs { logs: vec![place.clone()], left_out: Vec::new() },
        false => FoundLogs::in_folder(&place).map_err(|error| format!("can't read {}: {error}", place.display()))?,
    };
    if logs.is_empty() && left_out.is_empty() {
        let text = "it has no logs: files .bin, .bbl, .bfl, .log or .txt that are ArduPilot or Blackbox logs";
        return Err(format!("{}: {text}", place.display()));
    }
    let mut wrong = String::new();
    for LeftOut { path, reason, .. } in &left_out {
        let _ = write!(wrong, "\n{}: {reason}; replace or remove it", path.display());
    }
    let mut failed = left_out.len();
    let mut unused = tolerances.to_vec();
    for path in &logs {
        let failures = match comparison(path, tolerances, &mut rerun) {
            Ok(comparison) => {
                unused.retain(|tolerance| !comparison.uses(tolerance));
                comparison.failures()
            }
            Err(error) => vec![error],
        };
        failed += usize::from(!failures.is_empty());
        for failure in failures.iter().take(SHOWN) {
            let _ = write!(wrong, "\n{}: {failure}", path.display());
        }
        if failures.len() > SHOWN {
            let _ = write!(wrong, "\n{}: {} more", path.display(), failures.len() - SHOWN);
        }
    }
    match failed {
        0 if unused.is_empty() => Ok(()),
        0 => {
            let names: Vec<&str> = unused.iter().map(|(name, _)| *name).collect();
            let text = "was compared in no log; mend the name of this tolerance, or remove it";
            Err(format!("{}: {} {text}", place.display(), names.join(", ")))
        }
        failed => Err(format!("{failed} of {} failed:{wrong}", Plural(logs.len() + left_out.len(), "log"))),
    }
}

/// Compares one log with what the code logs.
fn comparison(
    path: &Path,
    tolerances: &[(&str, f64)],
    rerun: &mut impl FnMut(&Flight<'_>) -> Result<Vec<u8>, Box<dyn Error>>,
) -> Result<Comparison, String> {
    let with_sources = |error: &dyn Error| {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            let _ = write!(text, ": {error}");
            source = error.source();
        }
        text
    };
    let old = AnyLog::open(path).map_err(|error| with_sources(&error))?;
    // The next logs are tried, too.
    let new = panic::catch_unwind(AssertUnwindSafe(|| rerun(&Flight::of(&old))));
    let new = new.map_err(|panicked| format!("the code panicked: {}", panic_text(&*panicked)))?;
    let new = new.map_err(|error| with_sources(&*error))?;
    let new = AnyLog::from_bytes(new).map_err(|error| format!("what the code logged: {error}"))?;
    match (&old, &new) {
        (AnyLog::ArduPilot(_), AnyLog::Blackbox(_)) => return Err(other_format("an ArduPilot", "a Blackbox")),
        (AnyLog::Blackbox(_), AnyLog::ArduPilot(_)) => return Err(other_format("a Blackbox", "an ArduPilot")),
        _ => {}
    }
    match damage(&new) {
        Some(damage) => Err(format!("what the code logged is damaged: {damage}")),
        None => Ok(within(&old, &new, tolerances)),
    }
}

fn other_format(old: &str, new: &str) -> String {
    format!("it is {old} log, and the code logged {new} log; log in the format of the flight")
}

/// The text of a panic.
fn panic_text(panicked: &(dyn Any + Send)) -> &str {
    let text = panicked.downcast_ref::<&str>().copied();
    text.or_else(|| panicked.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a text")
}

/// What of a log can't be read, first of all.
fn damage(log: &AnyLog<'_>) -> Option<String> {
    match log {
        AnyLog::ArduPilot(log) => log.skipped().first().map(ToString::to_string),
        AnyLog::Blackbox(log) => log.tables().iter().find_map(|tables| tables.lost().first().map(ToString::to_string)),
    }
}
