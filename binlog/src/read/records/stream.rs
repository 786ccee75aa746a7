//! Reads records from bytes that arrive in chunks.

use super::Record;
use super::wraps::Wraps;
use crate::format::Definition;
use crate::read::catalogue::definition::CopiedDefinition;
use crate::read::catalogue::in_force::Copied;
use crate::read::framing::{LOOK_AHEAD, Step};
use crate::read::learner::Learner;
use crate::read::{LoggedDefinition, Reason, Skipped};
use core::fmt;

/// The records of a log whose bytes arrive in chunks: from a UART or a socket, or from a file that grows or exceeds the
/// memory.
///
/// It yields the same records as [`Records`](super::Records) does for all the bytes at once, however they are split. A
/// record is yielded once the next header has arrived; [`finish`](Self::finish) releases the last one.
///
/// It doesn't allocate: it contains a buffer of `N` bytes, at least 1,024, and copies of the log's definitions, 32 KiB.
/// On a small microcontroller, put it into a `static`.
///
/// ```
/// # use binlog::{LogSchema, encode, messages::Ev};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Ev(Ev) }
/// # let mut log = FlightLog::PREAMBLE.to_vec();
/// # let mut record = [0; 12];
/// # encode::<FlightLog, _>(&Ev { time_us: 7, id: 10 }, &mut record);
/// # log.extend(record);
/// # let mut uart = &log[..];
/// # let mut events = 0;
/// use binlog::RecordStream;
/// use std::io::Read;
///
/// let mut stream = RecordStream::<4096>::new();
/// loop {
///     let read = uart.read(stream.space())?;
///     if read == 0 {
///         stream.finish();
///     }
///     stream.filled(read);
///     while let Some(item) = stream.next() {
///         match item {
///             Ok(record) if record.name() == "EV" => {
///                 println!("event {}", record.decode::<Ev>()?.id);
/// #               events += 1;
///             }
///             Ok(_) => {}
///             Err(skipped) => eprintln!("{skipped}"),
///         }
///     }
///     if read == 0 {
///         break;
///     }
/// }
/// # assert_eq!(events, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RecordStream<const N: usize = 4096> {
    buffer: [u8; N],
    /// The bytes in the buffer that have not been yielded.
    start: usize,
    end: usize,
    /// The offset in the log of `buffer[start]`.
    offset: usize,
    ended: bool,
    /// An unfinished stretch without records: its offset and the reason.
    open: Option<(usize, Reason)>,
    learner: Learner,
    definitions: Copied,
    wraps: Wraps,
    /// The definition that a record which redefines its own message (FMTU of FMTU) was read by.
    before: Option<CopiedDefinition>,
}

impl<const N: usize> RecordStream<N> {
    /// Creates a stream that has received no bytes.
    pub fn new() -> Self {
        const { assert!(N >= 1024, "the buffer of a RecordStream holds at least 1024 bytes") };
        const { assert!(LOOK_AHEAD <= 1024) };
        RecordStream {
            buffer: [0; N],
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            open: None,
            learner: Learner::new(),
            definitions: Copied::new(),
            wraps: Wraps::default(),
            before: None,
        }
    }

    /// The free part of the buffer: read bytes into it, then pass their number to [`filled`](Self::filled).
    ///
    /// It is never empty after [`next`](Self::next) has returned `None`.
    pub fn space(&mut self) -> &mut [u8] {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        &mut self.buffer[self.end..]
    }

    /// Declares that `bytes` bytes of [`space`](Self::space) were filled. A number beyond its length means all of it.
    pub fn filled(&mut self, bytes: usize) {
        self.end = self.end.saturating_add(bytes).min(N);
    }

    /// Copies as many bytes as fit into the buffer and returns their number. After [`next`](Self::next) has returned
    /// `None`, at least `N - 1024` bytes fit.
    pub fn push(&mut self, bytes: &[u8]) -> usize {
        let space = self.space();
        let taken = space.len().min(bytes.len());
        space[..taken].copy_from_slice(&bytes[..taken]);
        self.filled(taken);
        taken
    }

    /// Declares that no more bytes follow, so that [`next`](Self::next) returns the rest. This can't be undone: use
    /// another stream for another log.
    pub fn finish(&mut self) {
        self.ended = true;
    }

