// Held by tests/tests/mavlink/server.rs.

//! The list of the logs, and their download.

mod queue;
mod search;

#[cfg(feature = "async")]
use super::AsyncLogStore;
use super::window::count;
use super::{Address, LogEntry, LogStore, Message, Piece, is_for};
use queue::{Pushed, Queue, Request};
use search::{Pass, Search};

/// What a [`Server`] is told by the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ServerOptions {
    /// The vehicle's address: requests to it, to its system as a whole and to everybody are answered. Default: (1, 1).
    pub address: Address,
    /// The most bytes of frames to send in a second, as MAVLink 2 frames them. Choose what the link carries beside the
    /// rest of the telemetry. Default: 20,000.
    pub bytes_per_second: u32,
    /// Whether logs are listed, downloaded and erased while the vehicle is armed, too. Default: no, as ArduPilot.
    pub while_armed: bool,
    /// Minutes that the store's clock is ahead of UTC: those of `Dates`, which FAT wants to be local time. Default: 0.
    pub utc_offset_minutes: i16,
}

impl ServerOptions {
    /// The defaults given above.
    pub const DEFAULT: Self = ServerOptions {
        address: Address::new(1, 1),
        bytes_per_second: 20_000,
        while_armed: false,
        utc_offset_minutes: 0,
    };
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What became of the requests. Each count stays at its maximum.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ServerCounts {
    /// Requests that were queued.
    pub accepted: u32,
    /// Requests that were in the queue already.
    pub repeated: u32,
    /// Requests while the vehicle was armed. Tell the ground station why: "Disarm for log download".
    pub refused: u32,
    /// Requests for which the queue had no room. Clients ask again.
    pub overflowed: u32,
    /// Requests for a log that isn't there, or for no bytes.
    pub missing: u32,
    /// Requests that an error of the store ended.
    pub failed: u32,
    /// Messages that were sent.
    pub sent: u32,
}

/// Lists the logs of a [`LogStore`] and sends them, as ground stations ask for it (LOG_REQUEST_LIST,
/// LOG_REQUEST_DATA, LOG_REQUEST_END, LOG_ERASE), while logging continues.
///
/// ```
/// use binlog_embedded::mavlink::{Address, LogStore, Message, Server, ServerOptions};
///
/// # struct Link;
/// # impl Link { fn has_room(&self) -> bool { true } fn send(&mut self, _: &Message<'_>) {} }
/// /// In the main loop, after `sd.run(&mut drain)`. `store` is the `SdLog`.
/// fn serve<L: LogStore>(server: &mut Server, store: &mut L, link: &mut Link, now_us: u64) -> Result<(), L::Error> {
///     while link.has_room() {
///         let Some(message) = server.next(now_us, store)? else { break };
///         link.send(&message);
///     }
///     Ok(())
/// }
///
/// let mut server: Server<32> = Server::new(ServerOptions { bytes_per_second: 50_000, ..ServerOptions::DEFAULT });
/// // Each message that comes in, with its sender.
/// let (vehicle, station) = (Address::new(1, 1), Address::new(255, 190));
/// server.receive(station, &Message::LogRequestList { target: vehicle, start: 0, end: 0xFFFF });
/// assert!(!server.is_idle());
/// ```
///
/// # What is promised
///
/// - **Ids are the order on the card**, from 1 for the oldest log to the number of logs for the newest, as ArduPilot's.
///   Logs without a byte have none. While one client downloads a log, its id means the same log, even if older ones are
///   removed, until that client asks for the list or sends LOG_REQUEST_END. If the log itself is removed, or another
///   card is in the slot, the client's requests for it get empty packets until then.
/// - **Requests queue**, up to `REQUESTS`, and are answered in turn: clients that lost packets ask for all gaps at
///   once. 32 requests suit links with a round trip of 100 ms, 64 those with 200 ms. A request that is in the queue
///   isn't queued again. What has no room is counted, and clients ask again.
/// - A client gets **one log at a time**: a request for another log drops the client's requests for the one before,
///   because MAVProxy doesn't look at the id of what arrives. LOG_REQUEST_END drops its sender's requests only.
/// - **The end is seen.** A request that goes beyond the log's end gets a last packet of fewer than 90 bytes. If the
///   log ends with a full one, that is an empty packet, which QGroundControl waits for. A request without an end
///   (`count` 0xFFFFFFFF) gets no empty packet: MAVProxy takes one for the end of the download even if packets before
///   it were lost. It asks for what follows after 0.7 s, and gets an empty packet then. A request for a log that isn't
///   there gets an empty packet, too.
/// - **A log that is being written** is served up to the bytes that were flushed when it was found, so each request
///   ends. It is found again for a request that begins after these.
/// - **A call does little**: [`next`](Server::next) calls [`list`](LogStore::list) once, or
///   [`read_at`](LogStore::read_at) at most twice, because a packet may lie in two blocks. A download in order reads
///   each block of a card once, if nothing else reads from it meanwhile.
/// - **The limit** of [`bytes_per_second`](ServerOptions::bytes_per_second) holds, except that a loop that runs seldom
///   sends the bytes of up to 100 ms at once.
/// - **An error of the store** is returned once, and ends the request that it hit.
/// - Any numbers may be in a request, and any number of requests may come.
///
/// While the vehicle is armed, requests are refused and counted, unless [`while_armed`](ServerOptions::while_armed)
/// says otherwise. [`wants_erase`](Server::wants_erase) tells that somebody asked to erase the logs; nothing is erased
/// by the server itself.
///
/// # Memory
///
/// 12 bytes for each of the `REQUESTS`, and 200.
// What is large is at the end, since near fields take shorter instructions.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Server<const REQUESTS: usize = 32> {
    options: ServerOptions,
    /// Microseconds that a LOG_DATA takes at the limited rate.
    data_us: u32,
    is_armed: bool,
    /// Bytes of the packet.
    filled: u8,
    /// How far the first request is.
    stage: Stage,
    /// The log that is downloaded.
    log: Found,
    /// The id and the place of the log that was found last, 0 for none.
    near: (u16, u32),
    /// When the next message is due, modulo 2³².
    due_us: u32,
    erase: Option<Address>,
    counts: ServerCounts,
    /// The packet that is being filled.
    data: [u8; Message::DATA],
    queue: Queue<REQUESTS>,
}

