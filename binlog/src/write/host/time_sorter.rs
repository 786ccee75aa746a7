//! Sorts the records of a log by time, with bounded memory.

use super::destination::Destination;
use super::walk::RecordWalk;
use crate::format::LogSchema;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::Path;
use std::{fmt, mem};

/// Sorts the records of a log by `TimeUS` on their way to a writer, within a window of bytes.
///
/// Threads interleave, so their records come a little out of order. The sorter keeps the latest records in memory and
/// writes the oldest of them.
///
/// ```
/// use binlog::{LogSchema, LogWriter, TimeSorter, messages::Ev};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Ev(Ev),
/// }
///
/// let sorter = TimeSorter::<FlightLog, _>::new(Vec::new(), 64 * 1024);
/// let mut log = LogWriter::<FlightLog, _>::new(sorter)?;
/// for time_us in [2, 1, 3] {
///     log.write(&Ev { time_us, id: 10 })?;
/// }
/// let bytes = log.finish()?.finish()?;
/// assert_eq!(binlog::Log::from_bytes(bytes).rows("EV")?.times_us(), [1, 2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// - A record is sorted correctly if fewer than `window` bytes of records with later times arrived before it.
///   Otherwise it is written out of order, and counted in [`late`](TimeSorter::late).
/// - Records with the same time keep their order. A record without `TimeUS` takes the time of the last record that has
///   one. Such records keep their order among each other, so those of an embedded file stay in order.
/// - Memory is bounded by the window alone: about six times its bytes, and 24 bytes for each record in it.
/// - [`flush`](Write::flush) writes all records: it ends the window, and the next one begins empty. Dropping the sorter
///   does the same, but can't report errors.
///
/// It takes the bytes of a log of the schema `S` from the preamble on, as all writers of this crate write them; records
/// that the schema doesn't have are an error. A [`HostLogger`](super::HostLogger) counts a record as written when the
/// sorter has it. For logs in a folder, see [`LogFolder::sorted_by_time`](super::LogFolder::sorted_by_time).
pub struct TimeSorter<S: LogSchema, W: Write> {
    /// `None` after it is returned.
    out: Option<W>,
    window: usize,
    /// Bytes of the preamble that are still to come.
    preamble: usize,
    /// The records in the window, and at the end perhaps the beginning of another.
    records: Vec<u8>,
    /// The whole records in `records`.
    places: Vec<Place>,
    /// Sorted bytes that `out` has up to `sent_at`.
    sent: Vec<u8>,
    sent_at: usize,
    /// Memory for the next `records`.
    spare: Vec<u8>,
    /// The time of the last record that came with one.
    last_us: u64,
    /// The time with which the last record without one was sorted.
    untimed_us: u64,
    /// The latest time that was sent.
    sent_us: u64,
    late: u64,
    schema: PhantomData<fn() -> S>,
}

/// The most tries that a signal may interrupt in a row.
const MAX_SIGNALS: u32 = 1000;

/// A record in the window.
#[derive(Clone, Copy)]
struct Place {
    time_us: u64,
    at: u32,
    length: u8,
}

impl<S: LogSchema, W: Write> TimeSorter<S, W> {
    /// A sorter with a window of at least 4096 bytes and at most 1 GiB.
    pub fn new(out: W, window: usize) -> Self {
        TimeSorter {
            out: Some(out),
            window: window.clamp(4096, 1 << 30),
            preamble: S::PREAMBLE.len(),
            records: Vec::new(),
            places: Vec::new(),
            sent: Vec::new(),
            sent_at: 0,
            spare: Vec::new(),
            last_us: 0,
            untimed_us: 0,
            sent_us: 0,
            late: 0,
            schema: PhantomData,
        }
    }

    /// Records that were written out of order, because they came too late.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// Writes all records, flushes, and returns the writer.
    ///
    /// # Errors
    ///
    /// The writer's. The records are lost then; to try again, call [`flush`](Write::flush) before.
    pub fn finish(mut self) -> io::Result<W> {
        let flushed = self.flush();
        let out = self.out.take();
        flushed.and_then(|()| out.ok_or_else(|| io::Error::other("the sorter is finished")))
    }

    /// Writes what is sorted.
    fn send(&mut self) -> io::Result<()> {
        let Some(out) = &mut self.out else { return Ok(()) };
        let mut signals = 0;
        while self.sent_at < self.sent.len() {
            match out.write(&self.sent[self.sent_at..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(taken) => {
                    self.sent_at += taken.min(self.sent.len() - self.sent_at);
                    signals = 0;
                }
                // A signal. A writer that returns nothing else has failed, and `write_all` is not to try it for ever.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => match signals {
                    MAX_SIGNALS.. => return Err(io::Error::other(error)),
                    _ => signals += 1,
                },
                Err(error) => return Err(error),
            }
        }
        self.sent.clear();
        self.sent_at = 0;
        Ok(())
    }