    /// The next record or skipped stretch; `None` if more bytes are needed, or if all are read.
    // Not an `Iterator`, because a record borrows the stream's buffer.
    #[expect(clippy::should_implement_trait, reason = "a record borrows the stream")]
    pub fn next(&mut self) -> Option<Result<Record<'_>, Skipped>> {
        if self.open.is_none()
            && let Some((id, end)) = self.learner.framing.in_step(&self.buffer[..self.end], self.start)
        {
            return Some(self.record(id, end, false));
        }
        self.next_unusual()
    }

    /// Calls `each` with the id and the bytes of the next records, up to the first one that [`next`](Self::next) is
    /// needed for: it isn't in step, or it declares something.
    #[cfg(feature = "read")]
    #[inline(always)]
    pub(crate) fn pass(&mut self, mut each: impl FnMut(u8, &[u8])) {
        self.pass_while(|_, id, record| {
            each(id, record);
            true
        });
    }

    /// As [`pass`](Self::pass), with the offsets of the records, while `each` takes them: it returns false for one that
    /// it leaves.
    #[cfg(feature = "read")]
    #[inline(always)]
    pub(crate) fn pass_while(&mut self, mut each: impl FnMut(usize, u8, &[u8]) -> bool) {
        while self.open.is_none()
            && let Some((id, end)) = self.learner.framing.in_step(&self.buffer[..self.end], self.start)
            && !self.learner.notes(id)
            && each(self.offset, id, &self.buffer[self.start..end])
        {
            self.advance(end - self.start);
        }
    }

    /// As [`next`](Self::next), without the fast path.
    #[inline(never)]
    fn next_unusual(&mut self) -> Option<Result<Record<'_>, Skipped>> {
        loop {
            let bytes = &self.buffer[..self.end];
            if self.start == self.end {
                return self.ended.then(|| self.close()).flatten().map(Err);
            }
            let framing = &self.learner.framing;
            let step = match (self.open, self.ended) {
                (Some((_, reason)), false) => framing.resume::<false>(bytes, self.start, reason),
                (Some((_, reason)), true) => framing.resume::<true>(bytes, self.start, reason),
                (None, false) => framing.step::<false>(bytes, self.start),
                (None, true) => framing.step::<true>(bytes, self.start),
            };
            match step {
                Step::More => return None,
                Step::Skip { end, reason, is_whole } => {
                    let length = end - self.start;
                    self.open.get_or_insert((self.offset, reason));
                    self.advance(length);
                    if is_whole {
                        return self.close().map(Err);
                    }
                    if length == 0 {
                        return None;
                    }
                }
                Step::Record { id, end, suspect } => return Some(self.record(id, end, suspect)),
            }
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.start += bytes;
        self.offset = self.offset.wrapping_add(bytes);
    }

    /// Ends the open stretch here.
    fn close(&mut self) -> Option<Skipped> {
        let (offset, reason) = self.open.take()?;
        Some(Skipped { offset, length: self.offset.wrapping_sub(offset), reason })
    }

    fn record(&mut self, id: u8, end: usize, suspect: bool) -> Result<Record<'_>, Skipped> {
        let (start, offset) = (self.start, self.offset);
        self.advance(end - start);
        let payload = self.buffer.get(start + Definition::HEADER_LENGTH..end).unwrap_or_default();
        let (mut is_read_by_the_last, mut wraps) = (false, 0);
        if self.learner.notes(id) {
            if let Some(declaration) = self.learner.learn(id, payload) {
                is_read_by_the_last = declaration.id() == id && !declaration.is_of_fmt();
                if is_read_by_the_last {
                    self.before = self.definitions.copy_of(id);
                }
                if self.wraps.declare(&declaration) {
                    self.learner.note_all();
                }
                self.definitions.learn(declaration);
            }
            wraps = self.definitions.get(id).map_or(0, |definition| self.wraps.count(&definition, payload));
        }
        let definition = match &self.before {
            Some(before) if is_read_by_the_last => Some(before.definition()),
            _ => self.definitions.get(id),
        };
        match definition {
            Some(definition) => Ok(Record { offset, id, payload, suspect, definition, wraps }),
            // Known lengths come from definitions.
            None => Err(Skipped { offset, length: end - start, reason: Reason::UnknownId(id) }),
        }
    }

    /// The definition in force for an id, in the part of the log that has been read.
    pub fn definition(&self, id: u8) -> Option<LoggedDefinition<'_>> {
        self.definitions.get(id)
    }

    /// The offset where the next record is expected, in bytes from the start of the log. On targets with a 32-bit
    /// `usize`, it wraps to 0 after 4 GiB.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl<const N: usize> Default for RecordStream<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> fmt::Debug for RecordStream<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordStream")
            .field("offset", &self.offset)
            .field("waiting", &(self.end - self.start))
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
