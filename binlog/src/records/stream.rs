//! Records of bytes as they arrive.

use super::Record;
use crate::catalogue::declaration::Learner;
use crate::catalogue::definition::{CopiedDefinition, LoggedDefinition};
use crate::catalogue::in_force::Copied;
use crate::definition::Definition;
use crate::framing::{LOOK_AHEAD, Reason, Skipped, Step};
use core::fmt;

/// The records of a log whose bytes arrive in chunks: over a UART or a socket, from a file that grows or that is too
/// long for the memory.
///
/// What comes out is what [`Records`](super::Records) would make of all the bytes at once, however they are cut up. A
/// record comes out when the header of the next one is there, which proves it; at the end, [`finish`](Self::finish)
/// lets go of the last.
///
/// No allocation: it holds a buffer of `N` bytes, at least 1,024, and copies of the log's definitions, 32 KiB. On a
/// small microcontroller that wants a `static`.
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
    /// The bytes of the buffer that are there and not given out.
    start: usize,
    end: usize,
    /// Where in the log `buffer[start]` stands.
    offset: usize,
    ended: bool,
    /// A stretch without records that isn't over: where it began, and why.
    open: Option<(usize, Reason)>,
    learner: Learner,
    definitions: Copied,
    /// What a record that redefines its own kind was read by: FMTU of FMTU.
    before: Option<CopiedDefinition>,
}

impl<const N: usize> RecordStream<N> {
    /// A stream that has seen nothing yet.
    pub fn new() -> Self {
        const { assert!(N >= 1024, "the buffer of a RecordStream holds 1024 bytes at least") };
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
            before: None,
        }
    }

    /// Where the next bytes go: read into it, then say how many by [`filled`](Self::filled).
    ///
    /// Never empty once [`next`](Self::next) has returned `None`.
    pub fn space(&mut self) -> &mut [u8] {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        &mut self.buffer[self.end..]
    }

    /// Says that so many bytes were put into [`space`](Self::space); more than it had is taken for all of it.
    pub fn filled(&mut self, bytes: usize) {
        self.end = self.end.saturating_add(bytes).min(N);
    }

    /// Takes as many bytes as there is room for, and returns how many. All of them, up to `N - 1024`, once
    /// [`next`](Self::next) has returned `None`.
    pub fn push(&mut self, bytes: &[u8]) -> usize {
        let space = self.space();
        let taken = space.len().min(bytes.len());
        space[..taken].copy_from_slice(&bytes[..taken]);
        self.filled(taken);
        taken
    }

    /// Says that no more bytes come: what is left comes out. There is no way back; another log is for another stream.
    pub fn finish(&mut self) {
        self.ended = true;
    }

    /// The next record or skipped stretch; `None` when more bytes are needed, or when all are read.
    // Not an iterator: a record borrows the stream's buffer.
    #[expect(clippy::should_implement_trait, reason = "a record borrows the stream")]
    pub fn next(&mut self) -> Option<Result<Record<'_>, Skipped>> {
        if self.open.is_none()
            && let Some((id, end)) = self.learner.framing.in_step(&self.buffer[..self.end], self.start)
        {
            return Some(self.record(id, end, false));
        }
        self.next_unusual()
    }

    /// The same without a shortcut.
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

    /// The open stretch, which ends here.
    fn close(&mut self) -> Option<Skipped> {
        let (offset, reason) = self.open.take()?;
        Some(Skipped { offset, length: self.offset.wrapping_sub(offset), reason })
    }

    fn record(&mut self, id: u8, end: usize, suspect: bool) -> Result<Record<'_>, Skipped> {
        let (start, offset) = (self.start, self.offset);
        self.advance(end - start);
        let payload = self.buffer.get(start + Definition::HEADER_LENGTH..end).unwrap_or_default();
        let mut is_read_by_the_last = false;
        if let Some(declaration) = self.learner.learn(id, payload) {
            is_read_by_the_last = declaration.id() == id && !declaration.is_of_fmt();
            if is_read_by_the_last {
                self.before = self.definitions.copy_of(id);
            }
            self.definitions.learn(declaration);
        }
        let definition = match &self.before {
            Some(before) if is_read_by_the_last => Some(before.definition()),
            _ => self.definitions.get(id),
        };
        match definition {
            Some(definition) => Ok(Record { offset, id, payload, suspect, definition }),
            // A length that is known comes from a definition.
            None => Err(Skipped { offset, length: end - start, reason: Reason::UnknownId(id) }),
        }
    }

    /// The definition of an id, as far as the log has been read.
    pub fn definition(&self, id: u8) -> Option<LoggedDefinition<'_>> {
        self.definitions.get(id)
    }

    /// Where the next record is looked for, in bytes from the start of the log. Where `usize` has 32 bits, offsets
    /// begin again at 0 after 4 GiB.
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
