//! The consumer's side: from the ring to a file, with the file's beginning before it.

mod reports;
#[cfg(feature = "async")]
mod waiting;

use crate::Logger;
use crate::schema_table::Table;
use binlog::sink::{Counters, Tally};
use binlog::{HEAD_BYTES, LogSchema};
use core::mem::ManuallyDrop;
use embedded_io::Write;
use reports::Reports;

/// Takes the records out of a [`Logger`]'s ring and hands them to any [`embedded_io::Write`]: a file, a UART, a socket.
///
/// Every file begins with the schema's preamble, then with what the prologue gives. [`catch_up`](Drain::catch_up) hands
/// on what there is; a writer that takes few bytes at a time, or none for a while, is served piece by piece: each
/// [`step`](Drain::step) goes on where the last one ended.
///
/// ```
/// use binlog::{LogSchema, messages::Ev};
/// use binlog_embedded::Logger;
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Ev(Ev),
/// }
///
/// static LOG: Logger<FlightLog, 4096> = Logger::new();
///
/// # fn main() -> Result<(), core::convert::Infallible> {
/// # let mut memory = [0; 4096];
/// # let mut uart = memory.as_mut_slice();
/// LOG.start(|| 0);
/// let mut drain = LOG.drain().expect("the only drain");
/// LOG.log(&Ev { time_us: 5, id: 10 });
/// // In the main loop; an OpenLog on a UART needs no more than this.
/// drain.catch_up(&mut uart).unwrap();
/// # let left = uart.len();
/// # assert_eq!(4096 - left, FlightLog::PREAMBLE.len() + 12);
/// # Ok(())
/// # }
/// ```
pub struct Drain<'a, S: LogSchema, const N: usize, P = fn(usize) -> Option<S>> {
    logger: &'a Logger<S, N>,
    prologue: Option<P>,
    stage: Stage,
    /// A record on its way that doesn't stand in the ring: of the prologue, or of statistics.
    own: OwnRecord,
    /// Position in the ring of the next byte to hand on.
    tail: u32,
    /// The record that the next byte is in: its message, and bytes that are left of it.
    current: Option<Current>,
    /// Bytes handed on since the file began.
    bytes: u32,
    /// Whether some of them are not flushed.
    dirty: bool,
    /// Whether bytes of the ring are among them.
    has_records: bool,
    reports: Option<Reports>,
}

/// How far the file's beginning has come.
#[derive(Clone, Copy)]
enum Stage {
    /// Bytes of the preamble that are out.
    Preamble(usize),
    /// Records of the prologue that are out.
    Prologue(usize),
    Records,
}

/// A record of the drain's own.
#[derive(Clone)]
struct OwnRecord {
    bytes: [u8; 255],
    /// What of it is still to be handed on.
    rest: core::ops::Range<usize>,
}

#[derive(Clone, Copy)]
struct Current {
    index: usize,
    left: usize,
}

/// Where the next bytes come from.
enum Source {
    Preamble(usize),
    Own,
    Ring(usize),
}

impl<'a, S: LogSchema, const N: usize> Drain<'a, S, N> {
    pub(crate) fn of(logger: &'a Logger<S, N>) -> Option<Self> {
        let tail = logger.state.with(|state| match core::mem::replace(&mut state.drained, true) {
            true => None,
            false => Some(state.tail),
        })?;
        // What an earlier drain handed on is between it and its writer.
        for index in 0..S::MESSAGES.len() {
            logger.state.with(|state| {
                if let Some(tally) = state.counters.tallies_mut().get_mut(index) {
                    tally.unflushed = 0;
                }
            });
        }
        Some(Drain {
            logger,
            prologue: None,
            stage: Stage::Preamble(0),
            own: OwnRecord { bytes: [0; 255], rest: 0..0 },
            tail,
            current: None,
            bytes: 0,
            dirty: false,
            has_records: false,
            reports: None,
        })
    }

