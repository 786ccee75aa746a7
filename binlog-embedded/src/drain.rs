// Held by binlog-embedded/tests/drain.rs, binlog-embedded/tests/waiting.rs, binlog-embedded/tests/blackbox.

//! The consumer's side: moves records from the ring to a file, after the file's preamble and prologue.

#[cfg(feature = "mavlink")]
mod acknowledged;
mod consumer;
mod counts;
mod encoded;
mod recovered;
mod reports;
mod usage;
#[cfg(feature = "async")]
mod waiting;

use crate::Logger;
use crate::recovery::Recovery;
use binlog::ring_format::{Encoder, EncoderOf, FileFormat, FormatOf, PrologueOf, Schema, TagTable, unpack};
use binlog::sink::Tally;
use consumer::Consumer;
#[cfg(not(loom))]
pub(crate) use consumer::MAX_UNSYNCED;
use core::mem::ManuallyDrop;
use core::ops::Range;
use embedded_io::Write;
use encoded::Next;
use reports::Reports;
#[cfg(all(feature = "async", feature = "flash"))]
pub(crate) use waiting::yield_now;

/// Moves the records from a [`Logger`]'s ring to any [`embedded_io::Write`]: a file, a UART, a socket.
///
/// Every file begins with the schema's preamble, followed by the prologue. [`catch_up`](Drain::catch_up) writes
/// everything in the ring. The writer may take a few bytes at a time, or none for a while: each [`step`](Drain::step)
/// continues where the last one ended.
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
/// let mut drain = LOG.drain().expect("LOG has a drain already");
/// LOG.log(&Ev { time_us: 5, id: 10 });
/// // In the main loop. An OpenLog on a UART needs nothing else.
/// drain.catch_up(&mut uart).unwrap();
/// # let left = uart.len();
/// # assert_eq!(4096 - left, FlightLog::PREAMBLE.len() + 12);
/// # Ok(())
/// # }
/// ```
pub struct Drain<'a, S: Schema, const N: usize, P = fn(usize) -> Option<PrologueOf<S>>> {
    ring: Consumer<'a, S, N>,
    prologue: Option<P>,
    stage: Stage,
    /// What is being written but isn't in the ring: a record of the prologue or of statistics, or what a record of the
    /// ring is encoded as.
    own: Own<EncoderOf<S>>,
    /// The record that contains the next byte: its message, and how many of its bytes are left.
    current: Option<Current>,
    /// Bytes written since the file began.
    bytes: u32,
    /// Whether some of them are not flushed.
    dirty: bool,
    /// Whether they include bytes of the ring.
    has_records: bool,
    /// When bytes of the ring were last written or the ring was last empty, in microseconds modulo 2³²; 0 before.
    moved_us: u32,
    reports: Option<Reports<S, N>>,
    /// The records that are the current file, if they outlived a reset.
    recovery: Option<&'a Recovery>,
    /// Whether the last statistics of an unfinished `finish` are due or written.
    is_last_reported: bool,
}

/// Progress through the beginning of the file.
#[derive(Clone, Copy)]
enum Stage {
    /// Bytes of the preamble that are written; if it is packed, where the next piece begins.
    Preamble(usize),
    /// Records of the prologue that are written.
    Prologue(usize),
    /// Texts about recovered records that are written.
    Recovery(usize),
    Records,
}

/// Bytes that the drain encodes itself.
struct Own<E> {
    encoder: E,
    /// The part that is not written yet.
    rest: Range<usize>,
}

#[derive(Clone, Copy)]
struct Current {
    index: usize,
    left: usize,
}

/// The source of the next bytes.
enum Source {
    /// The preamble from here on.
    Preamble(usize),
    /// A part of the preamble, up to a line that is replaced.
    Lines(Range<usize>),
    Own,
    Ring(usize),
}

