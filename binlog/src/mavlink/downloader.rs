// Held by tests/tests/mavlink/clients.rs.

//! Lists and downloads the logs that a vehicle keeps: the client of LOG_*, without I/O.

mod list;
#[cfg(test)]
mod tests;
mod transfer;

use super::message::{Address, Message};
use super::peer::Peer;
use core::ops::RangeInclusive;
use list::List;
pub use list::{ListedLog, Relisted};
use std::vec::Vec;
use transfer::{Pace, Transfer};

/// A single LOG_REQUEST_END may be lost.
const ENDS: u8 = 2;

/// How a [`Downloader`] asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DownloaderOptions {
    /// The client's own address.
    pub address: Address,
    /// The vehicle's system; `None` is the first one that is heard.
    pub system: Option<u8>,
}

/// By default, the address is (254, 190): a ground station, of a system that vehicles don't have.
impl Default for DownloaderOptions {
    fn default() -> Self {
        DownloaderOptions { address: Address::new(254, 190), system: None }
    }
}

/// What a [`Downloader`] has received. Each count stays at its maximum.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DownloaderCounts {
    /// Packets of the log that were asked for.
    pub packets: u64,
    /// Packets that came again.
    pub repeated: u64,
    /// Packets that were lost, or whose request was.
    pub lost: u64,
    /// Entries and packets that were not asked for, or of another sender than the one that answered, which are dropped.
    pub foreign: u64,
}

/// Lists the logs of a vehicle and downloads them. It has no clock and no link: the program passes what it receives,
/// and sends what [`next`](Downloader::next) returns.
///
/// - The vehicle is the one with the chosen system, or the first autopilot whose heartbeat comes; without heartbeats
///   for 2.5 seconds, everybody is asked. The first sender that answers is the vehicle: others are dropped.
/// - It asks for runs of up to 256 packets of 90 bytes, at least two of them ahead and at least twice what the link
///   carries in a round trip. Gaps are asked for in between, with at most 32 requests on the way: a vehicle that
///   answers in turn, as `binlog_embedded::mavlink::Server` does, is never idle, and losses show without timers.
/// - ArduPilot ignores a request while it serves one. When that shows, there is one request on the way, for the packets
///   of 4 seconds, and gaps near each other are asked for together.
/// - Memory is bounded: at most 8,192 packets after the first gap are kept.
///
/// ```
/// use binlog::mavlink::{Address, Downloader, DownloaderOptions, Message, Relisted};
///
/// let vehicle = Address::new(1, 1);
/// let mut downloader = Downloader::new(DownloaderOptions { system: Some(1), ..DownloaderOptions::default() });
/// let asked: Vec<Message> = std::iter::from_fn(|| downloader.next(0)).collect();
/// assert_eq!(asked.last().map(Message::id), Some(117), "a request for the list");
/// let entry = Message::LogEntry { time_utc: 0, size: 100, id: 1, num_logs: 1, last_log_num: 1 };
/// downloader.receive(20_000, vehicle, &entry);
/// let log = downloader.logs().expect("a whole list")[0];
///
/// // Later, the number may mean another log.
/// downloader.list_again(log.id);
/// assert_eq!(downloader.next(20_000).as_ref().map(Message::id), Some(117), "a request for its entry");
/// downloader.receive(40_000, vehicle, &entry);
/// assert_eq!(downloader.relisted(), Some(Relisted::Same(log)));
///
/// downloader.fetch(log.id, 0, log.size);
/// assert_eq!(downloader.next(40_000).as_ref().map(Message::id), Some(119), "a request for the bytes");
/// for (ofs, count) in [(0, 90), (90, 10)] {
///     downloader.receive(60_000, vehicle, &Message::LogData { id: 1, ofs, count, data: &[7; 90] });
/// }
/// let mut bytes = Vec::new();
/// downloader.take(&mut bytes);
/// assert_eq!((bytes, downloader.is_fetched()), (vec![7; 100], true));
/// ```
#[derive(Clone, Debug)]
pub struct Downloader {
    peer: Peer,
    /// The sender that answered.
    server: Option<Address>,
    list: List,
    transfer: Option<Transfer>,
    pace: Pace,
    /// LOG_REQUEST_ENDs that are to be sent.
    ends: u8,
    /// When something new last came.
    progress_us: Option<u64>,
    counts: DownloaderCounts,
}

impl Downloader {
    /// A client that has sent nothing. It begins with the list of logs.
    pub fn new(options: DownloaderOptions) -> Self {
        // 6 is MAV_TYPE_GCS.
        Downloader {
            peer: Peer::new(options.address, 6, options.system),
            server: None,
            list: List::default(),
            transfer: None,
            pace: Pace::default(),
            ends: 0,
            progress_us: None,
            counts: DownloaderCounts::default(),
        }
    }