    /// The same drain with what follows the preamble in every file: the `i`th record for 0, 1, 2 and so on, until
    /// `None`. Readers want the parameters, the firmware's name as MSG and the mode there.
    pub fn with_prologue<P: FnMut(usize) -> Option<S>>(self, prologue: P) -> Drain<'a, S, N, P> {
        let drain = ManuallyDrop::new(self);
        // What is copied owns nothing, and the ring stays this drain's.
        Drain {
            logger: drain.logger,
            prologue: Some(prologue),
            stage: drain.stage,
            own: drain.own.clone(),
            tail: drain.tail,
            current: drain.current,
            bytes: drain.bytes,
            dirty: drain.dirty,
            has_records: drain.has_records,
            reports: drain.reports.clone(),
        }
    }
}

impl<'a, S: LogSchema, const N: usize, P: FnMut(usize) -> Option<S>> Drain<'a, S, N, P> {
    /// Hands on what the ring held when it was called, and before it the file's beginning where that is still to come.
    /// What is logged meanwhile may stay, or a writer that is slower than the loggers would never see the end of it.
    /// Returns how many bytes the writer took; it ends early when the writer takes none.
    ///
    /// What was handed on is safe after a [`flush`](Drain::flush); a [`restart`](Drain::restart) before that counts it
    /// as lost.
    ///
    /// # Errors
    ///
    /// The writer's, as of [`step`](Drain::step).
    pub fn catch_up<W: Write>(&mut self, writer: &mut W) -> Result<usize, W::Error> {
        let head = self.head();
        let mut total = 0;
        loop {
            match self.step(writer)? {
                0 => return Ok(total),
                taken => total += taken,
            }
            if self.has_passed(head) {
                return Ok(total);
            }
        }
    }

    /// Ends a file: hands on what the ring holds and the last statistics, and flushes. [`Logger::stop`] before it, or
    /// some of what is logged meanwhile stays in the ring.
    ///
    /// # Errors
    ///
    /// The writer's, as of [`step`](Drain::step).
    pub fn finish<W: Write>(&mut self, writer: &mut W) -> Result<(), W::Error> {
        self.catch_up(writer)?;
        self.report();
        self.catch_up(writer)?;
        self.flush(writer)
    }

    /// Hands the next piece to the writer, in one call of its `write`: of the preamble, of the prologue, of statistics,
    /// or as many records as stand end to end. Returns how many bytes it took; 0 when there are none.
    ///
    /// # Errors
    ///
    /// The writer's. What it did not take stays; a call later goes on there. Where the file is lost,
    /// [`restart`](Drain::restart) begins another.
    pub fn step<W: Write>(&mut self, writer: &mut W) -> Result<usize, W::Error> {
        let source = self.next();
        self.hand_on(source, writer)
    }

    fn hand_on<W: Write>(&mut self, source: Source, writer: &mut W) -> Result<usize, W::Error> {
        #[cfg_attr(not(loom), allow(clippy::needless_borrow, reason = "loom's is no slice"))]
        let bytes: &[u8] = &self.piece(&source);
        if bytes.is_empty() {
            return Ok(0);
        }
        let taken = writer.write(bytes)?.min(bytes.len());
        self.took(source, taken);
        Ok(taken)
    }

    /// Flushes the writer, after which all that was handed on is safe: it can't be lost any more.
    ///
    /// # Errors
    ///
    /// The writer's.
    pub fn flush<W: Write>(&mut self, writer: &mut W) -> Result<(), W::Error> {
        writer.flush()?;
        self.flushed();
        Ok(())
    }

    /// Begins another file, with preamble and prologue. Records that were written and not flushed count as lost, and
    /// so does one that was written in part; those of the prologue and the statistics do, too.
    ///
    /// The counts since boot go into the new file with its first statistics, whatever the last one said of them.
    pub fn restart(&mut self) {
        self.abandon_record();
        self.dirty = false;
        for index in 0..S::MESSAGES.len() {
            self.tally(index, |tally| {
                tally.lose_unflushed();
                tally.dropped | tally.lost | tally.decimated != 0
            });
        }
        self.stage = Stage::Preamble(0);
        self.own.rest = 0..0;
        self.bytes = 0;
        self.has_records = false;
    }

    /// Bytes handed on since the file began, modulo 2³².
    pub fn byte_count(&self) -> u32 {
        self.bytes
    }

