//! Opens logs: a file, the logs of a folder, standard input. The bytes decide about the format, never the name.

mod file;
mod folder;
mod format;

use crate::flight::Flight;
use crate::outcome::{CommandResult, Failure, Outcome, print};
use binlog::Log;
use binlog::blackbox::BlackboxLog;
use format::Format;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A log that is open.
#[derive(Debug)]
pub struct Input {
    /// Its name for messages: the path, with control characters escaped, or "standard input".
    pub name: String,
    /// Its path; `None` for standard input.
    pub path: Option<PathBuf>,
    /// The log.
    pub flight: Flight,
    /// Whether data of it was lost, as far as a command has seen that.
    is_lost: OnceLock<bool>,
}

/// Where a log is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// Standard input, `-`.
    Stdin,
    /// A file, or a device or pipe that is read to its end.
    File(PathBuf),
}

impl Source {
    /// The source of a path that isn't a folder.
    pub fn of(path: &Path) -> Self {
        if path == Path::new("-") { Source::Stdin } else { Source::File(path.to_owned()) }
    }

    /// Its name for messages.
    pub fn name(&self) -> String {
        match self {
            Source::Stdin => "standard input".into(),
            Source::File(path) => shown(path),
        }
    }

    /// Its path; `None` for standard input.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::Stdin => None,
            Source::File(path) => Some(path),
        }
    }
}

impl Input {
    /// Opens a log of either format.
    ///
    /// # Errors
    ///
    /// If it can't be read, or if it is neither an ArduPilot log nor a Blackbox log.
    pub fn open(source: &Source) -> Result<Self, Failure> {
        let flight = match source {
            Source::Stdin => {
                let failure = |error: io::Error| Failure::new(format_args!("can't read standard input: {error}"));
                Flight::of(Log::from_reader(io::stdin().lock()).map_err(failure)?)
            }
            Source::File(path) => file::open(path)?,
        };
        Input::new(source, flight)
    }

    /// The log of either format that was read from the source.
    ///
    /// # Errors
    ///
    /// If it is neither an ArduPilot log nor a Blackbox log.
    pub fn of_bytes(source: &Source, bytes: Vec<u8>) -> Result<Self, Failure> {
        Input::new(source, Flight::of(Log::from_bytes(bytes)))
    }

    fn new(source: &Source, flight: Result<Flight, Failure>) -> Result<Self, Failure> {
        let flight = flight.map_err(|failure| failure.in_(source.name()))?;
        Ok(Input { name: source.name(), path: source.path().map(Path::to_owned), flight, is_lost: OnceLock::new() })
    }

    /// Opens the log at a path that isn't a folder; `-` is standard input.
    ///
    /// # Errors
    ///
    /// As [`open`](Input::open).
    pub fn open_path(path: &Path) -> Result<Self, Failure> {
        Input::open(&Source::of(path))
    }

    /// How a command ends that has read the log and found nothing else to say: [`Outcome::Lost`] if data of the log was
    /// lost, or else [`Outcome::Fine`].
    ///
    /// Unless the command has said so by [`set_lost`](Input::set_lost), a log counts as lost if it is
    /// [damaged](Flight::is_damaged).
    pub fn outcome(&self) -> Outcome {
        Outcome::lost_if(*self.is_lost.get_or_init(|| self.flight.is_damaged()))
    }

    /// Says whether data of the log was lost. A command that knows it saves [`outcome`](Input::outcome) a pass over the
    /// log. The first call counts.
    pub fn set_lost(&self, is_lost: bool) {
        self.is_lost.get_or_init(|| is_lost);
    }
}

impl Flight {
    /// The log of either format in the bytes of one.
    fn of(log: Log<'static>) -> Result<Self, Failure> {
        Ok(match Format::of(log.bytes())? {
            Format::ArduPilot => Flight::ArduPilot(log),
            Format::Blackbox => Flight::Blackbox(BlackboxLog::from_bytes(log.bytes().to_vec())),
        })
    }
}

/// The logs that are given: a folder stands for the logs in it and in its folders, sorted by path.
///
/// # Errors
///
/// If a folder can't be read or has no logs, or if standard input is given twice.
pub fn sources(given: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let mut sources = Vec::new();
    for path in given {
        if path.is_dir() {
            let logs = folder::logs(path)?;
            if logs.is_empty() {
                let text = "it has no logs: files .bin, .bbl, .bfl, .log or .txt that are ArduPilot or Blackbox logs";
                return Err(Failure::new(format_args!("{}: {text}", shown(path))));
            }
            sources.extend(logs.into_iter().map(Source::File));
        } else {
            sources.push(Source::of(path));
        }
    }
    if sources.iter().filter(|source| **source == Source::Stdin).count() > 1 {
        return Err(Failure::new("standard input, `-`, can be read once only"));
    }
    Ok(sources)
}

/// Runs a command on each of the given logs. If one fails, the failure is printed and the command goes on with the next.
/// Each log ends as its [`Input::outcome`] or worse.
///
/// # Errors
///
/// As [`sources`], and if the output can't be written or was closed.
pub fn for_each(given: &[PathBuf], mut command: impl FnMut(&Input) -> CommandResult) -> CommandResult {
    let mut worst = Outcome::Fine;
    for source in sources(given)? {
        let outcome = Input::open(&source).and_then(|input| Ok(command(&input)?.max(input.outcome())));
        worst = worst.max(match outcome {
            Ok(outcome) => outcome,
            Err(failure) if failure.is_of_output() => return Err(failure),
            Err(failure) => {
                print(&failure);
                Outcome::Failed
            }
        });
    }
    Ok(worst)
}

/// Whether bytes begin a log of either format.
pub fn is_log(beginning: &[u8]) -> bool {
    Format::of_beginning(beginning).is_some()
}

/// A path for messages, on one line: control characters, such as a newline in a file's name, are escaped.
pub fn shown(path: &Path) -> String {
    let mut shown = String::new();
    for character in path.to_string_lossy().chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_on_one_line() {
        assert_eq!(shown(Path::new("a\nb\u{1b}[1m Überflug.bin")), "a\\nb\\u{1b}[1m Überflug.bin");
    }

    #[test]
    fn standard_input_is_read_once() {
        let twice = [PathBuf::from("-"), PathBuf::from("-")];
        assert!(sources(&twice).is_err());
        assert_eq!(sources(&twice[..1]), Ok(vec![Source::Stdin]));
    }
}
