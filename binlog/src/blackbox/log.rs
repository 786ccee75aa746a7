// Held by tests/tests/blackbox/real_logs.rs, tests/tests/blackbox/damage.rs.

//! A whole Blackbox log in memory: its sessions, their frames, tables and events.

mod frames;
mod letters;
mod lost;
mod session;
mod tables;
mod typed;

pub use frames::{Frame, Frames, Item};
pub use lost::{Lost, LostReason};
pub(crate) use session::ranges_by_any_definition;
pub use session::{Session, find_session};
pub use tables::{Column, LoggedEvent, Table, Tables, table_name};
pub use typed::{Beyond, Typed, TypedError, TypedFrame, TypedFrames};

use crate::source::OpenError;
use crate::source::bytes::{self, Bytes};
use crate::source::threads::{self, in_threads, threads_for};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::iter;
use std::num::NonZero;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

/// Decoding fewer bytes takes less time than starting a thread.
const LEAST_BYTES: usize = 512 * 1024;

/// A Blackbox log in memory, or mapped into it.
///
/// Opening only loads or maps the bytes. The sessions are found on first use; frames are decoded when they are asked
/// for.
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
        bytes::read(path.as_ref()).map(BlackboxLog::of)
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
    ///
    /// A session whose first line, `H Product:`, is damaged is found by the rest of its header, whose
    /// [problems](super::header::Header::problems) say so. Other readers miss it.
    pub fn sessions(&self) -> impl ExactSizeIterator<Item = Session<'_>> {
        self.ranges().iter().map(|range| Session::new(&self.bytes, range.clone()))
    }

    /// The session with this index, beginning at 0.
    pub fn session(&self, index: usize) -> Option<Session<'_>> {
        self.ranges().get(index).map(|range| Session::new(&self.bytes, range.clone()))
    }

    /// The columns of all sessions, in the order of the log.
    ///
    /// The sessions of a long log are decoded by as many threads as there are processors.
    pub fn tables(&self) -> Vec<Tables> {
        self.tables_with(threads_for(self.bytes.len(), LEAST_BYTES))
    }

    /// As [`tables`](Self::tables), decoded by the given number of threads.
    pub fn tables_with(&self, threads: NonZero<usize>) -> Vec<Tables> {
        let ranges = self.ranges();
        let remaining = Mutex::new(ranges.iter().enumerate());
        let next =
            || threads::next(&remaining).map(|(i, range)| (i, Session::new(&self.bytes, range.clone()).tables()));
        let threads = threads.min(NonZero::new(ranges.len()).unwrap_or(threads));
        let decoded = in_threads(threads, || iter::from_fn(next).collect::<Vec<_>>());
        let mut all: Vec<_> = decoded.into_iter().flatten().collect();
        all.sort_by_key(|(i, _)| *i);
        all.into_iter().map(|(_, tables)| tables).collect()
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
