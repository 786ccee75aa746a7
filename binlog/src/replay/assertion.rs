//! Recorded flights as a test.

use super::compare::within;
use super::flight::Flight;
use crate::any_log::{AnyLog, FoundLogs, LeftOut};
use crate::wording::plural::Plural;
use std::error::Error;
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
/// or if the code logs nothing that the flight has. If `rerun` returns an error. If the folder has no log, if a log
/// can't be read, or if the program would warn of a file: one named like a log that is empty or no log, such as a
/// pointer of Git LFS.
///
/// The code gets a second to warm up: records of a type's first second that are before the code's first one aren't
/// missing; later ones are. Neither is the last one if the log ends there, as a power cut leaves an input without its
/// partner. Types or instances that the code doesn't log aren't compared.
#[track_caller]
pub fn assert_same(folder: impl AsRef<Path>, rerun: impl FnMut(&Flight<'_>) -> Result<Vec<u8>, Box<dyn Error>>) {
    assert_within(folder, &[], rerun);
}

/// As [`assert_same`], with tolerances: numbers of a column, `RATE.ROut`, or of all columns of a type, `RATE`, may
/// differ by as much, as pymavlink shows them. Those of a Blackbox log are as logged: `main.axisP[0]`.
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
/// As [`assert_same`].
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
    for path in &logs {
        let failures = match differences(path, tolerances, &mut rerun) {
            Ok(failures) => failures,
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
        0 => Ok(()),
        failed => Err(format!("{failed} of {} failed:{wrong}", Plural(logs.len() + left_out.len(), "log"))),
    }
}

/// What differs in one log.
fn differences(
    path: &Path,
    tolerances: &[(&str, f64)],
    rerun: &mut impl FnMut(&Flight<'_>) -> Result<Vec<u8>, Box<dyn Error>>,
) -> Result<Vec<String>, String> {
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
    let new = rerun(&Flight::of(&old)).map_err(|error| with_sources(&*error))?;
    let new = AnyLog::from_bytes(new).map_err(|error| format!("what the code logged: {error}"))?;
    Ok(within(&old, &new, tolerances).failures())
}
