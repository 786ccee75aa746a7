//! Opens logs: a file, the logs of a folder, standard input. The bytes decide about the format, never the name.

mod file;
mod format;
mod loss;
mod other_file;
mod sources;

pub(crate) use format::{BEGINNING, is_card_image, looks_like, unread_card};
pub use sources::Sources;

use crate::any_log::{self, Session};
use crate::one_line::shown;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use binlog::blackbox::BlackboxLog;
use binlog::log::DamagedLine;
use binlog::{AnyLog, FoundLogs, Log, LogFormat};
pub use loss::other_session;
use loss::{Loss, damaged_lines};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Whether a path has a name that logs have, which end in .bin, .bbl, .bfl, .log or .txt.
pub fn looks_like_log(path: &Path) -> bool {
    FoundLogs::has_log_name(path)
}

/// A log that is open.
#[derive(Debug)]
pub struct Input {
    /// Its name for messages: the path, with control characters escaped, or "standard input".
    pub name: String,
    /// Its path; `None` for standard input.
    pub path: Option<PathBuf>,
    /// The log.
    pub log: AnyLog<'static>,
    format: LogFormat,
    is_one_of_several: bool,
    loss: OnceLock<KnownLoss>,
    /// Set when the damaged lines of a text log are reported.
    said_lines: OnceLock<()>,
}

/// What a command knows of the data that a log has lost.
#[derive(Debug)]
enum KnownLoss {
    /// The command's output says whether data was lost.
    Said(bool),
    Unsaid(Loss),
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

    /// The source of a path, for a command that reads one file.
    ///
    /// # Errors
    ///
    /// If it is a folder.
    pub fn one(path: &Path) -> Result<Self, Failure> {
        if !path.is_dir() {
            return Ok(Source::of(path));
        }
        let text = "is a folder, which this command doesn't take; name a file in it";
        Err(Failure::new(format_args!("{} {text}", shown(path))))
    }

    /// All bytes.
    ///
    /// # Errors
    ///
    /// If they can't be read.
    pub fn read(&self) -> Result<Vec<u8>, Failure> {
        let bytes = match self {
            Source::Stdin => {
                let mut bytes = Vec::new();
                io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
            }
            Source::File(path) => fs::read(path),
        };
        bytes.map_err(|error| self.can_t_read(&error))
    }