    /// Whether bytes were handed on that no flush has made safe.
    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Whether the last byte that was handed on ended a record.
    pub fn is_between_records(&self) -> bool {
        self.current.is_none() && self.own.rest.is_empty()
    }

    /// Where the next record will be put.
    pub(crate) fn head(&self) -> u32 {
        self.logger.state.with(|state| state.head)
    }

    /// Hands on the rest of a record of which a part was, so that the file may end there.
    #[cfg(feature = "sdmmc")]
    pub(crate) fn end_record<W: Write>(&mut self, writer: &mut W) -> Result<(), W::Error> {
        loop {
            let source = match &self.current {
                Some(current) => Source::Ring(current.left),
                None if self.own.rest.is_empty() => return Ok(()),
                None => Source::Own,
            };
            self.hand_on(source, writer)?;
        }
    }

    /// Whether the file has more than its beginning.
    #[cfg(feature = "sdmmc")]
    pub(crate) fn has_records(&self) -> bool {
        self.has_records
    }

    /// Whether all records before a position of [`head`](Drain::head) were handed on, and all statistics that are due.
    pub(crate) fn has_passed(&self, head: u32) -> bool {
        matches!(self.stage, Stage::Records)
            && self.own.rest.is_empty()
            && self.tail.wrapping_sub(head) as i32 >= 0
            && self.reports.as_ref().is_none_or(Reports::are_complete)
    }

    /// The logger whose ring this is.
    pub fn logger(&self) -> &'a Logger<S, N> {
        self.logger
    }

    fn next(&mut self) -> Source {
        let used = self.logger.state.with(|state| {
            let used = state.head.wrapping_sub(state.tail);
            state.high_water = state.high_water.max(used);
            used
        });
        if let Some(reports) = &mut self.reports {
            reports.sample(N as u32 - used);
        }
        loop {
            if !self.own.rest.is_empty() {
                return Source::Own;
            }
            match self.stage {
                Stage::Preamble(at) if at < S::PREAMBLE.len() => return Source::Preamble(at),
                Stage::Preamble(_) => self.stage = Stage::Prologue(0),
                Stage::Prologue(record) => match self.prologue.as_mut().and_then(|prologue| prologue(record)) {
                    Some(message) => {
                        self.stage = Stage::Prologue(record.saturating_add(1));
                        self.own.put(&message);
                    }
                    None => self.stage = Stage::Records,
                },
                Stage::Records => {
                    // A record of the drain's own stands between two of the ring, not inside of one.
                    if self.current.is_some() || !self.put_report() {
                        return Source::Ring(used as usize);
                    }
                }
            }
        }
    }

    /// Whether there is something to hand on besides what the ring holds.
    #[cfg(feature = "async")]
    fn has_next(&self) -> bool {
        let begins = !matches!(self.stage, Stage::Records);
        begins || !self.own.rest.is_empty() || self.reports.as_ref().is_some_and(|it| it.are_due(self.logger.now_us()))
    }

    #[cfg(not(loom))]
    fn piece(&self, source: &Source) -> &[u8] {
        match *source {
            Source::Preamble(at) => &S::PREAMBLE[at..],
            Source::Own => &self.own.bytes[self.own.rest.clone()],
            // SAFETY: from tail on, `used` bytes are the drain's, of which there is one; `took` lets go of them, for
            // which the slice has to end.
            Source::Ring(used) => unsafe { self.logger.ring.slice(self.tail, used) },
        }
    }

    #[cfg(loom)]
    fn piece(&self, source: &Source) -> std::vec::Vec<u8> {
        match *source {
            Source::Preamble(at) => S::PREAMBLE[at..].to_vec(),
            Source::Own => self.own.bytes[self.own.rest.clone()].to_vec(),
            // SAFETY: as above.
            Source::Ring(used) => unsafe { self.logger.ring.slice(self.tail, used) },
        }
    }

    fn took(&mut self, source: Source, taken: usize) {
        self.bytes = self.bytes.wrapping_add(taken as u32);
        self.dirty |= taken > 0;
        if let Some(reports) = &mut self.reports {
            reports.count(taken);
        }
        match source {
            Source::Preamble(at) => self.stage = Stage::Preamble(at + taken),
            Source::Own => {
                self.own.rest.start += taken;
                if self.own.rest.is_empty() {
                    let (index, _) = Table::<S>::BY_ID[usize::from(self.own.bytes[2])];
                    self.tally(index.into(), |tally| {
                        tally.count_written();
                        false
                    });
                }
            }
            Source::Ring(_) => {
                self.has_records |= taken > 0;
                let mut left = taken;
                while left > 0 {
                    let part = self.part_of_a_record(left);
                    left -= part;
                }
            }
        }
    }

    /// Lets go of at most `taken` bytes of the record in hand, and counts it with its last byte.
    fn part_of_a_record(&mut self, taken: usize) -> usize {
        let current = match self.current {
            Some(current) => current,
            None => {
                let id = self.byte(2);
                // `log` puts nothing into the ring that this table doesn't have.
                let (index, length) = Table::<S>::BY_ID[usize::from(id)];
                Current { index: index.into(), left: length.into() }
            }
        };
        let part = current.left.min(taken);
        let left = current.left - part;
        self.current = (left > 0).then_some(Current { left, ..current });
        self.release(part, current.index, |tally| {
            if left == 0 {
                tally.count_written();
            }
        });
        part
    }

    /// A byte of the ring from the tail on, inside of what is in use.
    fn byte(&self, offset: u32) -> u8 {
        // SAFETY: the record in hand is whole, and the drain's.
        let slice = unsafe { self.logger.ring.slice(self.tail.wrapping_add(offset), 1) };
        slice[0]
    }

    fn flushed(&mut self) {
        if core::mem::take(&mut self.dirty) {
            for index in 0..S::MESSAGES.len() {
                self.tally(index, |tally| {
                    tally.unflushed = 0;
                    false
                });
            }
        }
    }
}

