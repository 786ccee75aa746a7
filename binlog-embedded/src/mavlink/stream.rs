//! The log of a drain as blocks for a client.

use super::options::{StreamCounts, StreamOptions, StreamState};
use super::window::{Phase, Place, Slot, Window};
use super::{Address, Message};
use crate::{Drain, Prologue};
use binlog::record_header;
use binlog::ring_format::{Schema, TagTable};
use core::convert::Infallible;
use embedded_io::{ErrorType, Write};

const BLOCK: usize = Message::BLOCK;
/// Bytes that a call takes from the drain, at most, so that each one is short.
const PIECE: usize = BLOCK / 2;

/// Sends the log while it is written: the protocol of ArduPilot's MAVLink backend (`REMOTE_LOG_DATA_BLOCK`). Clients
/// are `binlog record`, MAVProxy's module `dataflash_logger`, and mavlink-router.
///
/// The log is cut into blocks of 200 bytes. A block stays in the *window*, a pool of `BLOCKS` blocks, until the client
/// acknowledges it. So a lost block is sent again, and nothing is lost that the link can carry. When the window is
/// full, records wait in the logger's ring; when that is full, too, whole records are dropped and counted, critical
/// messages last, as with a card that is too slow.
///
/// ```
/// # use binlog::{LogSchema, messages::Ev};
/// # use binlog_embedded::Logger;
/// # use binlog_embedded::mavlink::{Address, Message, Stream, StreamOptions, StreamState};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Ev(Ev) }
/// static LOG: Logger<FlightLog, 4096> = Logger::new();
///
/// LOG.start(|| 0);
/// let mut drain = LOG.drain().expect("LOG has a drain already");
/// let mut stream = Stream::<40>::new(StreamOptions::DEFAULT);
/// assert_eq!(stream.next(0), None); // nothing is sent before a client asks for it
///
/// let (companion, vehicle) = (Address::new(1, 191), Address::new(1, 1));
/// let start = Message::RemoteLogBlockStatus { target: vehicle, seqno: Message::START, is_received: true };
/// stream.receive(0, companion, &start);
/// while stream.run(0, &mut drain) {}
/// let Some(Message::RemoteLogDataBlock { target, seqno: 0, data }) = stream.next(0) else { panic!() };
/// assert_eq!((target, data), (companion, &FlightLog::PREAMBLE[..200]));
/// ```
///
/// # Clients
///
/// - **START** by a client begins a log, with preamble and prologue. Nothing is sent before. While no client is there,
///   the ring keeps the oldest records and counts the others as dropped.
/// - **Block 0 goes alone** until it is acknowledged, because MAVProxy opens its file at block 0 only.
/// - **The first client wins.** Others are refused while it acknowledges blocks, and for 10 seconds after. Then a START
///   of another client begins a new log for that one.
/// - **A client that restarts** sends START again. If more than three seconds have passed since block 0 was
///   acknowledged, another log begins, with the next record in the ring. What was sent and not acknowledged counts as
///   lost, and so does the record that was sent in part.
/// - **Between two logs**, three seconds pass from the last block of one to block 0 of the other, because blocks and
///   acknowledgements carry only a number. On a link where it takes at most three seconds from a block to its
///   acknowledgement, no message about one log is taken for one about the other. A later acknowledgement may count
///   records of the next log as flushed that the client doesn't have. A client that is started again within three
///   seconds after a log began may write the rest of that log to its new file.
/// - **A link that is gone**, or a client: after 10 seconds without an answer, one block a second is sent, the oldest
///   one. When the client answers, the same log continues, without a gap in the file; records that found no room in the
///   ring meanwhile are counted. After 10 minutes without an answer, the stream ends, and a START begins a new log.
/// - **While little is logged**, a block is sent again after each second without one: clients take a stream without
///   blocks for one that has ended.
/// - **STOP** ends the stream; what isn't acknowledged counts as lost. The next START begins a new log.
/// - **A vehicle that restarts** sends nothing before the next START: an uninvited block 0 would overwrite a client's
///   file. `binlog record` and mavlink-router start a new log by themselves; with MAVProxy, type
///   `dataflash_logger stop`, then `dataflash_logger start`.
///
/// Messages are for the stream if their target is its address, component 155, or everybody (0).
///
/// # Sending again
///
/// A block is sent again when the client asks for it (NACK), when three later transmissions were acknowledged, or after
/// the round trip and four of its mean deviations, both measured. While nothing is acknowledged, one block at a time is
/// tried, after twice the time each, up to a second. Besides the window, [`StreamOptions::bytes_per_second`] limits
/// what is sent.
///
/// # Counts
///
/// A record counts as *flushed* when its blocks are acknowledged, and as *lost* if the stream ends before. A lost
/// acknowledgement may make a record count as lost that the client has. Of a Blackbox log, records count as flushed
/// when all blocks are acknowledged, so more may count as lost.
///
/// The log of a [`Retained`](crate::Retained) logger that begins with recovered records continues with the log of this
/// boot in the same file, with a preamble of its own.
///
/// # Memory
///
/// `BLOCKS` is from 2 to 200; clients give up blocks that are 200 older than the newest one. Each block takes 216
/// bytes: 200 of the log, and 16 of state.
///
#[cfg_attr(
    feature = "sdmmc",
    doc = "[The guide](crate::guide::mavlink#window-and-rate) says how many a link needs, and which rate to set."
)]
#[repr(C)]
pub struct Stream<const BLOCKS: usize> {
    /// Bytes of the block that is being filled, or `BLOCK` if none is.
    filled: u8,
    /// The record that continues in the next block.
    split: Split,
    end: End,
    mark: Mark,
    /// At the end as what is large in it, so that instructions are short.
    window: Window<Block, BLOCKS>,
}

