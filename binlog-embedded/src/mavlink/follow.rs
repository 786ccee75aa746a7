//! The log of a card as blocks for a client.

#[cfg(feature = "async")]
use super::AsyncLogStore;
use super::options::{StreamCounts, StreamOptions, StreamState};
use super::window::{Phase, Place, Window};
use super::{Address, LogStore, Message, Piece};

const BLOCK: usize = Message::BLOCK;

/// How long it takes until a log that couldn't be read is read again.
const RETRY_US: u32 = 1_000_000;
/// How often in succession a log is tried that can't be read.
const TRIES: u8 = 10;
/// Pieces that are read in a call, at most: a block of the stream may be in two blocks of the card.
const PIECES: usize = 2;

/// Sends the log of a card while it is written: as [`Stream`](super::Stream), but what is sent is read from the card,
/// so that both have the same bytes. The window takes 12 bytes a block, and a slow link never keeps the card waiting:
/// what the link can't carry now is sent later, also after landing.
///
/// ```
/// # use binlog_embedded::mavlink::{Address, Follow, LogStore, Message, StreamOptions};
/// # fn has_room() -> bool { true }
/// # fn send(_: &Message<'_>) {}
/// # fn fly<L: LogStore>(now_us: u64, mut card: L) -> Result<(), L::Error> {
/// let mut follow = Follow::<100>::new(StreamOptions::DEFAULT);
/// // In the main loop, beside `SdLog::run`, and after `follow.receive` for each message that was received:
/// while has_room() {
///     let Some(message) = follow.next(now_us, &mut card)? else { break };
///     send(&message);
/// }
/// # Ok(())
/// # }
/// ```
///
/// START, STOP, clients and sending again are as with [`Stream`](super::Stream), with these differences:
///
/// - A client that starts gets the log that is open then, from its beginning. Without an open log it waits for one.
/// - **When the card begins a new log**, or the log is ended, the client gets the rest of the old one, with zeros up to
///   a whole block, and the stream is [`Finished`](StreamState::Finished). A START begins the log that is open then;
///   one that comes before the end leaves the rest of the old one out. Clients send it as after a restart of the
///   vehicle.
/// - **When the card is pulled**, the stream waits, and sends its last block again each second. When the card is back,
///   it begins a new log, so the client gets the rest of the old one, up to what was flushed. If the old one can't be
///   read for 10 seconds, or another card is in the slot, the stream ends, and a START begins the open log.
/// - Records count as flushed when the card has them; what the client has isn't counted.
pub struct Follow<const BLOCKS: usize> {
    window: Window<(), BLOCKS>,
    /// The log that the client gets.
    number: Option<u32>,
    /// The [volume](LogStore::volume) that the log is on.
    volume: u32,
    /// Whether it gets no more bytes.
    is_ended: bool,
    /// Whether its last block is in the window.
    is_complete: bool,
    /// When it is read again, and how often that failed.
    retry_us: u32,
    failures: u8,
    block: [u8; BLOCK],
    /// The number of the block that is being read, and its bytes that were.
    reading: u32,
    filled: usize,
    /// The block that was sent last, for the time in which the card can't be read.
    sent: Option<u32>,
    sent_block: [u8; BLOCK],
}

impl<const BLOCKS: usize> Follow<BLOCKS> {
    /// A stream that waits for a client.
    pub const fn new(options: StreamOptions) -> Self {
        Follow {
            window: Window::new(options, ()),
            number: None,
            volume: 0,
            is_ended: false,
            is_complete: false,
            retry_us: 0,
            failures: 0,
            block: [0; BLOCK],
            reading: 0,
            filled: 0,
            sent: None,
            sent_block: [0; BLOCK],
        }
    }

    /// Takes a message that was received; other messages than REMOTE_LOG_BLOCK_STATUS are ignored. Pass all received
    /// messages before the next block. `now_us` is the time in microseconds since boot.
    pub fn receive(&mut self, now_us: u64, sender: Address, message: &Message<'_>) {
        self.window.receive(now_us as u32, sender, message);
        while let Some(slot) = self.window.first(Place::Acknowledged) {
            slot.place = Place::Free;
        }
    }