impl<S: Schema, const N: usize> Logger<S, N> {
    /// Returns the drain of the ring, which takes the records out. Call it once, and pass the drain on to the code that
    /// needs it.
    ///
    /// Returns `None` while another drain exists, because a ring has only one; a drain that was leaked
    /// ([`core::mem::forget`]) exists forever. So this compiles, and panics with the text of `expect`:
    ///
    /// ```should_panic
    /// # use binlog::{LogSchema, messages::Ev};
    /// # use binlog_embedded::Logger;
    /// # #[derive(LogSchema)]
    /// # enum FlightLog { Ev(Ev) }
    /// static LOG: Logger<FlightLog, 4096> = Logger::new();
    ///
    /// let drain = LOG.drain().expect("LOG has a drain already");
    /// let second = LOG.drain().expect("LOG has a drain already"); // panics
    /// # drop(drain);
    /// ```
    pub fn drain(&self) -> Option<Drain<'_, S, N>> {
        Drain::of(self, None)
    }

    /// Returns a drain although another may exist, for a panic handler: it begins a file with the first record that the
    /// other drain hasn't passed on whole.
    ///
    /// # Safety
    ///
    /// The other drain is never used or dropped again: the panic handler neither returns nor unwinds, and no interrupt,
    /// task or core runs on that has it.
    pub unsafe fn drain_in_panic(&self) -> Drain<'_, S, N> {
        self.state.with(|state| state.drained = true);
        // SAFETY: the caller's guarantee is the same.
        unsafe { Drain::new(self, None) }
    }
}

impl<'a, S: Schema, const N: usize> Drain<'a, S, N> {
    /// The only drain of a logger; `None` while there is another one. `recovery`: the records that outlived a reset.
    pub(crate) fn of(logger: &'a Logger<S, N>, recovery: Option<&'a Recovery>) -> Option<Self> {
        let was_drained = logger.state.with(|state| core::mem::replace(&mut state.drained, true));
        // SAFETY: `drained` is false only when no drain exists.
        (!was_drained).then(|| unsafe { Self::new(logger, recovery) })
    }

    /// A drain that begins with the first record in the ring.
    ///
    /// # Safety
    ///
    /// The logger has no other drain, or none that is ever used again.
    pub(crate) unsafe fn new(logger: &'a Logger<S, N>, recovery: Option<&'a Recovery>) -> Self {
        // SAFETY: the caller's guarantee is the same, since a drain has its consumer for itself.
        let ring = unsafe { Consumer::new(logger) };
        let recovery = recovery.filter(|recovery| recovery.is_left(ring.tail()));
        let drain = Drain {
            ring,
            prologue: None,
            stage: Stage::Preamble(0),
            own: Own { encoder: EncoderOf::<S>::new(), rest: 0..0 },
            current: None,
            bytes: 0,
            dirty: false,
            has_records: false,
            moved_us: 0,
            reports: None,
            recovery,
            is_last_reported: false,
        };
        // Only the earlier drain's owner knows whether records that it wrote are flushed.
        drain.begin_counts(|tally| tally.unflushed = 0);
        drain
    }

    /// Adds a prologue, which follows the preamble in every file: `prologue` returns the `i`th record for 0, 1, 2 and
    /// so on. Return `None` only at the end: if one record can't be built, return another one in its place. It is
    /// called again for the same numbers in another file; in a Blackbox log, whose header it adds lines to, also in the
    /// same one. Viewers want the parameters, the firmware's name as MSG and the flight mode there.
    pub fn with_prologue<P: FnMut(usize) -> Option<PrologueOf<S>>>(self, prologue: P) -> Drain<'a, S, N, P> {
        let mut drain = ManuallyDrop::new(self);
        let encoder = core::mem::replace(&mut drain.own.encoder, EncoderOf::<S>::new());
        // The copied fields own nothing. Without `ManuallyDrop`, dropping `self` would release the ring.
        Drain {
            // SAFETY: `drain` is neither used again nor dropped.
            ring: unsafe { core::ptr::read(&drain.ring) },
            prologue: Some(prologue),
            stage: drain.stage,
            own: Own { encoder, rest: drain.own.rest.clone() },
            current: drain.current,
            bytes: drain.bytes,
            dirty: drain.dirty,
            has_records: drain.has_records,
            moved_us: drain.moved_us,
            reports: drain.reports.take(),
            recovery: drain.recovery,
            is_last_reported: drain.is_last_reported,
        }
    }
}

/// The prologue of [`Drain::with_prologue`]. All closures that return its records are one.
pub trait Prologue<S: Schema>: FnMut(usize) -> Option<PrologueOf<S>> {}

impl<S: Schema, P: FnMut(usize) -> Option<PrologueOf<S>>> Prologue<S> for P {}