/// A record of which a block has only a part.
#[derive(Clone, Copy)]
struct Split {
    message: u8,
    /// Its bytes from this block on.
    rest: u8,
    /// How many blocks before have a part of it; 0 if there is no such record.
    before: u8,
}

impl Split {
    const NONE: Split = Split { message: 0, rest: 0, before: 0 };
}

/// What is recovered after a reset.
#[derive(Clone, Copy)]
struct Mark {
    /// A block's number; 0 if there is no mark.
    number: u32,
    /// The position in the ring up to which records are in the blocks before it.
    position: u32,
}

impl Mark {
    const NONE: Mark = Mark { number: 0, position: 0 };
}

/// How far the end of the log is.
#[derive(Clone, Copy, Debug)]
enum End {
    /// It isn't due.
    No,
    /// The records before a position of the ring are to be written, and then the last statistics.
    Records(u32),
    Statistics(u32),
    /// All is in blocks.
    Written,
    /// All is acknowledged.
    Done,
}

/// Bytes of the log, and what is needed to count the records that end in them.
#[derive(Clone, Copy)]
#[repr(C)]
struct Block {
    /// Where the first record begins that isn't a rest or of the preamble; more than 200 if the block is inside of one
    /// record, or its records aren't counted one by one.
    first: u8,
    /// The message of the record whose rest it begins with, and how many blocks before have a part of it, or `COUNTED`.
    continued: u8,
    before: u8,
    /// The message of the record that continues in the next block, and how many have a part of it.
    last: u8,
    after: u8,
    data: [u8; BLOCK],
}

/// `first` of a block whose records aren't counted one by one, because a file begins in it after another one.
const UNKNOWN: u8 = u8::MAX;
/// `before` of a block whose records are counted.
const COUNTED: u8 = u8::MAX;

impl<const BLOCKS: usize> Stream<BLOCKS> {
    /// A stream that waits for a client.
    pub const fn new(options: StreamOptions) -> Self {
        let block = Block { data: [0; BLOCK], first: 0, continued: 0, before: 0, last: 0, after: 0 };
        Stream {
            window: Window::new(options, block),
            filled: BLOCK as u8,
            split: Split::NONE,
            end: End::No,
            mark: Mark::NONE,
        }
    }