    /// The next block to send; `None` if nothing is due, or the store searches the place. Reads at most two blocks of
    /// the card. Call it when the link has room for a frame of 218 bytes, and send what it returns.
    ///
    /// # Errors
    ///
    /// The store's. The log is read again after a second; after 10 errors in succession the stream ends.
    pub fn next<L: LogStore>(&mut self, now_us: u64, store: &mut L) -> Result<Option<Message<'_>>, L::Error> {
        for _ in 0..PIECES {
            let Some((number, offset)) = self.wanted(now_us as u32, store.open_log(), store.volume()) else {
                return Ok(self.keep_alive(now_us as u32));
            };
            let read = store.read_at(number, offset, &mut self.block[self.filled..]);
            if self.take(now_us as u32, read, store.volume())? {
                return Ok(self.send(now_us as u32));
            }
        }
        Ok(None)
    }

    /// As [`next`](Follow::next), for asynchronous programs. A future that is dropped loses nothing.
    ///
    /// # Errors
    ///
    /// As there.
    #[cfg(feature = "async")]
    pub async fn next_async<L: AsyncLogStore>(
        &mut self,
        now_us: u64,
        store: &mut L,
    ) -> Result<Option<Message<'_>>, L::Error> {
        for _ in 0..PIECES {
            let Some((number, offset)) = self.wanted(now_us as u32, store.open_log(), store.volume()) else {
                return Ok(self.keep_alive(now_us as u32));
            };
            let read = store.read_at(number, offset, &mut self.block[self.filled..]).await;
            if self.take(now_us as u32, read, store.volume())? {
                return Ok(self.send(now_us as u32));
            }
        }
        Ok(None)
    }

    /// The log and the offset that is to be read next. `open` is the log that is being written, and its bytes that can
    /// be read; `volume` is where it is.
    fn wanted(&mut self, now_us: u32, open: Option<(u32, u32)>, volume: u32) -> Option<(u32, u32)> {
        self.window.give_up(now_us);
        if self.window.is_stale {
            self.window.clear();
        }
        let (open, bytes) = open.map_or((None, 0), |(number, bytes)| (Some(number), bytes));
        if self.window.phase == Phase::Awaited {
            let number = open?;
            if !self.window.begin(now_us) {
                return None;
            }
            (self.number, self.volume) = (Some(number), volume);
            (self.is_ended, self.is_complete) = (false, false);
            (self.failures, self.filled, self.sent) = (0, 0, None);
        }
        let number = self.number?;
        self.is_ended |= open != self.number || volume != self.volume;
        if self.is_complete && self.window.is_empty() && self.window.has_client() {
            self.window.finish();
        }
        let wait = self.retry_us.wrapping_sub(now_us);
        if self.failures > 0 && (1..=RETRY_US).contains(&wait) {
            return None;
        }
        let block = match self.window.due(now_us) {
            Some(due) => due,
            None => {
                let next = self.window.next;
                let has_block = u64::from(bytes) >= (u64::from(next) + 1) * BLOCK as u64;
                if !self.may_add(now_us) || !(has_block || self.is_ended) {
                    return None;
                }
                next
            }
        };
        if block != self.reading {
            (self.reading, self.filled) = (block, 0);
        }
        Some((number, block.checked_mul(BLOCK as u32)?.checked_add(self.filled as u32)?))
    }

    /// Takes what was read, and from which volume. Returns whether a block can be sent.
    fn take<E>(&mut self, now_us: u32, read: Result<Piece, E>, volume: u32) -> Result<bool, E> {
        let bytes = match read {
            // Another card may have a log with the same number.
            Ok(_) if volume != self.volume => {
                self.window.stop();
                return Ok(false);
            }
            Ok(Piece::Bytes(bytes)) => bytes,
            Ok(Piece::Searching) => return Ok(false),
            Ok(Piece::NoLog) => {
                self.window.stop();
                return Ok(false);
            }
            Err(error) => {
                self.retry_us = now_us.wrapping_add(RETRY_US);
                self.failures = self.failures.saturating_add(1);
                if self.failures >= TRIES {
                    self.window.stop();
                }
                return Err(error);
            }
        };
        self.failures = 0;
        self.filled = (self.filled + bytes).min(BLOCK);
        if self.filled == BLOCK {
            return Ok(true);
        }
        if bytes > 0 || !self.is_ended {
            return Ok(false);
        }
        // The end of the log.
        self.is_complete = true;
        self.block[self.filled..].fill(0);
        Ok(self.filled > 0)
    }

    /// The block that was read.
    fn send(&mut self, now_us: u32) -> Option<Message<'_>> {
        self.filled = 0;
        if self.reading == self.window.next {
            let slot = self.window.room(Place::Free)?;
            (slot.place, slot.number) = (Place::Ready, self.reading);
            self.window.next += 1;
        }
        let due = self.window.due(now_us)?;
        self.window.sent(now_us, due);
        (self.sent, self.sent_block) = (Some(self.reading), self.block);
        Some(Message::RemoteLogDataBlock { target: self.window.client()?, seqno: self.reading, data: &self.block })
    }

    /// The last block once more, while the log can't be read, so that the client doesn't take the log for ended.
    fn keep_alive(&mut self, now_us: u32) -> Option<Message<'_>> {
        let seqno =
            self.sent.filter(|_| self.failures > 0 && self.window.may_send(now_us) && self.window.is_quiet(now_us))?;
        self.window.sent_again(now_us, seqno);
        Some(Message::RemoteLogDataBlock { target: self.window.client()?, seqno, data: &self.sent_block })
    }

    /// Whether there is a client, and what it does.
    pub fn state(&self, now_us: u64) -> StreamState {
        self.window.state(now_us as u32)
    }

    /// What was sent and acknowledged.
    pub fn counts(&self) -> StreamCounts {
        self.window.counts()
    }

    /// Whether the next block may be sent.
    fn may_add(&mut self, now_us: u32) -> bool {
        !self.is_complete && self.window.may_add(now_us)
    }
}
