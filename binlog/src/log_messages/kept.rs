//! A file with descriptions that a test keeps up to date.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Checks that a file has the descriptions of today, in a test:
///
/// ```no_run
/// # use binlog::{LogSchema, messages};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Msg(messages::Msg) }
/// binlog::log_messages::assert("LogMessages.xml", FlightLog::log_messages_xml());
/// ```
///
/// The first run writes the file. Later, `BINLOG_LOCK=accept cargo test` writes it again after a change, as it does for
/// a lock. With `CI` set, nothing is written. A relative path starts at the package's folder: `CARGO_MANIFEST_DIR`,
/// which cargo sets while it runs tests, or else the working directory.
///
/// # Panics
///
/// If the file has other descriptions; if it is missing under CI; if it can't be read or written.
#[track_caller]
pub fn assert(path: impl AsRef<Path>, descriptions: impl Display) {
    let shown = path.as_ref().display();
    let folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let is_ci = env::var_os("CI").is_some_and(|ci| !matches!(ci.to_str(), Some("" | "0" | "false")));
    let accepts = env::var_os("BINLOG_LOCK").is_some_and(|request| request == "accept");
    match keep(&folder.join(&path), &descriptions.to_string(), accepts, is_ci) {
        Ok(None) => {}
        // Unlike `eprintln!`, this isn't captured in a test that passes.
        Ok(Some(done)) => drop(writeln!(io::stderr(), "{shown}: {done}")),
        Err(what) => panic!("{shown}: {what}"),
    }
}

/// Returns what was done, if anything was.
fn keep(path: &Path, descriptions: &str, accepts: bool, is_ci: bool) -> Result<Option<&'static str>, String> {
    let found = match fs::read_to_string(path) {
        Ok(found) => Some(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("can't be read: {error}")),
    };
    // Checked out with the line ends of Windows.
    let is_same = |found: &String| found.replace("\r\n", "\n") == descriptions;
    let done = match &found {
        Some(found) if is_same(found) => return Ok(None),
        None if is_ci => {
            return Err("the file is missing: run the test once on your machine, and commit the file".into());
        }
        Some(found) if !accepts || is_ci => return Err(difference(found, descriptions)),
        Some(_) => "brought up to date",
        None => "written; commit it with the code",
    };
    fs::write(path, descriptions).map_err(|error| format!("can't be written: {error}"))?;
    Ok(Some(done))
}

/// The first line that differs.
fn difference(found: &str, descriptions: &str) -> String {
    let mut lines = descriptions.lines();
    let differs = |(_, line): &(usize, &str)| lines.next() != Some(line);
    let (number, line) = found.lines().enumerate().find(differs).unwrap_or((found.lines().count(), ""));
    format!(
        "the schema's descriptions differ from line {} on, `{}`; after a review: BINLOG_LOCK=accept cargo test",
        number + 1,
        line.trim()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_once_and_then_checked() {
        let path = env::temp_dir().join(format!("binlog-kept-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        assert!(keep(&path, "one\n", false, true).expect_err("CI writes nothing").contains("missing"));
        assert!(keep(&path, "one\n", false, false).expect("written").is_some());
        assert_eq!(keep(&path, "one\n", false, true), Ok(None));
        let changed = keep(&path, "one\ntwo\n", false, false).expect_err("it differs");
        assert!(changed.contains("from line 2 on"), "{changed}");
        assert!(keep(&path, "one\ntwo\n", true, true).is_err(), "CI writes nothing");
        assert_eq!(keep(&path, "one\ntwo\n", true, false), Ok(Some("brought up to date")));
        assert_eq!(fs::read_to_string(&path).expect("it was written"), "one\ntwo\n");
        fs::remove_file(&path).expect("it was written");
    }
}
