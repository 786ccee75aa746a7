//! The open log: writes bytes to it, tries again after errors, and counts what it took.

use super::destination::Destination;
use super::queue::Queue;
use super::reports::Reports;
use super::walk::RecordWalk;
use crate::format::LogSchema;
use crate::write::WriteError;
use crate::write::writer::Progress;
use std::io::{self, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The time between two tries after an error.
const RETRY: Duration = Duration::from_millis(20);

/// The destination took nothing for too long. The error is kept.
pub(super) struct GivenUp;

pub(super) struct Output<S: LogSchema, D: Destination> {
    queue: Arc<Queue<S>>,
    destination: D,
    /// `None` after it is returned.
    log: Option<D::Log>,
    /// How long the destination may take nothing before it is given up.
    patience: Duration,
    /// What the open log has.
    written: Progress,
    pub(super) reports: Option<Reports>,
    error: Option<WriteError>,
}

impl<S: LogSchema, D: Destination> Output<S, D> {
    /// Opens the first log and writes its preamble.
    pub(super) fn open(
        queue: Arc<Queue<S>>,
        mut destination: D,
        patience: Duration,
        reports: Option<Reports>,
    ) -> Result<Self, WriteError> {
        let opened = destination.open().and_then(|mut log| {
            let mut rest = S::PREAMBLE;
            while !rest.is_empty() {
                rest = &rest[try_for(&mut log, Duration::ZERO, |log| write_some(log, rest))?..];
            }
            Ok(log)
        });
        let log = opened.map_err(|error| WriteError::new(error, destination.path(), Progress::default()))?;
        let written = Progress { records: 0, bytes: S::PREAMBLE.len() as u64 };
        Ok(Output { queue, destination, log: Some(log), patience, written, reports, error: None })
    }

    /// Closes the log and begins the next. Returns whether there is one: if not, the log continues, and the error is
    /// kept.
    pub(super) fn begin_next(&mut self) -> Result<bool, GivenUp> {
        self.flush()?;
        match self.destination.open() {
            Ok(log) => {
                self.log = Some(log);
                self.written = Progress::default();
                self.take(S::PREAMBLE, |_, _, _| {})?;
                self.queue.has_begun_log();
                Ok(true)
            }
            Err(error) => {
                self.queue.cannot_begin_log();
                self.error.get_or_insert_with(|| WriteError::not_begun(error, self.destination.path(), self.written));
                Ok(false)
            }
        }
    }

    /// Bytes that the log may still have. No limit for a while after the next log couldn't be begun.
    pub(super) fn room(&self) -> Option<usize> {
        if self.queue.is_reopening() {
            return None;
        }
        let room = self.destination.log_bytes()?.saturating_sub(self.written.bytes);
        Some(usize::try_from(room).unwrap_or(usize::MAX))
    }

    /// Writes whole records, and counts each with its last byte. `passed` grows by the length of the records counted.
    pub(super) fn put(&mut self, records: &[u8], passed: &mut usize) -> Result<(), GivenUp> {
        let from = *passed;
        self.take(records, |output, written, stall| {
            let done = *passed - from;
            *passed += output.count(&records[done..written], stall);
        })
    }

    /// Writes bytes. After each piece that the log took, `note` gets the bytes written so far and how long it took.
    fn take(&mut self, bytes: &[u8], mut note: impl FnMut(&mut Self, usize, Duration)) -> Result<(), GivenUp> {
        let mut at = 0;
        while at < bytes.len() {
            let begun = Instant::now();
            let taken = self.try_for_a_while(|log| write_some(log, &bytes[at..]))?;
            at += taken;
            self.written.bytes += taken as u64;
            if let Some(reports) = &mut self.reports {
                reports.count(taken);
            }
            note(self, at, begun.elapsed());
        }
        Ok(())
    }

    /// Counts the whole records in bytes that were written. Returns their length.
    fn count(&mut self, bytes: &[u8], stall: Duration) -> usize {
        let mut walk = RecordWalk::<S>::new(bytes);
        let counts = walk.counts();
        let mut state = self.queue.lock();
        for (index, records) in counts.into_iter().enumerate().filter(|(_, records)| *records > 0) {
            state.gate.count(index, |tally| tally.written = tally.written.wrapping_add(records));
            self.written.records += u64::from(records);
        }
        let stall_us = u32::try_from(stall.as_micros()).unwrap_or(u32::MAX);
        state.longest_stall_us = state.longest_stall_us.max(stall_us);
        walk.position()
    }

    pub(super) fn flush(&mut self) -> Result<(), GivenUp> {
        self.try_for_a_while(Write::flush)
    }

    /// Repeats an action until it succeeds, or has failed for too long.
    fn try_for_a_while<T>(&mut self, action: impl FnMut(&mut D::Log) -> io::Result<T>) -> Result<T, GivenUp> {
        let log = self.log.as_mut().ok_or(GivenUp)?;
        try_for(log, self.patience, action).map_err(|error| {
            self.keep(error);
            GivenUp
        })
    }

    fn keep(&mut self, error: io::Error) {
        self.error.get_or_insert_with(|| WriteError::new(error, self.destination.path(), self.written));
    }

    /// The last log, and the first error that a further try didn't overcome.
    pub(super) fn end(&mut self) -> (Option<D::Log>, Option<WriteError>) {
        (self.log.take(), self.error.take())
    }
}

/// Writes a piece of some bytes, at least one. Returns its length.
fn write_some(log: &mut impl Write, bytes: &[u8]) -> io::Result<usize> {
    match log.write(bytes)? {
        0 => Err(io::ErrorKind::WriteZero.into()),
        // A destination may claim to have written more than it was given.
        written => Ok(written.min(bytes.len())),
    }
}

/// Repeats an action until it succeeds, or has failed for longer than `patience`.
fn try_for<L, T>(log: &mut L, patience: Duration, mut action: impl FnMut(&mut L) -> io::Result<T>) -> io::Result<T> {
    let mut failing_since = None;
    loop {
        let error = match action(log) {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let failing = failing_since.get_or_insert_with(Instant::now).elapsed();
        // A signal is not a failure, and one more try is enough after it. A destination that returns nothing else has
        // failed.
        let is_signal = error.kind() == io::ErrorKind::Interrupted && failing < RETRY;
        if failing >= patience && !is_signal {
            return Err(error);
        }
        if !is_signal {
            thread::sleep(RETRY.min(patience));
        }
    }
}