/// A log with its id.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// The client for which the id means this log until it asks for the list; then the id is 0, as before the first
    /// log.
    client: Address,
    id: u16,
    number: u32,
    /// The [volume](LogStore::volume) that the log is on. Another card may have a log with the same number.
    volume: u32,
    /// 0 if the log is gone. The id doesn't mean the next newer log before the client asks for the list, because the
    /// client would write both into one file.
    bytes: u32,
}

/// How far the first request of the queue is.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Nothing was done for it.
    New,
    /// Its log, or the next entry of its list, is searched.
    Searching(Search),
    /// Bytes up to this offset are sent.
    Sending(u32),
    /// The packet that was begun is the last one.
    Cut,
}

/// What the server needs before it can send a message.
enum Need {
    /// Nothing to send for now.
    Nothing,
    /// One pass over the logs.
    Pass(Pass),
    /// Bytes of a log, for the rest of the packet.
    Bytes { number: u32, offset: u32, end: usize },
    /// Nothing: this is the message.
    Message(Reply),
}

/// A message to send.
#[derive(Clone, Copy)]
enum Reply {
    Entry {
        seconds: u32,
        size: u32,
        id: u16,
        num_logs: u16,
        last_log_num: u16,
    },
    /// The first `count` bytes of the packet.
    Data {
        ofs: u32,
        count: u8,
    },
}

/// Bytes of the frame of a LOG_DATA, and how many frames of a LOG_ENTRY have fewer.
const DATA_FRAME: u32 = 97 + 12;
const ENTRIES: u32 = DATA_FRAME / (14 + 12);

/// Microseconds whose bytes may be sent at once, in a loop that runs seldom.
const BURST_US: u32 = 100_000;

/// A packet may lie in two blocks.
const READS: usize = 2;

impl<const REQUESTS: usize> Server<REQUESTS> {
    /// A server without requests.
    pub const fn new(options: ServerOptions) -> Self {
        const { assert!(REQUESTS > 0, "the queue has room for a request at least") };
        let rate = if options.bytes_per_second == 0 { 1 } else { options.bytes_per_second };
        Server {
            options,
            data_us: DATA_FRAME * 1_000_000 / rate,
            is_armed: false,
            filled: 0,
            stage: Stage::New,
            log: Found { client: Address::new(0, 0), id: 0, number: 0, volume: 0, bytes: 0 },
            near: (0, 0),
            due_us: 0,
            erase: None,
            counts: ServerCounts {
                accepted: 0,
                repeated: 0,
                refused: 0,
                overflowed: 0,
                missing: 0,
                failed: 0,
                sent: 0,
            },
            data: [0; Message::DATA],
            queue: Queue::EMPTY,
        }
    }

