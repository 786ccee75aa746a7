//! Where a host's logs go: any writer, or one log after the other.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Opens the logs that a [`HostLogger`](super::HostLogger) writes, one after the other. [`LogFolder`](super::LogFolder)
/// is one. For a single log, any [`Write`] will do: [`Builder::spawn`](super::Builder::spawn).
///
/// [`open`](Destination::open) is called in the program's thread for the first log, and in the thread that writes for
/// the others.
pub trait Destination: Send + 'static {
    /// A log that is being written. Dropping it closes it.
    type Log: Write + Send + 'static;

    /// Opens the next log, empty.
    ///
    /// # Errors
    ///
    /// If it can't be opened. The records then stay in the log before.
    fn open(&mut self) -> io::Result<Self::Log>;

    /// The most bytes of a log, after which the next one begins. The limit doesn't apply to the first record after the
    /// prologue, which is always written.
    fn log_bytes(&self) -> Option<u64> {
        None
    }

    /// The path of the log that was opened last, for errors.
    fn path(&self) -> Option<&Path> {
        None
    }
}

/// A single log.
pub(super) struct Single<W> {
    /// `None` once it is open.
    pub(super) out: Option<W>,
    /// The path of a file.
    pub(super) path: Option<PathBuf>,
}

impl<W: Write + Send + 'static> Destination for Single<W> {
    type Log = W;

    fn open(&mut self) -> io::Result<W> {
        self.out.take().ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "the destination takes one log"))
    }

    fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}