    /// The logs in the order of their ids; `None` while the list isn't whole.
    pub fn logs(&self) -> Option<Vec<ListedLog>> {
        self.list.whole()
    }

    /// The numbers of the logs whose entries are missing in the list; none before the first entry came.
    pub fn unlisted(&self) -> Vec<RangeInclusive<u16>> {
        self.list.gaps()
    }

    /// Asks for the entry of a listed log again, before it is downloaded: [`relisted`](Downloader::relisted) is the
    /// answer.
    pub fn list_again(&mut self, id: u16) {
        self.list.ask_again(id);
        self.progress_us = None;
    }

    /// What became of the log that [`list_again`](Downloader::list_again) named; `None` before the vehicle has said it,
    /// and after [`fetch`](Downloader::fetch).
    pub fn relisted(&self) -> Option<Relisted> {
        self.list.relisted()
    }

    /// The sender that answered.
    pub fn server(&self) -> Option<Address> {
        self.server
    }

    /// Whether the vehicle is armed, by its heartbeats. ArduPilot refuses downloads then.
    pub fn is_armed(&self) -> Option<bool> {
        self.peer.is_armed()
    }

    /// What it has received.
    pub fn counts(&self) -> DownloaderCounts {
        self.counts
    }

    /// For how long nothing new came, in microseconds. It is the program that gives up.
    pub fn silent_us(&self, now_us: u64) -> u64 {
        self.progress_us.map_or(0, |last| now_us.saturating_sub(last))
    }

    /// Begins to download the bytes from `from`, rounded down to a multiple of 90, to `to` of a log.
    pub fn fetch(&mut self, id: u16, from: u32, to: u32) {
        self.transfer = Some(Transfer::new(id, from, to));
        self.list.end_again();
        self.progress_us = None;
    }

    /// Whether all bytes have been taken.
    pub fn is_fetched(&self) -> bool {
        self.transfer.as_ref().is_some_and(Transfer::is_done)
    }

    /// Whether the log turned out to be shorter than asked for: the vehicle said three times that it ends before.
    pub fn is_short(&self) -> bool {
        self.transfer.as_ref().is_some_and(Transfer::is_short)
    }

    /// Appends the next bytes of the log, up to the first gap.
    pub fn take(&mut self, into: &mut Vec<u8>) {
        if let Some(transfer) = &mut self.transfer {
            transfer.take(into);
        }
    }

    /// Ends the download: [`next`](Downloader::next) then tells the vehicle.
    pub fn stop(&mut self) {
        self.transfer = None;
        self.ends = ENDS;
    }

    /// Takes a received message. Those about other things are ignored.
    pub fn receive(&mut self, now_us: u64, sender: Address, message: &Message<'_>) {
        if let Message::Heartbeat { .. } = message {
            self.peer.hear(now_us, sender, message);
            return;
        }
        let is_asked = match message {
            Message::LogEntry { .. } => self.list.is_asked(),
            Message::LogData { .. } => self.transfer.is_some(),
            _ => return,
        };
        let is_vehicle = self.server.map_or_else(|| self.peer.may_answer(sender), |server| server == sender);
        if !is_vehicle || !is_asked {
            self.counts.foreign = self.counts.foreign.saturating_add(1);
            return;
        }
        let is_new = match (message, &mut self.transfer) {
            (&Message::LogData { id, ofs, count, data }, Some(transfer)) => {
                transfer.receive(now_us, &mut self.pace, &mut self.counts, (id, ofs, count), data)
            }
            (&Message::LogEntry { time_utc, size, id, num_logs, last_log_num }, _) => {
                let log = ListedLog { id, size, time_utc };
                self.list.receive(now_us, &mut self.counts, log, num_logs, last_log_num)
            }
            _ => false,
        };
        if is_new {
            self.server = Some(sender);
            self.progress_us = Some(now_us);
        }
    }

    /// The next message to send; `None` if there is none at this time. Call it after received messages and at least
    /// twenty times a second, until it returns `None`.
    pub fn next(&mut self, now_us: u64) -> Option<Message<'static>> {
        self.progress_us.get_or_insert(now_us);
        if let Some(heartbeat) = self.peer.heartbeat(now_us) {
            return Some(heartbeat);
        }
        let target = match self.server {
            Some(server) => server,
            None => self.peer.target(now_us)?,
        };
        if self.ends > 0 {
            self.ends -= 1;
            return Some(Message::LogRequestEnd { target });
        }
        match &mut self.transfer {
            Some(transfer) if !self.list.is_asking_again() => transfer
                .next(now_us, &mut self.pace, &mut self.counts)
                .map(|(id, ofs, count)| Message::LogRequestData { target, id, ofs, count }),
            _ => {
                let (start, end) = self.list.next(now_us)?;
                Some(Message::LogRequestList { target, start, end })
            }
        }
    }
}