    /// Tells whether the vehicle is armed. Unless [`while_armed`](ServerOptions::while_armed) is set, arming drops all
    /// requests, and those that come before the vehicle is disarmed are refused.
    pub fn set_armed(&mut self, is_armed: bool) {
        self.is_armed = is_armed;
        if self.is_refusing() {
            self.counts.refused = self.counts.refused.saturating_add(self.queue.len() as u32);
            self.drop_all();
        }
    }

    fn is_refusing(&self) -> bool {
        self.is_armed && !self.options.while_armed
    }

    /// Whether there is nothing to send.
    pub fn is_idle(&self) -> bool {
        self.queue.first().is_none()
    }

    /// What became of the requests so far.
    pub fn counts(&self) -> ServerCounts {
        self.counts
    }

    /// Who asked to erase all logs; once for each time that somebody did. The program decides, and erases:
    /// [`SdLog::remove_oldest`](crate::SdLog::remove_oldest) removes logs of earlier boots. What was asked for before
    /// isn't sent any more.
    pub fn wants_erase(&mut self) -> Option<Address> {
        self.erase.take()
    }

    /// Takes a message that the program received. Those that aren't for a server, or for another address, are ignored.
    #[inline(never)]
    pub fn receive(&mut self, sender: Address, message: &Message<'_>) {
        let (Message::LogRequestList { target, .. }
        | Message::LogRequestData { target, .. }
        | Message::LogErase { target }
        | Message::LogRequestEnd { target }) = *message
        else {
            return;
        };
        if !is_for(self.options.address, target) {
            return;
        }
        count(match *message {
            Message::LogRequestEnd { .. } => {
                self.drop_requests(sender, 0);
                self.forget_log(sender);
                return;
            }
            _ if self.is_refusing() => &mut self.counts.refused,
            Message::LogErase { .. } => {
                self.drop_all();
                self.erase = Some(sender);
                return;
            }
            Message::LogRequestData { id, ofs, count, .. } => match Request::data(sender, id, ofs, count) {
                Some(request) => {
                    self.drop_requests(sender, id);
                    self.queue(request)
                }
                None => &mut self.counts.missing,
            },
            Message::LogRequestList { start, end, .. } => {
                self.forget_log(sender);
                // ArduPilot's ids begin with 1, and MAVProxy asks from 0 on.
                self.queue(Request::list(sender, start.max(1), end))
            }
            _ => return,
        });
    }

    /// Queues a request. Returns what to count.
    fn queue(&mut self, request: Request) -> &mut u32 {
        if request.is_empty() {
            return &mut self.counts.missing;
        }
        match self.queue.push(request) {
            Pushed::Queued => &mut self.counts.accepted,
            Pushed::Repeated => &mut self.counts.repeated,
            Pushed::Full => &mut self.counts.overflowed,
        }
    }

    /// Drops a client's requests: for logs other than the one with this id, or all if it is 0.
    #[inline(never)]
    fn drop_requests(&mut self, client: Address, kept: u16) {
        let (mut is_first, mut is_any) = (true, false);
        for request in self.queue.requests() {
            if request.sender == client && (kept == 0 || (!request.is_list() && request.id != kept)) {
                request.drop();
                is_any = true;
                if is_first {
                    (self.stage, self.filled) = (Stage::New, 0);
                }
            }
            is_first = false;
        }
        // As a rule, no request was dropped, and the queue stays as it is.
        if is_any {
            self.queue.remove_dropped();
        }
    }

    fn drop_all(&mut self) {
        self.queue.clear();
        self.begin_request();
        self.erase = None;
    }

    /// The first request is another one.
    fn begin_request(&mut self) {
        (self.stage, self.filled) = (Stage::New, 0);
    }

    fn end_request(&mut self) {
        self.queue.pop();
        self.begin_request();
    }

    /// The client's ids may mean other logs from now on.
    #[inline(never)]
    fn forget_log(&mut self, client: Address) {
        if self.log.client == client {
            // The request that is being answered still needs the log, unless a pass is looking for it.
            self.log.id = 0;
            if let Stage::Searching(search) = self.stage
                && search.is_by_number()
            {
                self.stage = Stage::New;
            }
        }
    }