    /// The failure of reading it.
    pub(crate) fn can_t_read(&self, error: &io::Error) -> Failure {
        Failure::new(format_args!("can't read {}: {error}", self.name()))
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
    /// If it can't be read, if it is neither an ArduPilot log nor a Blackbox log, or if it has no definitions.
    pub fn open(source: &Source) -> Result<Self, Failure> {
        Input::open_undefined(source)?.with_definitions()
    }

    /// As [`open`](Input::open), also an ArduPilot log whose definitions are missing. Nothing in it can be read.
    ///
    /// # Errors
    ///
    /// If it can't be read, or if it is neither an ArduPilot log nor a Blackbox log.
    pub fn open_undefined(source: &Source) -> Result<Self, Failure> {
        let read = match source {
            Source::Stdin => of(Log::from_reader(io::stdin().lock()).map_err(|error| source.can_t_read(&error))?),
            Source::File(path) => file::open(path)?,
        };
        Input::new(source, read)
    }

    /// As [`open`](Input::open), also a Blackbox log without a header: any bytes that aren't known for something else.
    ///
    /// # Errors
    ///
    /// If it can't be read, or if it is the image of a card.
    pub(crate) fn open_without_header(source: &Source) -> Result<Self, Failure> {
        let bytes = source.read()?;
        let read = match LogFormat::of(&bytes) {
            None | Some(LogFormat::ArduPilotRecords) if !format::is_any_card(&bytes) => {
                Ok((AnyLog::Blackbox(BlackboxLog::from_bytes(bytes)), LogFormat::Blackbox))
            }
            _ => of(Log::from_bytes(bytes)),
        };
        Input::new(source, read)
    }

    /// The log of either format that was read from the source.
    ///
    /// # Errors
    ///
    /// If it is neither an ArduPilot log nor a Blackbox log, or if it has no definitions.
    pub fn of_bytes(source: &Source, bytes: Vec<u8>) -> Result<Self, Failure> {
        Input::new(source, of(Log::from_bytes(bytes)))?.with_definitions()
    }

    fn new(source: &Source, read: Result<(AnyLog<'static>, LogFormat), Failure>) -> Result<Self, Failure> {
        let (log, format) = read.map_err(|failure| failure.context(source.name()))?;
        let path = source.path().map(Path::to_owned);
        let (loss, said_lines) = (OnceLock::new(), OnceLock::new());
        Ok(Input { name: source.name(), path, log, format, is_one_of_several: false, loss, said_lines })
    }

    /// Why no record of an ArduPilot log can be read, and what to do; `None` if the log has definitions.
    pub(crate) fn lacks_definitions(&self) -> Option<String> {
        (self.format == LogFormat::ArduPilotRecords).then(|| {
            let path = self.path.as_deref().map_or("-".into(), in_a_shell);
            format!(
                "the beginning of the log is missing, and with it the definitions of its records; `binlog repair \
                 --definitions OTHER {path} -o repaired.bin` takes them from OTHER, a log of the same firmware"
            )
        })
    }

    fn with_definitions(self) -> Result<Self, Failure> {
        match self.lacks_definitions() {
            Some(text) => Err(Failure::new(text).context(&self.name)),
            None => Ok(self),
        }
    }

    /// Opens the log at a path; `-` is standard input.
    ///
    /// # Errors
    ///
    /// As [`open`](Input::open), and if it is a folder.
    pub fn open_path(path: &Path) -> Result<Self, Failure> {
        Input::open(&Source::one(path)?)
    }

    /// Its name, if the command reads several logs. What is printed of a log then says of which.
    pub fn name_among_several(&self) -> Option<&str> {
        self.is_one_of_several.then_some(&*self.name)
    }

    /// Prints its name as a heading, as `head -v` does, if the command reads several logs.
    ///
    /// # Errors
    ///
    /// If it can't be written.
    pub fn print_heading(&self, out: &mut impl Write) -> io::Result<()> {
        self.name_among_several().map_or(Ok(()), |name| writeln!(out, "==> {name} <=="))
    }

    /// The boots or sessions of the log, in its order.
    pub fn sessions(&self) -> Vec<Session<'_>> {
        any_log::sessions(&self.log)
    }

    /// How a command ends that has read the log and found nothing else to say: [`Outcome::Lost`] if data of the log was
    /// lost, or else [`Outcome::Fine`]. What was lost is printed to standard error, unless
    /// [the command's output says it](Input::note_reported).
    pub fn warn_of_loss(&self) -> Outcome {
        self.warn_of_lines().max(self.warn_of_bytes())
    }

    /// What [`warn_of_loss`](Input::warn_of_loss) says of the lines of a text log.
    pub(crate) fn warn_of_lines(&self) -> Outcome {
        let Some(lines) = damaged_lines(self.damaged_lines().unwrap_or_default()) else { return Outcome::Fine };
        if self.said_lines.set(()).is_ok() {
            warn(format_args!("{}: {lines}; {}", self.name, self.check_says_more()));
        }
        Outcome::Lost
    }

    fn check_says_more(&self) -> String {
        match &self.path {
            Some(path) => format!("`binlog check {}` says more", in_a_shell(path)),
            None => "`binlog check` says more".to_owned(),
        }
    }

    fn warn_of_bytes(&self) -> Outcome {
        let loss = self.loss.get_or_init(|| KnownLoss::Unsaid(Loss::of(&self.sessions())));
        match loss {
            KnownLoss::Said(true) => Outcome::Lost,
            _ if self.has_no_session() => {
                let text = "it has no session: the header lines `H Product:` and `H Field I name:`, which begin one, are \
                            damaged";
                warn(format_args!("{}: {text}", self.name));
                Outcome::Lost
            }
            KnownLoss::Said(false) => Outcome::Fine,
            KnownLoss::Unsaid(loss) if loss.is_nothing() => Outcome::Fine,
            KnownLoss::Unsaid(loss) => {
                warn(format_args!("{}: {loss}; {}", self.name, self.check_says_more()));
                Outcome::Lost
            }
        }
    }

    /// How a command on the log ends: as it says, or as [`warn_of_loss`](Input::warn_of_loss), whichever is worse. What
    /// it didn't find may be in what can't be read, so a failure comes with the loss, too.
    ///
    /// # Errors
    ///
    /// That of the command.
    pub fn ended(&self, command: CommandResult) -> CommandResult {
        match command {
            Err(failure) if failure.is_of_output() => Err(failure),
            command => {
                let outcome = self.warn_of_loss();
                command.map(|command| command.max(outcome))
            }
        }
    }

    /// Whether it is a Blackbox log of which nothing can be read.
    fn has_no_session(&self) -> bool {
        matches!(&self.log, AnyLog::Blackbox(log) if log.sessions().len() == 0)
    }

    /// Notes all sessions of the log after they were decoded, which saves [`warn_of_loss`](Input::warn_of_loss) a
    /// second pass.
    pub fn note_sessions(&self, sessions: &[Session<'_>]) {
        self.loss.get_or_init(|| KnownLoss::Unsaid(Loss::of(sessions)));
    }

    /// The lines of a text log that can't be read, or not as a whole; `None` for a log that isn't text.
    pub fn damaged_lines(&self) -> Option<&[DamagedLine]> {
        match &self.log {
            AnyLog::ArduPilot(log) => log.damaged_lines(),
            AnyLog::Blackbox(_) => None,
        }
    }

    /// Notes that the command's output says which lines of a text log are damaged.
    pub fn note_lines_reported(&self) {
        self.said_lines.get_or_init(|| ());
    }

    /// Notes that the command's output has what was lost of the log, and whether something was. The first call counts.
    pub fn note_reported(&self, is_lost: bool) {
        self.loss.get_or_init(|| KnownLoss::Said(is_lost));
    }
}

/// The log of either format in the bytes of one, and what its format is.
fn of(log: Log<'static>) -> Result<(AnyLog<'static>, LogFormat), Failure> {
    let format = format::of(log.bytes())?;
    Ok((AnyLog::try_from(log).map_err(Failure::new)?, format))
}

/// Requires that at most one of the paths is standard input, `-`.
///
/// # Errors
///
/// If several are.
pub fn require_stdin_once<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
    if paths.into_iter().filter(|path| Source::of(path) == Source::Stdin).count() < 2 {
        return Ok(());
    }
    Err(Failure::new("standard input, `-`, is given twice, but can be read once only; save it to a file"))
}

/// Whether the file at a path begins as a log of either format.
///
/// # Errors
///
/// If it can't be read.
pub fn is_log_file(path: &Path) -> io::Result<bool> {
    let mut beginning = Vec::new();
    fs::File::open(path)?.take(BEGINNING as u64).read_to_end(&mut beginning)?;
    Ok(is_log(&beginning))
}

/// Whether bytes begin a log of either format.
pub fn is_log(beginning: &[u8]) -> bool {
    LogFormat::of(beginning).is_some()
}

/// A path as it is typed into a shell, on one line.
pub(crate) fn in_a_shell(path: &Path) -> String {
    let shown = shown(path);
    let is_plain = |character: char| character.is_alphanumeric() || "/\\._-+:".contains(character);
    if shown.chars().all(is_plain) { shown } else { format!("'{}'", shown.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_quoted_where_a_shell_would_split_it() {
        for (name, typed) in [("logs/a-1.bin", "logs/a-1.bin"), ("my log.bin", "'my log.bin'"), ("it's", r"'it'\''s'")]
        {
            assert_eq!(in_a_shell(Path::new(name)), typed);
        }
    }
}