    /// Finds the whole records at the end of `records`.
    fn find(&mut self) -> io::Result<()> {
        let mut at = self.places.last().map_or(0, |place| place.at as usize + usize::from(place.length));
        let mut walk = RecordWalk::<S>::new(&self.records[at..]);
        for record in &mut walk {
            let time_us = match record.time_us() {
                Some(time_us) => {
                    self.last_us = time_us;
                    time_us
                }
                None => {
                    self.untimed_us = self.untimed_us.max(self.last_us);
                    self.untimed_us
                }
            };
            // No record is longer than 255 bytes.
            self.places.push(Place { time_us, at: at as u32, length: record.bytes.len() as u8 });
            at += record.bytes.len();
        }
        match walk.unknown_id() {
            Some(id) => {
                let text = format!("the log has a record with the id {id}, which the sorter's schema doesn't have");
                Err(io::Error::new(io::ErrorKind::InvalidData, text))
            }
            None => Ok(()),
        }
    }

    /// Sends the oldest records, so that no more than `rest` bytes stay.
    fn sort(&mut self, rest: usize) {
        // Stable: records of one time keep their order.
        self.places.sort_by_key(|place| place.time_us);
        let whole: usize = self.places.iter().map(|place| usize::from(place.length)).sum();
        let mut left = whole;
        self.spare.clear();
        let mut kept = 0;
        for i in 0..self.places.len() {
            let Place { time_us, at, length } = self.places[i];
            let record = &self.records[at as usize..at as usize + usize::from(length)];
            if left > rest {
                self.late += u64::from(time_us < self.sent_us);
                self.sent_us = self.sent_us.max(time_us);
                self.sent.extend_from_slice(record);
                left -= record.len();
            } else {
                self.places[kept] = Place { time_us, at: self.spare.len() as u32, length };
                self.spare.extend_from_slice(record);
                kept += 1;
            }
        }
        self.places.truncate(kept);
        self.spare.extend_from_slice(&self.records[whole..]);
        mem::swap(&mut self.records, &mut self.spare);
    }
}

impl<S: LogSchema, W: Write> Write for TimeSorter<S, W> {
    /// Takes bytes of the log. An error is that of the writer for records that came before, and nothing is taken then.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.send()?;
        if self.preamble > 0 {
            let taken = bytes.len().min(self.preamble);
            self.sent.extend_from_slice(&bytes[..taken]);
            self.preamble -= taken;
            return Ok(taken);
        }
        let before = self.records.len();
        let taken = bytes.len().min((2 * self.window).saturating_sub(before) + 1);
        self.records.extend_from_slice(&bytes[..taken]);
        if let Err(error) = self.find() {
            // Up to the last whole record, it is taken.
            let sound = self.places.last().map_or(0, |place| place.at as usize + usize::from(place.length));
            self.records.truncate(before.max(sound));
            return if sound > before { Ok(sound - before) } else { Err(error) };
        }
        if self.records.len() > 2 * self.window {
            self.sort(self.window);
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send()?;
        self.sort(0);
        // All of them are out, so later ones need not wait for a time that was wrong.
        self.untimed_us = 0;
        self.send()?;
        self.out.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl<S: LogSchema, W: Write> Drop for TimeSorter<S, W> {
    fn drop(&mut self) {
        // Drop can't return the error; `finish` does.
        let _ = self.send();
        self.sort(0);
        let _ = self.send();
    }
}

impl<S: LogSchema, W: Write> fmt::Debug for TimeSorter<S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimeSorter")
            .field("window", &self.window)
            .field("waiting", &self.records.len())
            .field("late", &self.late)
            .finish_non_exhaustive()
    }
}

/// A destination whose logs are sorted by time: see [`LogFolder::sorted_by_time`](super::LogFolder::sorted_by_time).
#[derive(Debug)]
pub struct SortedLogs<S, D> {
    pub(super) destination: D,
    pub(super) window: usize,
    pub(super) schema: PhantomData<fn() -> S>,
}

impl<S: LogSchema + 'static, D: Destination> Destination for SortedLogs<S, D> {
    type Log = TimeSorter<S, D::Log>;

    fn open(&mut self) -> io::Result<Self::Log> {
        Ok(TimeSorter::new(self.destination.open()?, self.window))
    }

    fn log_bytes(&self) -> Option<u64> {
        self.destination.log_bytes()
    }

    fn path(&self) -> Option<&Path> {
        self.destination.path()
    }
}