    /// The next message to send; `None` if there is none, if the limit of bytes a second is reached, or if the search
    /// for a log isn't complete.
    ///
    /// # Errors
    ///
    /// The store's. The request that it hit is dropped, and counted.
    pub fn next<L: LogStore>(&mut self, now_us: u64, store: &mut L) -> Result<Option<Message<'_>>, L::Error> {
        for reads in 0..=READS {
            let reply = match self.need(now_us) {
                Need::Pass(mut pass) => match store.list(|log| pass.see(&log)) {
                    Ok(()) => self.passed(&pass, store.volume()),
                    Err(error) => return Err(self.fail(error)),
                },
                Need::Bytes { number, offset, end } if reads < READS => {
                    match store.read_at(number, offset, &mut self.data[self.filled.into()..end]) {
                        Ok(piece) if self.fill(piece, store.volume()) => continue,
                        Ok(_) => None,
                        Err(error) => return Err(self.fail(error)),
                    }
                }
                Need::Bytes { .. } | Need::Nothing => None,
                Need::Message(reply) => Some(reply),
            };
            return Ok(reply.map(|reply| self.send(now_us, reply)));
        }
        Ok(None)
    }

    /// As [`next`](Server::next). Dropping the future loses nothing.
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
        for reads in 0..=READS {
            let reply = match self.need(now_us) {
                Need::Pass(mut pass) => match store.list(|log| pass.see(&log)).await {
                    Ok(()) => self.passed(&pass, store.volume()),
                    Err(error) => return Err(self.fail(error)),
                },
                Need::Bytes { number, offset, end } if reads < READS => {
                    match store.read_at(number, offset, &mut self.data[self.filled.into()..end]).await {
                        Ok(piece) if self.fill(piece, store.volume()) => continue,
                        Ok(_) => None,
                        Err(error) => return Err(self.fail(error)),
                    }
                }
                Need::Bytes { .. } | Need::Nothing => None,
                Need::Message(reply) => Some(reply),
            };
            return Ok(reply.map(|reply| self.send(now_us, reply)));
        }
        Ok(None)
    }

    /// What is needed for the next message.
    #[inline(never)]
    fn need(&mut self, now_us: u64) -> Need {
        let Some(&request) = self.queue.first() else { return Need::Nothing };
        if !self.is_due(now_us) {
            return Need::Nothing;
        }
        if let Stage::New = self.stage {
            self.begin_search(&request);
        }
        match self.stage {
            Stage::New => Need::Nothing,
            Stage::Searching(search) => Need::Pass(search.pass()),
            Stage::Sending(end) => {
                let count = (end - request.next).min(Message::DATA as u32) as u8;
                let offset = request.next + u32::from(self.filled);
                match self.filled < count {
                    true => Need::Bytes { number: self.log.number, offset, end: count.into() },
                    false => Need::Message(Reply::Data { ofs: request.next, count: self.filled }),
                }
            }
            Stage::Cut => Need::Message(Reply::Data { ofs: request.next, count: self.filled }),
        }
    }

    /// Whether a message may be sent, by the limit.
    fn is_due(&self, now_us: u64) -> bool {
        // A longer wait is past: it is the clock that has come around, or that was set back.
        !(1..=self.data_us).contains(&self.due_us.wrapping_sub(now_us as u32))
    }

    /// Decides what to search for a request, unless its log is known.
    fn begin_search(&mut self, request: &Request) {
        self.stage = match self.known(request).copied() {
            _ if request.is_list() => Stage::Searching(Search::rank(request.next as u16, self.near)),
            None => Stage::Searching(Search::rank(request.id, self.near)),
            Some(Found { bytes: 0, .. }) => return self.cut_missing(),
            Some(log) if request.next < log.bytes => Stage::Sending(request.end.min(log.bytes)),
            // The log may have grown.
            Some(log) => Stage::Searching(Search::number(log.number)),
        };
    }

    /// The log of a request, if its id means one already.
    #[inline(never)]
    fn known(&mut self, request: &Request) -> Option<&mut Found> {
        let log = &mut self.log;
        (log.id == request.id && log.client == request.sender).then_some(log)
    }

    /// The log of the first request isn't there, which an empty packet says.
    #[inline(never)]
    fn cut_missing(&mut self) {
        count(&mut self.counts.missing);
        self.stage = Stage::Cut;
    }

    /// Takes what a pass over a volume says. Returns the entry of the list if that is what was searched.
    #[inline(never)]
    fn passed(&mut self, pass: &Pass, volume: u32) -> Option<Reply> {
        let (Stage::Searching(search), Some(&request)) = (&mut self.stage, self.queue.first()) else { return None };
        let log = search.take(pass)?;
        let is_by_number = search.is_by_number();
        let num_logs = u16::try_from(pass.logs).unwrap_or(u16::MAX);
        if request.is_list() {
            self.stage = Stage::New;
            let last = request.end.min(num_logs.into());
            if log.bytes == 0 {
                self.end_request();
                if num_logs > 0 {
                    count(&mut self.counts.missing);
                    return None;
                }
                return Some(Reply::Entry { seconds: 0, size: 0, id: 0, num_logs: 0, last_log_num: 0 });
            }
            let id = request.next as u16;
            self.near = (id, log.order);
            if request.next >= last {
                self.end_request();
            } else if let Some(request) = self.queue.first_mut() {
                request.next += 1;
            }
            let seconds = self.utc(log.seconds);
            return Some(Reply::Entry { seconds, size: log.bytes, id, num_logs, last_log_num: last as u16 });
        }
        let known = self.known(&request);
        // A log only grows: a shorter one has the number of one that is gone.
        let (least, on) = known.as_ref().map_or((0, volume), |known| (known.bytes, known.volume));
        let LogEntry { number, order, bytes, .. } = log;
        if bytes == 0 || bytes < least || volume != on {
            if let Some(known) = known {
                known.bytes = 0;
            }
            self.cut_missing();
            return None;
        }
        if !is_by_number {
            self.near = (request.id, order);
        }
        self.log = Found { client: request.sender, id: request.id, number, volume, bytes };
        self.stage = if request.next < bytes { Stage::Sending(request.end.min(bytes)) } else { Stage::Cut };
        None
    }

    fn utc(&self, seconds: u32) -> u32 {
        let offset = -60 * i32::from(self.options.utc_offset_minutes);
        if seconds == 0 { 0 } else { seconds.saturating_add_signed(offset) }
    }

    /// Takes what was read from a volume. Returns whether this call may continue with the packet.
    fn fill(&mut self, piece: Piece, volume: u32) -> bool {
        match if self.log.volume == volume { piece } else { Piece::NoLog } {
            Piece::Searching => return false,
            // The log is shorter than it was.
            Piece::Bytes(0) => self.stage = Stage::Cut,
            Piece::NoLog => {
                self.log.bytes = 0;
                self.cut_missing();
            }
            Piece::Bytes(count) => self.filled += count.min(Message::DATA - usize::from(self.filled)) as u8,
        }
        true
    }

    /// The error of the store. The client asks again.
    #[cold]
    fn fail<E>(&mut self, error: E) -> E {
        count(&mut self.counts.failed);
        self.end_request();
        error
    }

    /// Takes note that a message is sent.
    #[inline(never)]
    fn send(&mut self, now_us: u64, reply: Reply) -> Message<'_> {
        let now_us = now_us as u32;
        let late_us = now_us.wrapping_sub(self.due_us).min(BURST_US);
        self.due_us = now_us.wrapping_sub(late_us).wrapping_add(if let Reply::Entry { .. } = reply {
            self.data_us / ENTRIES
        } else {
            self.data_us
        });
        count(&mut self.counts.sent);
        match reply {
            Reply::Entry { seconds, size, id, num_logs, last_log_num } => {
                Message::LogEntry { time_utc: seconds, size, id, num_logs, last_log_num }
            }
            Reply::Data { ofs, count } => {
                let id = self.queue.first().map_or(0, |request| request.id);
                self.advance(count);
                let data = &self.data[..count.into()];
                Message::LogData { id, ofs, count, data }
            }
        }
    }

    /// Continues after a packet of `count` bytes.
    fn advance(&mut self, count: u8) {
        let (Stage::Sending(end), Some(request)) = (self.stage, self.queue.first_mut()) else {
            return self.end_request();
        };
        request.next += u32::from(count);
        self.filled = 0;
        if request.next >= end || count == 0 {
            // MAVProxy asks without an end, and takes an empty packet for one even if packets before it were lost.
            let has_end = request.end != u32::MAX;
            match usize::from(count) == Message::DATA && has_end && request.end > end {
                true => self.stage = Stage::Cut,
                false => self.end_request(),
            }
        }
    }
}