impl<'a, S: Schema, const N: usize, P: Prologue<S>> Drain<'a, S, N, P> {
    /// Writes what the ring holds at the time of the call, after the preamble and prologue if they are still missing.
    /// Returns the number of bytes that the writer took; ends early if the writer takes none.
    ///
    /// Records that are logged meanwhile may stay in the ring; otherwise a writer that is slower than the loggers would
    /// never finish. Records are flushed by [`flush`](Drain::flush); a [`restart`](Drain::restart) before it counts
    /// them as lost.
    ///
    /// # Errors
    ///
    /// The writer's, as in [`step`](Drain::step).
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

    /// Ends a file: writes what the ring holds and the last statistics, and flushes. Call [`Logger::stop`] first;
    /// otherwise some of the records that are logged meanwhile stay in the ring.
    ///
    /// Returns whether all of it is written. It is not if the file ends with recovered records, see
    /// [`ends_file`](Drain::ends_file), or if the writer took no bytes without an error, which `embedded_io` forbids:
    /// the rest stays in the ring.
    ///
    /// # Errors
    ///
    /// The writer's, as in [`step`](Drain::step). Another call continues.
    pub fn finish<W: Write>(&mut self, writer: &mut W) -> Result<bool, W::Error> {
        let head = self.head();
        self.catch_up(writer)?;
        self.report_last(head);
        self.catch_up(writer)?;
        self.flush(writer)?;
        Ok(self.is_finished(head))
    }

    /// Makes the last statistics due, once for a file however often its end is tried. If all records before `head` are
    /// written, it ends the session.
    fn report_last(&mut self, head: u32) {
        if !core::mem::replace(&mut self.is_last_reported, true) {
            self.report();
        }
        if Self::ENCODES && self.has_passed(head) {
            self.end_session();
        }
    }

    /// Whether all records before a position of [`head`](Drain::head) and the last statistics are written.
    fn is_finished(&mut self, head: u32) -> bool {
        let is_finished = self.has_passed(head);
        self.is_last_reported &= !is_finished;
        is_finished
    }

    /// Writes the next piece with one call of the writer's `write`: a part of the preamble, of the prologue or of
    /// statistics, or as many contiguous records as there are. Returns the number of bytes that the writer took; 0 if
    /// there is nothing to write.
    ///
    /// # Errors
    ///
    /// The writer's. Bytes that it did not take stay, and the next call continues with them. If the file is lost, begin
    /// another with [`restart`](Drain::restart).
    pub fn step<W: Write>(&mut self, writer: &mut W) -> Result<usize, W::Error> {
        let source = self.next();
        self.write_piece(source, writer)
    }

    fn write_piece<W: Write>(&mut self, source: Source, writer: &mut W) -> Result<usize, W::Error> {
        #[cfg_attr(not(loom), allow(clippy::needless_borrow, reason = "loom's type isn't a slice"))]
        let bytes: &[u8] = &self.piece(&source);
        if bytes.is_empty() {
            return Ok(0);
        }
        let taken = writer.write(bytes)?.min(bytes.len());
        self.took(source, taken);
        Ok(taken)
    }

    /// Flushes the writer. All records written so far then count as flushed, and can't become lost any more.
    ///
    /// # Errors
    ///
    /// The writer's.
    pub fn flush<W: Write>(&mut self, writer: &mut W) -> Result<(), W::Error> {
        writer.flush()?;
        self.flushed();
        Ok(())
    }

    /// Begins another file, with preamble and prologue. Records that were written and not flushed count as lost,
    /// including a record that was written in part and those of the prologue and the statistics.
    ///
    /// The first statistics in the new file contain all counts since boot.
    pub fn restart(&mut self) {
        self.begin_file(Tally::lose_unflushed);
        self.dirty = false;
    }

    /// Begins a file, and changes the counts of all messages.
    fn begin_file(&mut self, change: fn(&mut Tally)) {
        self.abandon_record();
        let has_recovered = Self::ENCODES && self.recovery.is_some();
        self.end_recovery();
        if Self::ENCODES {
            match has_recovered && self.recovery.is_none() {
                true => self.own.encoder.forget(),
                false => self.own.encoder.begin_session(),
            }
            self.count_unwritten();
        }
        self.begin_counts(change);
        self.stage = Stage::Preamble(0);
        self.own.rest = 0..0;
        self.bytes = 0;
        self.has_records = false;
        self.is_last_reported = false;
    }