impl OwnRecord {
    fn put<S: LogSchema>(&mut self, message: &S) {
        let (id, payload) = message.record();
        let length = payload.len() + 3;
        // One of a message that is written by hand and contradicts itself is left out.
        let sound = length == usize::from(Table::<S>::BY_ID[usize::from(id)].1);
        if let (true, Some(record)) = (sound, self.bytes.get_mut(..length)) {
            record[..3].copy_from_slice(&[HEAD_BYTES[0], HEAD_BYTES[1], id]);
            record[3..].copy_from_slice(payload);
            self.rest = 0..length;
        }
    }
}

impl<S: LogSchema, const N: usize, P> Drain<'_, S, N, P> {
    /// Lets go of bytes of a message's record, and counts.
    fn release(&mut self, bytes: usize, index: usize, count: impl FnOnce(&mut Tally)) {
        self.tail = self.tail.wrapping_add(bytes as u32);
        let tail = self.tail;
        self.logger.state.with(|state| {
            debug_assert!(bytes as u32 <= state.head.wrapping_sub(state.tail), "the drain has what is in use");
            state.tail = tail;
            if let Some(tally) = state.counters.tallies_mut().get_mut(index) {
                count(tally);
            }
        });
    }

    /// The rest of a record whose beginning is in a file that nobody goes on with.
    fn abandon_record(&mut self) {
        if let Some(Current { index, left }) = self.current.take() {
            self.release(left, index, |_| {});
            self.tally(index, |tally| {
                tally.lost = tally.lost.wrapping_add(1);
                true
            });
        }
    }

    /// Changes a message's counts; true from `change` puts it on the list of those to report.
    fn tally(&self, index: usize, change: impl FnOnce(&mut Tally) -> bool) {
        self.logger.state.with(|state| {
            if let Some(tally) = state.counters.tallies_mut().get_mut(index)
                && change(tally)
            {
                state.to_report.insert(index);
            }
        });
    }
}

impl<S: LogSchema, const N: usize, P> Drop for Drain<'_, S, N, P> {
    fn drop(&mut self) {
        self.abandon_record();
        // Dropped behind the critical section, since that is the executor's code.
        #[cfg(feature = "async")]
        let _waker = self.logger.state.with(|state| state.waker.take());
        self.logger.state.with(|state| state.drained = false);
    }
}
