//! A whole Blackbox log in memory: its sessions, their frames, tables and events.

mod frames;
mod letters;
mod lost;
mod session;

pub use frames::{Frame, Frames, Item};
pub use lost::{Lost, LostReason};
pub use session::Session;

use crate::log::OpenError;
use crate::log::bytes::{self, Bytes};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// A Blackbox log in memory, or mapped into it.
///
/// Opening only loads or maps the bytes. The sessions are found on first use; frames are decoded when they are asked for.
pub struct BlackboxLog<'a> {
    bytes: Bytes<'a>,
    sessions: OnceLock<Vec<Range<usize>>>,
}

impl BlackboxLog<'static> {
    /// Reads a file. Bytes appended after opening are left out; if the file becomes shorter, the log ends there.
    /// Anything but a regular file, such as `/dev/stdin`, is read to its end.
    ///
    /// # Errors
    ///
    /// If the file can't be opened or read, or doesn't fit into memory. The error names the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        bytes::read(path.as_ref()).map(|bytes| BlackboxLog::of(Bytes::Owned(bytes)))
    }

    /// Reads a reader to its end: `std::io::stdin()`, a decompressor.
    ///
    /// # Errors
    ///
    /// Errors of the reader.
    pub fn from_reader(reader: impl Read) -> io::Result<Self> {
        bytes::read_all(reader, 0).map(|bytes| BlackboxLog::of(Bytes::Owned(bytes)))
    }
}

impl<'a> BlackboxLog<'a> {
    /// Uses bytes in memory as a log: a `Vec<u8>` or a `&[u8]`.
    pub fn from_bytes(bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        BlackboxLog::of(match bytes.into() {
            Cow::Borrowed(bytes) => Bytes::Borrowed(bytes),
            Cow::Owned(bytes) => Bytes::Owned(bytes),
        })
    }

    pub(crate) fn of(bytes: Bytes<'a>) -> Self {
        BlackboxLog { bytes, sessions: OnceLock::new() }
    }

    /// The log's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The sessions, in the order of the log. A log has one for each time that the vehicle was armed.
    pub fn sessions(&self) -> impl ExactSizeIterator<Item = Session<'_>> {
        self.ranges().iter().map(|range| Session::new(&self.bytes, range.clone()))
    }

    /// The session with this index, beginning at 0.
    pub fn session(&self, index: usize) -> Option<Session<'_>> {
        self.ranges().get(index).map(|range| Session::new(&self.bytes, range.clone()))
    }

    fn ranges(&self) -> &[Range<usize>] {
        self.sessions.get_or_init(|| session::ranges(&self.bytes))
    }
}

impl fmt::Debug for BlackboxLog<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlackboxLog").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}