    /// Bytes written since the file began, modulo 2³².
    pub fn byte_count(&self) -> u32 {
        self.bytes
    }

    /// Whether some written bytes are not flushed.
    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Whether the last written byte ended a record.
    pub fn is_between_records(&self) -> bool {
        self.current.is_none() && (self.own.rest.is_empty() || self.is_in_preamble())
    }

    /// The position in the ring of the next record to be logged.
    pub(crate) fn head(&self) -> u32 {
        self.logger().state.with(|state| state.head)
    }

    /// Bytes that are left of the record that was written in part, so that the file may end after them.
    pub(crate) fn record_rest(&self) -> usize {
        if Self::ENCODES {
            return self.own.rest.len();
        }
        self.current.as_ref().map_or(self.own.rest.len(), |current| current.left)
    }

    /// Bytes that were written of the record that was written in part.
    pub(crate) fn record_begun(&self) -> usize {
        match &self.current {
            Some(_) if Self::ENCODES => self.own.rest.start,
            Some(current) => TagTable::<S>::length(current.index) - current.left,
            None if self.is_between_records() => 0,
            None => self.own.rest.start,
        }
    }

    /// Whether the ring is empty.
    pub(crate) fn is_ring_empty(&self) -> bool {
        self.head() == self.ring.tail()
    }

    /// Whether the file contains more than preamble and prologue.
    pub(crate) fn has_records(&self) -> bool {
        self.has_records
    }

    /// Whether all records before a position of [`head`](Drain::head) are written, and all statistics that are due.
    pub(crate) fn has_passed(&self, head: u32) -> bool {
        matches!(self.stage, Stage::Records)
            && self.own.rest.is_empty()
            && self.ring.tail().wrapping_sub(head) as i32 >= 0
            && self.reports.as_ref().is_none_or(Reports::are_complete)
    }

