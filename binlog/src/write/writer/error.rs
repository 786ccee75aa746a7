//! Errors of a writer.

use crate::wording::debug_text;
use crate::wording::debug_text::debug_is_text;
use crate::wording::plural::Plural;
use std::path::{Path, PathBuf};
use std::{error, fmt, io};

/// Why a log could not be written, and how much of it the destination has.
///
/// `Display` says what failed, where, and why, with the text of the destination's own error; so does `Debug`, with
/// which `main` prints the error that it returns. Its [source](error::Error::source) is that of the destination's
/// error, so a chain of errors has no text twice. It converts into an [`io::Error`] of the same kind, so `?` works in
/// functions that return [`io::Result`].
pub struct WriteError(Box<Failure>);

struct Failure {
    error: io::Error,
    of: Of,
    path: Option<PathBuf>,
    written: Progress,
}

/// What an error is about.
#[derive(Clone, Copy)]
enum Of {
    /// The destination.
    Writing,
    /// What the program asked for: the error is this crate's.
    Request,
    /// The next log, which couldn't be begun.
    NewLog,
}

/// Records without those of the preamble, and bytes with them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Progress {
    pub(crate) records: u64,
    pub(crate) bytes: u64,
}

impl WriteError {
    pub(crate) fn new(error: io::Error, path: Option<&Path>, written: Progress) -> Self {
        WriteError(Box::new(Failure { error, of: Of::Writing, path: path.map(Path::to_owned), written }))
    }

    /// An error of a next log, after which the log before continues: that one has `written`.
    pub(crate) fn not_begun(error: io::Error, path: Option<&Path>, written: Progress) -> Self {
        WriteError(Box::new(Failure { error, of: Of::NewLog, path: path.map(Path::to_owned), written }))
    }

    /// An error about what the program asked for. The destination has nothing to do with it.
    pub(crate) fn refused(kind: io::ErrorKind, why: impl Into<String>, path: Option<&Path>) -> Self {
        let (error, path) = (io::Error::new(kind, why.into()), path.map(Path::to_owned));
        WriteError(Box::new(Failure { error, of: Of::Request, path, written: Progress::default() }))
    }

    /// The kind of the destination's error; [`InvalidInput`](io::ErrorKind::InvalidInput) for an argument that can't be
    /// logged.
    pub fn kind(&self) -> io::ErrorKind {
        self.0.error.kind()
    }

    /// Whole records that the destination has, without those of the preamble. 0 for an argument that can't be logged.
    pub fn records_written(&self) -> u64 {
        self.0.written.records
    }

    /// Bytes that the destination has, with those of the preamble. They may end inside a record. 0 for an argument that
    /// can't be logged, and if the preamble could not be written.
    pub fn bytes_written(&self) -> u64 {
        self.0.written.bytes
    }

    /// The file's path, if the log was created by path.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { error, of, path, written } = &*self.0;
        if let Some(path) = path {
            write!(f, "{}: ", path.display())?;
        }
        match of {
            Of::Writing => {}
            Of::Request => return error.fmt(f),
            Of::NewLog => {
                return write!(f, "a new log could not be begun, and the log before it has its records: {error}");
            }
        }
        write!(f, "the log can't be written: {error}")?;
        if written.bytes > 0 {
            let (records, bytes) = (Plural(written.records, "record"), Plural(written.bytes, "byte"));
            write!(f, " ({records}, {bytes} written)")?;
        }
        Ok(())
    }
}

debug_is_text!(WriteError);

impl error::Error for WriteError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        // The text has the error.
        error::Error::source(&self.0.error)
    }
}

impl From<WriteError> for io::Error {
    fn from(error: WriteError) -> Self {
        io::Error::new(error.kind(), error)
    }
}

/// Why a log that several threads shared is incomplete.
///
/// It converts into the [`WriteError`] in it, and into an [`io::Error`], so that `?` works.
pub struct FinishError<W> {
    /// What went wrong.
    pub error: WriteError,
    /// Records that were not accepted. Of a [`HostLogger`](crate::HostLogger) also those that were accepted and lost.
    pub refused: u64,
    /// The destination, if it has all records that were accepted.
    pub out: Option<W>,
}

impl<W> fmt::Display for FinishError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.out {
            Some(_) if self.refused == 0 => write!(f, "no record was lost, but an error occurred: {}", self.error),
            Some(_) => write!(f, "the log lacks {}", Plural(self.refused, "refused record")),
            None => write!(f, "the log was not finished, and lacks {}", Plural(self.refused, "refused record")),
        }
    }
}

impl<W> fmt::Debug for FinishError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_text::write(self, f)
    }
}

impl<W> error::Error for FinishError<W> {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self.out {
            // The text has the error.
            Some(_) if self.refused == 0 => self.error.source(),
            _ => Some(&self.error),
        }
    }
}

impl<W> From<FinishError<W>> for WriteError {
    fn from(error: FinishError<W>) -> Self {
        error.error
    }
}

impl<W> From<FinishError<W>> for io::Error {
    fn from(error: FinishError<W>) -> Self {
        error.error.into()
    }
}
