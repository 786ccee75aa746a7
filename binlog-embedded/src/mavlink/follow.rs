//! The log of a card as blocks for a client.

use super::window::{Due, StreamCounts, StreamOptions, StreamState, Window};
use super::{Address, Message};

const BLOCK: usize = Message::BLOCK;

/// How long it takes until a log that had too few bytes is read again.
const GROWS_US: u64 = 100_000;
/// How long it takes until a log that couldn't be read is read again.
const RETRY_US: u64 = 1_000_000;
/// How often in succession a log is tried that can't be read.
const TRIES: u8 = 10;

/// Sends the log of a card while it is written: as [`Stream`](super::Stream), but what is sent is read from the card,
/// so that both have the same bytes. The window takes 12 bytes a block, and a slow link never keeps the card waiting:
/// what the link can't carry now is sent later, also after landing.
///
/// START, STOP, clients and sending again are as with [`Stream`](super::Stream), with these differences:
///
/// - A client that starts gets the log that is open then, from its beginning. Without an open log it waits for one.
/// - **When the card begins a new log**, or the log is ended, the client gets the rest of the old one, with zeros up to
///   a whole block, and the stream is [`Finished`](StreamState::Finished). A START begins the log that is open then;
///   one that comes before the end leaves the rest of the old one out. `binlog record` starts again by itself; with
///   MAVProxy, restart the module.
/// - **When the card is pulled**, the stream waits. A card that comes back has a new log, so the client gets the rest of
///   the old one, up to what was flushed. If the old one can't be read for 10 seconds, the stream ends.
/// - Records count as flushed when the card has them; what the client has isn't counted.
pub struct Follow<const BLOCKS: usize> {
    window: Window<BLOCKS>,
    /// The log that the client gets.
    number: Option<u32>,
    /// Whether it gets no more bytes.
    is_ended: bool,
    /// Whether its last block is in the window.
    is_complete: bool,
    /// When it is read again, and how often that failed.
    retry_us: u64,
    failures: u8,
    block: [u8; BLOCK],
}

/// Bytes of a log that are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Read {
    /// The number of the log.
    pub number: u32,
    /// The offset of the first byte.
    pub offset: u32,
    /// How many bytes.
    pub length: usize,
}

impl<const BLOCKS: usize> Follow<BLOCKS> {
    /// A stream that waits for a client.
    pub const fn new(options: StreamOptions) -> Self {
        Follow {
            window: Window::new(options),
            number: None,
            is_ended: false,
            is_complete: false,
            retry_us: 0,
            failures: 0,
            block: [0; BLOCK],
        }
    }

    /// Takes a message that was received; other messages than REMOTE_LOG_BLOCK_STATUS are ignored. Pass all received
    /// messages before the next block. `now_us` is the time in microseconds since boot.
    pub fn receive(&mut self, now_us: u64, sender: Address, message: &Message<'_>) {
        self.window.receive(now_us, sender, message);
        while let Some(slot) = self.window.take_acknowledged() {
            self.window.free(slot);
        }
    }

    /// What is to be read for the next block; `None` if none is due. `open` is the number of the log that is being
    /// written. Read at most this many bytes, and pass those that the log has to [`provide`](Follow::provide); if it
    /// can't be read, call [`failed`](Follow::failed). Nothing changes before one of them.
    pub fn wanted(&mut self, now_us: u64, open: Option<u32>) -> Option<Read> {
        self.window.give_up(now_us);
        if self.window.is_stale {
            while let Some((slot, _)) = self.window.take_oldest() {
                self.window.free(slot);
            }
            self.window.is_stale = false;
        }
        if self.window.is_awaited && open.is_some() {
            self.window.begin();
            (self.number, self.is_ended, self.is_complete) = (open, false, false);
            (self.retry_us, self.failures) = (0, 0);
        }
        self.is_ended |= self.number != open;
        if self.is_complete && self.window.is_empty() && self.window.client().is_some() && !self.window.is_awaited {
            self.window.finish();
        }
        let wait = self.retry_us.saturating_sub(now_us);
        let read = |block: u32| {
            let offset = block.checked_mul(BLOCK as u32)?;
            Some(Read { number: self.number?, offset, length: BLOCK })
        };
        match self.window.due(now_us) {
            // A failure concerns all blocks, a log that has too few bytes only the next one.
            _ if self.failures > 0 && (1..=RETRY_US).contains(&wait) => None,
            Some(due) => read(self.window.number(due.slot)),
            None if self.may_add(now_us) && !(1..=RETRY_US).contains(&wait) => read(self.window.next()),
            None => None,
        }
    }

    /// Takes the bytes that [`wanted`](Follow::wanted) asked for, and returns the block to send; `None` if the log has
    /// too few bytes for one. `now_us` is that of `wanted`.
    pub fn provide(&mut self, now_us: u64, bytes: &[u8]) -> Option<Message<'_>> {
        self.failures = 0;
        let due = match self.window.due(now_us) {
            Some(due) => due,
            None => {
                if !self.may_add(now_us) {
                    return None;
                }
                if bytes.len() < BLOCK && !self.is_ended {
                    self.retry_us = now_us.saturating_add(GROWS_US);
                    return None;
                }
                self.is_complete |= bytes.len() < BLOCK;
                if bytes.is_empty() {
                    return None;
                }
                let slot = self.window.take()?;
                self.window.add(slot);
                self.window.due(now_us)?
            }
        };
        let Due { slot, .. } = due;
        let (part, rest) = self.block.split_at_mut(bytes.len().min(BLOCK));
        part.copy_from_slice(&bytes[..part.len()]);
        rest.fill(0);
        let seqno = self.window.number(slot);
        self.window.sent(now_us, due);
        Some(Message::RemoteLogDataBlock { target: self.window.client()?, seqno, data: &self.block })
    }

    /// Notes that what [`wanted`](Follow::wanted) asked for couldn't be read. It is asked for again after a second; after
    /// 10 such seconds the stream ends.
    pub fn failed(&mut self, now_us: u64) {
        self.retry_us = now_us.saturating_add(RETRY_US);
        self.failures = self.failures.saturating_add(1);
        if self.failures >= TRIES {
            self.window.stop();
        }
    }

    /// Whether there is a client, and what it does.
    pub fn state(&self, now_us: u64) -> StreamState {
        self.window.state(now_us)
    }

    /// What was sent and acknowledged.
    pub fn counts(&self) -> StreamCounts {
        self.window.counts()
    }

    fn may_add(&self, now_us: u64) -> bool {
        let is_begun = self.window.client().is_some() && !self.window.is_awaited;
        is_begun && !self.is_complete && self.window.may_add(now_us)
    }
}
