//! The buffer of a writer: accepted records stay in it until the destination takes them.

use super::{Progress, WriteError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Counts the records in a buffer.
pub(crate) trait CountRecords {
    /// Whole records in the buffered bytes, which begin with one.
    fn count(&self, bytes: &[u8]) -> u64;

    /// The buffer is empty now.
    fn emptied(&mut self) {}
}

/// A destination and what it hasn't taken yet. Dropping it writes that, but can't report errors.
pub(crate) struct Buffered<W: Write, C: CountRecords> {
    /// `None` after `finish` has taken it.
    out: Option<W>,
    /// Buffered records are in `..end`; the destination has those before `start`.
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    counter: C,
    /// Records and bytes that left the buffer before.
    before: Progress,
    /// The file's path, for errors.
    path: Option<PathBuf>,
    /// After a panic in `W::write`, it is unknown how much was written, so nothing may follow.
    out_panicked: bool,
}

impl<W: Write, C: CountRecords> Buffered<W, C> {
    /// Writes what every log begins with. `buffer` is used in its whole length.
    pub(crate) fn new(
        mut out: W,
        beginning: &[u8],
        buffer: Box<[u8]>,
        counter: C,
        path: Option<PathBuf>,
    ) -> Result<Self, WriteError> {
        if let Err(error) = out.write_all(beginning) {
            return Err(WriteError::new(error, path.as_deref(), Progress::default()));
        }
        let before = Progress { records: 0, bytes: beginning.len() as u64 };
        Ok(Buffered { out: Some(out), bytes: buffer, start: 0, end: 0, counter, before, path, out_panicked: false })
    }

    /// The whole buffer, and where its records end.
    #[inline(always)]
    pub(crate) fn bytes_and_end(&mut self) -> (&mut [u8], usize) {
        (&mut self.bytes, self.end)
    }

    /// Accepts the bytes up to `end`, which were written after the buffered records.
    #[inline(always)]
    pub(crate) fn accept(&mut self, end: usize) -> &mut C {
        self.end = end;
        &mut self.counter
    }

    /// The number of free bytes after the buffered records.
    #[cfg(feature = "blackbox")]
    #[inline(always)]
    pub(crate) fn room(&self) -> usize {
        self.bytes.len() - self.end
    }

    /// Empties the buffer and makes it at least this long.
    #[cfg(feature = "blackbox")]
    pub(crate) fn enlarge(&mut self, length: usize) -> Result<(), WriteError> {
        self.drain()?;
        self.bytes = vec![0; length.max(self.bytes.len())].into();
        Ok(())
    }

    /// Writes the buffer to the destination and empties it.
    #[cold]
    pub(crate) fn drain(&mut self) -> Result<(), WriteError> {
        let Some(out) = &mut self.out else { return Ok(()) };
        if self.out_panicked {
            return Err(self.error(io::Error::other("the destination panicked, so it is unknown how much it wrote")));
        }
        while self.start < self.end {
            self.out_panicked = true;
            let taken = out.write(&self.bytes[self.start..self.end]);
            self.out_panicked = false;
            match taken {
                Ok(0) => return Err(self.error(io::ErrorKind::WriteZero.into())),
                // A destination may claim to have written more than it was given.
                Ok(taken) => self.start += taken.min(self.end - self.start),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(error)),
            }
        }
        self.before = Progress { records: self.record_count(), bytes: self.byte_count() };
        (self.start, self.end) = (0, 0);
        self.counter.emptied();
        Ok(())
    }

    /// Drains the buffer and flushes the destination.
    pub(crate) fn flush(&mut self) -> Result<(), WriteError> {
        self.drain()?;
        let flushed = self.out.as_mut().map_or(Ok(()), Write::flush);
        flushed.map_err(|error| self.error(error))
    }

    /// Flushes and returns the destination, also to an error, so that dropping the buffer doesn't write what the error
    /// reports as lost.
    pub(crate) fn finish(&mut self, flushed: Result<(), WriteError>) -> Result<W, WriteError> {
        let flushed = flushed.and_then(|()| self.flush());
        match (flushed, self.out.take()) {
            (Err(error), _) => Err(error),
            (Ok(()), Some(out)) => Ok(out),
            (Ok(()), None) => Err(self.error(io::Error::other("the log is already finished"))),
        }
    }

    /// Number of accepted records.
    pub(crate) fn record_count(&self) -> u64 {
        self.before.records + self.counter.count(&self.bytes[..self.end])
    }

    /// Number of accepted bytes, with those of the beginning.
    pub(crate) fn byte_count(&self) -> u64 {
        self.before.bytes + self.end as u64
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// An error that says how much the destination has.
    fn error(&self, error: io::Error) -> WriteError {
        let records = self.before.records + self.counter.count(&self.bytes[..self.start]);
        WriteError::new(error, self.path(), Progress { records, bytes: self.before.bytes + self.start as u64 })
    }
}

impl<W: Write, C: CountRecords> Drop for Buffered<W, C> {
    fn drop(&mut self) {
        // Drop can't return the error; `finish` does.
        let _ = self.drain();
    }
}
