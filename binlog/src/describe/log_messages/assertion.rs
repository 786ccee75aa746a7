//! A file with descriptions that a test keeps up to date.

use crate::describe::golden_file;
use crate::describe::golden_file::{Annotation, Environment, Failure, Request};
use std::fmt::Display;
use std::path::Path;

/// Checks that a file has the descriptions of today, in a test:
///
/// ```no_run
/// # use binlog::{LogSchema, messages};
///
/// # #[derive(LogSchema)]
/// # enum FlightLog { Msg(messages::Msg) }
/// binlog::log_messages::assert("LogMessages.xml", binlog::log_messages::xml::<FlightLog>());
/// ```
///
/// A failed assertion ends its test, so give each file a test of its own.
///
/// The first run writes the file. Later, `BINLOG_LOCK=accept cargo test` writes it again after a change, as it does for
/// a lock, and so does `BINLOG_LOCK=release:1.4`. With `CI` set, nothing is written. A relative path starts at the
/// package's folder: `CARGO_MANIFEST_DIR`, which cargo sets while it runs tests, or else the working directory.
///
/// # Panics
///
/// If the file has other descriptions; if it is missing under CI; if it can't be read or written; if `BINLOG_LOCK` is
/// set to anything else, or under CI.
#[track_caller]
pub fn assert(path: impl AsRef<Path>, descriptions: impl Display) {
    let descriptions = descriptions.to_string();
    golden_file::assert(path.as_ref(), |path, environment| hold(path, &descriptions, environment));
}

/// Does what is requested; a release is a change that is accepted. Returns what was done, if anything was.
fn hold(path: &Path, descriptions: &str, environment: &Environment) -> Result<Option<String>, Failure> {
    // Checked out with the line ends of Windows.
    let is_same = |found: &String| found.replace("\r\n", "\n") == descriptions;
    let done = match environment.open(path)? {
        Some(found) if is_same(&found) => return Ok(None),
        Some(found) if environment.request == Request::Check => {
            let (line, text) = difference(&found, descriptions);
            return Err(Failure { annotations: vec![Annotation::new(Some(path), Some(line), &text)], text });
        }
        Some(_) => "brought up to date",
        None => "written",
    };
    golden_file::write(path, descriptions)?;
    Ok(Some(done.to_owned()))
}

/// The first line that differs, from 1, and what to do.
fn difference(found: &str, descriptions: &str) -> (usize, String) {
    let mut lines = descriptions.lines();
    let differs = |(_, line): &(usize, &str)| lines.next() != Some(line);
    let (number, line) = found.lines().enumerate().find(differs).unwrap_or((found.lines().count(), ""));
    let text = format!(
        "the schema's descriptions differ from line {} on, `{}`; after a review: BINLOG_LOCK=accept cargo test",
        number + 1,
        line.trim()
    );
    (number + 1, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, fs};

    #[test]
    fn a_file_is_written_once_and_then_checked() {
        let path = env::temp_dir().join(format!("binlog-descriptions-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        let hold = |descriptions, request, is_ci| {
            hold(&path, descriptions, &Environment { request, is_ci }).map_err(|failure| failure.text)
        };
        let missing = hold("one\n", Request::Check, true).expect_err("CI writes nothing");
        assert!(missing.contains("missing"), "{missing}");
        assert!(hold("one\n", Request::Check, false).expect("written").is_some());
        assert_eq!(hold("one\n", Request::Check, true), Ok(None));
        let changed = hold("one\ntwo\n", Request::Check, false).expect_err("it differs");
        assert!(changed.contains("from line 2 on"), "{changed}");
        let refused = hold("one\ntwo\n", Request::Accept, true).expect_err("CI writes nothing");
        assert!(refused.contains("changes nothing under CI"), "{refused}");
        assert_eq!(hold("one\ntwo\n", Request::Accept, false), Ok(Some("brought up to date".into())));
        assert_eq!(hold("one\n", Request::Release("1.4".into()), false), Ok(Some("brought up to date".into())));
        assert_eq!(fs::read_to_string(&path).expect("it was written"), "one\n");
        fs::remove_file(&path).expect("it was written");
    }
}