    /// The logger that the drain belongs to.
    pub fn logger(&self) -> &'a Logger<S, N> {
        self.ring.logger
    }

    const PACKED: &'static [u8] = <FormatOf<S> as FileFormat<S>>::PACKED;
    /// The preamble if it isn't packed. It's empty otherwise, so that no program has both.
    const PREAMBLE: &'static [u8] =
        if Self::PACKED.is_empty() { <FormatOf<S> as FileFormat<S>>::PREAMBLE } else { &[] };

    fn next(&mut self) -> Source {
        let left = self.observe();
        loop {
            if !self.own.rest.is_empty() {
                return Source::Own;
            }
            match self.stage {
                Stage::Preamble(at) if !Self::PACKED.is_empty() => {
                    let (length, next) = unpack(Self::PACKED, at, self.own.encoder.buffer());
                    self.own.rest = 0..length;
                    self.stage = if length > 0 { Stage::Preamble(next) } else { Stage::Prologue(0) };
                }
                Stage::Preamble(at) if at < Self::PREAMBLE.len() => match self.replacement(at) {
                    Some((line, item)) if line.start == at => {
                        self.stage = Stage::Preamble(line.end);
                        self.put_prologue(&item);
                    }
                    Some((line, _)) => return Source::Lines(at..line.start),
                    None => return Source::Preamble(at),
                },
                Stage::Preamble(_) => self.stage = Stage::Prologue(0),
                Stage::Prologue(record) => match self.prologue.as_mut().and_then(|prologue| prologue(record)) {
                    Some(item) => {
                        self.stage = Stage::Prologue(record.saturating_add(1));
                        // Those that replace a line are in the preamble.
                        if EncoderOf::<S>::replaces(Self::PREAMBLE, &item).is_none() {
                            self.put_prologue(&item);
                        }
                    }
                    None => self.stage = Stage::Recovery(0),
                },
                Stage::Recovery(part) => {
                    self.stage = if self.put_recovery(part) { Stage::Recovery(part + 1) } else { Stage::Records };
                }
                Stage::Records => {
                    if Self::ENCODES {
                        match self.encode_next(left) {
                            Next::Bytes => continue,
                            Next::Session => {
                                self.stage = Stage::Preamble(0);
                                continue;
                            }
                            Next::Nothing => return Source::Own,
                        }
                    }
                    // The drain's own records go between two records of the ring, not into one.
                    if self.current.is_some() || !self.put_report() {
                        return Source::Ring(left as usize);
                    }
                }
            }
        }
    }

    /// The first line of the preamble from `at` on whose place an item of the prologue takes.
    fn replacement(&mut self, at: usize) -> Option<(Range<usize>, PrologueOf<S>)> {
        if !Self::ENCODES {
            return None;
        }
        let items = (0..).map_while(self.prologue.as_mut()?);
        let replacing = items.filter_map(|item| Some((EncoderOf::<S>::replaces(Self::PREAMBLE, &item)?, item)));
        replacing.filter(|(line, _)| line.start >= at).min_by_key(|(line, _)| line.start)
    }

    fn put_prologue(&mut self, item: &PrologueOf<S>) {
        if let Some(length) = self.own.encoder.encode_prologue(item) {
            self.own.rest = 0..length;
        }
    }

    /// Whether there is something to write besides the contents of the ring.
    #[cfg(feature = "async")]
    fn has_next(&self) -> bool {
        let begins = !matches!(self.stage, Stage::Records);
        begins
            || !self.own.rest.is_empty()
            || self.reports.as_ref().is_some_and(|it| it.are_due(self.logger().now_us()))
    }

    #[cfg(not(loom))]
    fn piece(&self, source: &Source) -> &[u8] {
        match source {
            Source::Preamble(at) => &Self::PREAMBLE[*at..],
            Source::Lines(lines) => &Self::PREAMBLE[lines.clone()],
            Source::Own => &self.own.encoder.encoded()[self.own.rest.clone()],
            // SAFETY: `next` found this number of bytes in use.
            Source::Ring(used) => unsafe { self.ring.slice(0, *used) },
        }
    }

    #[cfg(loom)]
    fn piece(&self, source: &Source) -> std::vec::Vec<u8> {
        match source {
            Source::Preamble(at) => Self::PREAMBLE[*at..].to_vec(),
            Source::Lines(lines) => Self::PREAMBLE[lines.clone()].to_vec(),
            Source::Own => self.own.encoder.encoded()[self.own.rest.clone()].to_vec(),
            // SAFETY: as above.
            Source::Ring(used) => unsafe { self.ring.slice(0, *used) },
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
            Source::Lines(lines) => self.stage = Stage::Preamble(lines.start + taken),
            Source::Own => {
                self.own.rest.start += taken;
                if Self::ENCODES && self.current.is_some() {
                    self.encoded_part(taken);
                } else if self.own.rest.is_empty()
                    && !self.is_in_preamble()
                    && let Some(tag) = self.own.encoder.synthetic_tag()
                {
                    let (index, _) = TagTable::<S>::find(tag);
                    self.tally(index, |tally| {
                        tally.count_written();
                        false
                    });
                }
            }
            Source::Ring(_) => {
                self.has_records |= taken > 0;
                self.moved();
                let mut left = taken;
                while left > 0 {
                    let part = self.part_of_a_record(left);
                    left -= part;
                }
            }
        }
    }

    /// Passes at most `taken` bytes of the current record. With its last byte, the record is released and counted.
    fn part_of_a_record(&mut self, taken: usize) -> usize {
        let current = match self.current {
            Some(current) => current,
            None => {
                // SAFETY: the writer took bytes of the record.
                let tag = unsafe { self.ring.tag() };
                // `log` only puts records into the ring that this table contains.
                let (index, left) = TagTable::<S>::find(tag);
                Current { index, left }
            }
        };
        let part = current.left.min(taken);
        let left = current.left - part;
        self.current = (left > 0).then_some(Current { left, ..current });
        self.ring.pass(part as u32);
        if left == 0 {
            self.release(current.index, |tally| {
                tally.count_written();
                false
            });
        }
        part
    }
}

impl<S: Schema, const N: usize, P> Drain<'_, S, N, P> {
    /// Whether the last bytes written are of the preamble.
    pub(crate) fn is_in_preamble(&self) -> bool {
        matches!(self.stage, Stage::Preamble(_))
    }
}

impl<S: Schema, const N: usize, P> Drop for Drain<'_, S, N, P> {
    fn drop(&mut self) {
        self.abandon_record();
        if Self::ENCODES {
            self.lose_waiting();
        }
        // Dropped after the critical section, because dropping runs the executor's code.
        #[cfg(feature = "async")]
        let _waker = self.ring.logger.state.with(|state| state.waker.take());
        self.ring.logger.state.with(|state| state.drained = false);
    }
}
