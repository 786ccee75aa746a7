//! The logs of a command line.

use super::{Input, Source, require_stdin_once, shown};
use crate::outcome::{CommandResult, Failure, Outcome, print_and_go_on, warn};
use binlog::{FoundLogs, LeftOut};
use std::path::{Path, PathBuf};

/// The logs that are given. A folder stands for the logs in it and in its folders, sorted by path.
#[derive(Debug)]
pub struct Sources {
    sources: Vec<Source>,
    left_out: Vec<LeftOut>,
}

impl Sources {
    /// Finds the logs of the given files and folders.
    ///
    /// # Errors
    ///
    /// If a given folder can't be read or has no logs, or if standard input is given twice.
    pub fn of(given: &[PathBuf]) -> Result<Self, Failure> {
        require_stdin_once(given.iter().map(PathBuf::as_path))?;
        let (mut sources, mut left_out) = (Vec::new(), Vec::new());
        for path in given {
            if !path.is_dir() {
                sources.push(Source::of(path));
                continue;
            }
            let contents = FoundLogs::in_folder(path)
                .map_err(|error| Failure::new(format_args!("can't read the folder {}: {error}", shown(path))))?;
            if contents.logs.is_empty() && contents.left_out.is_empty() {
                let text = "it has no logs: files .bin, .bbl, .bfl, .log or .txt that are ArduPilot or Blackbox logs";
                return Err(Failure::new(format_args!("{}: {text}", shown(path))));
            }
            sources.extend(contents.logs.into_iter().map(Source::File));
            left_out.extend(contents.left_out);
        }
        Ok(Sources { sources, left_out })
    }

    /// Where the logs are.
    pub fn iter(&self) -> std::slice::Iter<'_, Source> {
        self.sources.iter()
    }

    /// The number of logs.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether the folders have no logs, but only what is left out.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The paths of those that aren't standard input.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().filter_map(Source::path)
    }

    /// What is left out of folders: files that have no data or aren't logs, folders that can't be read.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Says what is left out. A command ends so or worse: [`Outcome::Failed`] if no log remains.
    pub fn warn_of_left_out(&self) -> Outcome {
        for LeftOut { path, reason, .. } in &self.left_out {
            warn(format_args!("{}: left out: {reason}", shown(path)));
        }
        match self.left_out.is_empty() {
            true => Outcome::Fine,
            false if self.sources.is_empty() => Outcome::Failed,
            false => Outcome::Lost,
        }
    }

    /// Opens a log.
    ///
    /// # Errors
    ///
    /// As [`Input::open`].
    pub fn open(&self, source: &Source) -> Result<Input, Failure> {
        Ok(Input { is_one_of_several: self.sources.len() > 1, ..Input::open(source)? })
    }

    /// Runs a command on each log, and says what is left out. If one fails, the failure is printed and the command
    /// continues with the next. Each log ends as its [`Input::warn_of_loss`] or worse. A log that lacks what was asked
    /// for isn't a failure, unless all do.
    ///
    /// # Errors
    ///
    /// If the output can't be written or was closed.
    pub fn for_each(&self, mut command: impl FnMut(&Input) -> CommandResult) -> CommandResult {
        let (mut worst, mut absent) = (self.warn_of_left_out(), 0);
        for source in &self.sources {
            let outcome = self.open(source).and_then(|input| input.ended(command(&input)));
            absent += usize::from(outcome.as_ref().is_err_and(Failure::is_absent));
            worst = worst.max(outcome.or_else(print_and_go_on)?);
        }
        Ok(if self.all_are(absent) { Outcome::Failed } else { worst })
    }

    /// Whether these are all logs, of which there is one at least.
    pub(crate) fn all_are(&self, count: usize) -> bool {
        count > 0 && count == self.len()
    }

    /// Opens all logs, for a command that needs them at once, and says what is left out.
    ///
    /// # Errors
    ///
    /// If a log can't be opened, or if the folders have none.
    pub fn open_all(&self) -> Result<(Vec<Input>, Outcome), Failure> {
        let outcome = self.warn_of_left_out();
        if self.is_empty() {
            return Err(Failure::new("no log is left"));
        }
        let inputs = self.sources.iter().map(|source| self.open(source)).collect::<Result<_, _>>()?;
        Ok((inputs, outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_is_read_once() {
        let twice = [PathBuf::from("-"), PathBuf::from("-")];
        assert!(Sources::of(&twice).is_err());
        let once = Sources::of(&twice[..1]).expect("standard input");
        assert_eq!(once.iter().collect::<Vec<_>>(), [&Source::Stdin]);
    }
}