    /// Takes a message that was received; other messages than REMOTE_LOG_BLOCK_STATUS are ignored. Pass all received
    /// messages before the next [`next`](Stream::next). `now_us` is the time in microseconds since boot.
    pub fn receive(&mut self, now_us: u64, sender: Address, message: &Message<'_>) {
        self.window.receive(now_us as u32, sender, message);
    }

    /// Does a piece of work: releases an acknowledged block, or takes a piece of the drain, if the window has room.
    /// Returns whether there may be more to do, so call it until it returns false:
    /// `while stream.run(now_us, &mut drain) {}`.
    ///
    /// When a client starts, it begins a new file of the drain. A client gets a block when it is full: the last records
    /// wait for those that fill it, or for [`finish`](Stream::finish).
    pub fn run<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        now_us: u64,
        drain: &mut Drain<'_, S, N, P>,
    ) -> bool {
        self.window.give_up(now_us as u32);
        if self.release(drain) {
            return true;
        }
        if self.window.is_stale {
            drain.restart();
            self.window.clear();
            (self.filled, self.split, self.mark) = (BLOCK as u8, Split::NONE, Mark::NONE);
            if self.window.phase == Phase::Awaited || !matches!(self.end, End::Done) {
                self.end = End::No;
            }
        } else if self.window.phase == Phase::Awaited {
            return self.window.begin(now_us as u32);
        } else if self.window.phase < Phase::Awaited {
            return false;
        } else if matches!(self.end, End::Written) {
            if !self.window.is_empty() {
                return false;
            }
            drain.flushed();
            self.window.finish();
            self.end = End::Done;
        } else {
            return self.fill(drain);
        }
        true
    }

    /// The next block to send; `None` if nothing is due. Call it when the link has room for a frame of 218 bytes, and
    /// send what it returns.
    pub fn next(&mut self, now_us: u64) -> Option<Message<'_>> {
        let due = self.window.due(now_us as u32)?;
        let target = self.window.client;
        let slot = self.window.sent(now_us as u32, due)?;
        Some(Message::RemoteLogDataBlock { target, seqno: slot.number, data: &slot.block.data })
    }

    /// Ends the log: writes the records that the ring held at the first call and the last statistics. The last block is
    /// filled up with zeros, since a block has no length. Call [`Logger::stop`](crate::Logger::stop) first, and then
    /// this in place of [`run`](Stream::run), beside [`receive`](Stream::receive) and [`next`](Stream::next), until it
    /// returns true: the client has everything, or there is no client. A START after the end waits until `run` is
    /// called, for the next flight.
    ///
    /// A client that is gone keeps it false: limit the time that you give it.
    pub fn finish<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        now_us: u64,
        drain: &mut Drain<'_, S, N, P>,
    ) -> bool {
        if matches!(self.end, End::Done) {
            return true;
        }
        if matches!(self.end, End::No) && self.window.phase == Phase::Served {
            self.end = End::Records(drain.head());
        }
        while self.run(now_us, drain) {}
        !self.window.has_client()
    }

    /// Whether there is a client, and what it does.
    pub fn state(&self, now_us: u64) -> StreamState {
        self.window.state(now_us as u32)
    }

    /// What was sent and acknowledged.
    pub fn counts(&self) -> StreamCounts {
        self.window.counts()
    }

    /// Gives an acknowledged block back to the pool, if there is one, and counts the records as flushed whose blocks
    /// are all acknowledged now.
    fn release<S: Schema, P: Prologue<S>, const N: usize>(&mut self, drain: &mut Drain<'_, S, N, P>) -> bool {
        let Some(slot) = self.window.first(Place::Acknowledged) else { return false };
        slot.place = Place::Free;
        let (number, block) = (slot.number, &mut slot.block);
        let Block { first, continued, last, after, .. } = *block;
        let before = core::mem::replace(&mut block.before, COUNTED);
        if Drain::<'_, S, N, P>::ENCODES || before == COUNTED {
            return true;
        }
        block.records::<S>(|index| drain.record_flushed(index));
        // Records of which other blocks have a part: the rest of one, or the middle, and the beginning of one.
        let (is_middle, after) = (usize::from(first) > BLOCK, number + u32::from(after));
        let until = if is_middle { after } else { number };
        if before > 0 && !self.is_any_waiting(number - u32::from(before), until) {
            drain.record_flushed(continued);
        }
        if !is_middle && after > number && !self.is_any_waiting(number, after) {
            drain.record_flushed(last);
        }
        let Mark { number, position } = self.mark;
        if number != 0 && number <= self.window.oldest {
            self.mark.number = 0;
            drain.flushed_to(position);
        }
        true
    }

    /// Whether the records of one of these blocks aren't counted.
    #[inline(never)]
    fn is_any_waiting(&self, from: u32, until: u32) -> bool {
        let is_one = |slot: &Slot<Block>| {
            (from..=until).contains(&slot.number) && slot.place != Place::Free && slot.block.before != COUNTED
        };
        until >= self.window.next || self.window.slots.iter().any(is_one)
    }

    /// Puts the next piece of the drain into a block. Returns whether there may be more.
    fn fill<S: Schema, P: Prologue<S>, const N: usize>(&mut self, drain: &mut Drain<'_, S, N, P>) -> bool {
        let number = self.window.next;
        let is_begun = usize::from(self.filled) < BLOCK;
        // Even without bytes it is taken, since the one that is free next may be sent once more.
        let Some(slot) = self.window.room(if is_begun { Place::Filling } else { Place::Free }) else { return false };
        (slot.place, slot.number) = (Place::Filling, number);
        let block = &mut slot.block;
        if drain.ends_file() {
            drain.begin_next();
            (block.first, block.before) = (UNKNOWN, 0);
        }
        let filled = if is_begun { usize::from(self.filled) } else { 0 };
        if filled == 0 {
            (block.first, block.continued, block.before) = (self.split.rest, self.split.message, self.split.before);
        }
        let room = block.data[filled..].chunks_mut(PIECE).next().unwrap_or_default();
        let Ok(taken) = drain.step(&mut Room(room));
        let filled = filled + taken;
        self.filled = filled as u8;
        if drain.is_in_preamble() && block.first != UNKNOWN {
            (block.first, block.before) = (self.filled, 0);
        }
        let rest = block.data.get_mut(filled..).unwrap_or_default();
        if !rest.is_empty() {
            let (End::Records(head) | End::Statistics(head)) = self.end else { return taken > 0 };
            if taken > 0 && !drain.has_passed(head) {
                return true;
            }
            if matches!(self.end, End::Records(_)) {
                drain.report();
                if Drain::<'_, S, N, P>::ENCODES {
                    drain.end_session();
                }
                self.end = End::Statistics(head);
                return true;
            }
            self.end = End::Written;
            if filled == 0 {
                return true;
            }
            rest.fill(0);
        }
        let (message, rest) = drain.begun();
        let before = match usize::from(block.first) > BLOCK {
            _ if rest == 0 => 0,
            true => block.before + 1,
            false => 1,
        };
        self.split = Split { message, rest, before };
        (block.last, block.after) = (message, u8::from(rest > 0) + u8::from(usize::from(rest) > BLOCK));
        slot.place = Place::Ready;
        self.filled = BLOCK as u8;
        self.window.next = number + 1;
        if self.mark.number == 0 {
            self.mark = Mark { number: number + 1, position: drain.written_to() };
        }
        true
    }
}

impl Block {
    /// Calls `ended` with the message of each record that is in the block as a whole.
    fn records<S: Schema>(&self, mut ended: impl FnMut(u8)) {
        let mut at = usize::from(self.first);
        // Zeros after the last record of the log aren't records.
        while let Some(&[first, _, tag]) = self.data.get(at..).and_then(|rest| rest.first_chunk())
            && first == record_header(tag)[0]
        {
            let (index, length) = TagTable::<S>::find(tag);
            at += length;
            if length == 0 || at > BLOCK {
                return;
            }
            ended(index as u8);
        }
    }
}

/// The rest of a block, as a writer.
struct Room<'a>(&'a mut [u8]);

impl ErrorType for Room<'_> {
    type Error = Infallible;
}

impl Write for Room<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let count = bytes.len().min(self.0.len());
        self.0[..count].copy_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
