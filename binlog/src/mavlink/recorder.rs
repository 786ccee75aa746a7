// Held by tests/tests/mavlink/clients.rs.

//! Records the log that a vehicle streams while it writes it: the client of REMOTE_LOG_*, without I/O.

#[cfg(test)]
mod tests;

use super::message::{Address, Message};
use super::peer::{LOST_US, Peer};
use std::boxed::Box;
use std::collections::VecDeque;

/// Blocks that are kept ahead of the first gap.
const WINDOW: u32 = 200;
/// Time between two STARTs, and between STOP and START, in microseconds.
const START_US: u64 = 1_000_000;
/// A gap is asked for again after this time, in microseconds.
const NACK_US: u64 = 200_000;
/// A stream without blocks for so long, while heartbeats come, has ended, in microseconds.
const ENDED_US: u64 = 3_000_000;
/// A gap between heartbeats, in microseconds.
const HEARTBEAT_US: u64 = 2_500_000;
/// A stream whose first gap stays for so long isn't worth waiting for, in microseconds.
const STALLED_US: u64 = 30_000_000;
/// A log that gets only blocks that are too far ahead for so long has missed its vehicle's, in microseconds.
const AHEAD_US: u64 = 5_000_000;
/// Within this time, another block 0 is a repetition, in microseconds.
const REPEATED_US: u64 = 5_000_000;
/// Another block 0 is a repetition if the open log continues after this time, in microseconds.
const NEXT_US: u64 = 2_000_000;
/// An ACK is repeated this many blocks later.
const REPEAT_AFTER: usize = 16;
/// A block that comes twice says that ACKs are lost: the ACKs of this number of blocks are repeated.
const REPEATS: u32 = 400;
/// Landing is logged for so long after a vehicle is disarmed, in microseconds.
const LANDED_US: u64 = 5_000_000;
/// Events and ACKs that nobody takes.
const MOST_WAITING: usize = 1024;
/// A single STOP may be lost.
const STOPS: u8 = 3;

/// 200 bytes of a log.
pub type Block = Box<[u8; Message::BLOCK]>;

/// How a [`Recorder`] behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecorderOptions {
    /// The recorder's own address.
    pub address: Address,
    /// The vehicle's system; `None` is the first one that is heard.
    pub system: Option<u8>,
    /// Whether a log ends 5 seconds after the vehicle is disarmed. The next one begins at once.
    pub rotate_on_disarm: bool,
}

/// By default, the address is (254, 155): `MAV_COMP_ID_LOG`, of a system that vehicles don't have.
impl Default for RecorderOptions {
    fn default() -> Self {
        RecorderOptions { address: Address::new(254, 155), system: None, rotate_on_disarm: false }
    }
}

/// What a [`Recorder`] tells, in the order of the bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecorderEvent {
    /// A log begins. Its blocks follow.
    Begin(Address),
    /// The next 200 bytes of the log. The last block of a log has zeros after its records.
    Block(Block),
    /// The log ends.
    End(LogEnd),
}

/// Why a log ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogEnd {
    /// [`Recorder::stop`] was called.
    Stopped,
    /// The vehicle began another log.
    NextLog,
    /// The vehicle was disarmed.
    Disarmed,
    /// Nothing came for 10 seconds.
    LinkLost,
    /// A block never came, though others did for 30 seconds, or only those far ahead for 5 seconds.
    BlockMissing,
}

/// What a [`Recorder`] does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecorderState {
    /// It asks for the stream once a second.
    Waiting,
    /// A log is open.
    Recording,
    /// [`Recorder::stop`] was called.
    Stopped,
}

/// What a [`Recorder`] has received. Each count stays at its maximum.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RecorderCounts {
    /// Heartbeats of the vehicle that is asked.
    pub heartbeats: u64,
    /// Blocks of the log in order.
    pub blocks: u64,
    /// Blocks that came again.
    pub repeated: u64,
    /// NACKs for blocks that were missing.
    pub missing: u64,
    /// Blocks more than 200 ahead of the first gap, which are dropped. The vehicle sends them again.
    pub ahead: u64,
    /// Blocks of other senders, or for other receivers, which are dropped.
    pub foreign: u64,
    /// Blocks of a stream whose beginning the recorder doesn't have, which are dropped.
    pub headless: u64,
    /// Blocks after a gap at the end of a log, which are dropped.
    pub after_gap: u64,
}

/// Records the log that a vehicle streams. It has no clock and no link: the program passes what it receives, and sends
/// what [`next`](Recorder::next) returns.
///
/// - START goes to the vehicle once a second until block 0 comes. The vehicle is the one with the chosen system, or the
///   first autopilot whose heartbeat comes; without heartbeats for 2.5 seconds, everybody is asked. The first sender of
///   block 0 is the sender of the log: blocks and heartbeats of others are dropped.
/// - Each block gets an ACK, each gap a NACK at once, and again after 0.2 s. If blocks come twice, ACKs are lost; then
///   each is repeated 16 blocks later.
/// - Blocks come in order, up to the first gap. At most 200 blocks after it are kept: memory is bounded.
/// - A stream without blocks for 3 seconds, of a vehicle whose heartbeats come, has ended: START asks for the next log.
///   Without either for 10 seconds, the link is lost: the log ends, and a new one begins when the vehicle is back.
/// - While a log is open, another block 0 begins a new log when block 1, or two others of the first 200 blocks, follow:
///   if START asked for it, if it differs from the log's block 0, or if it comes more than 5 seconds after that.
///   Without these, only a block 1 that differs from the log's block 1 begins one. Other blocks 0 are repeated ones.
/// - A stream that begins with another block, because the vehicle ignores START while it sends, is stopped and started
///   again. So is one of which only blocks that are too far ahead come, for 5 seconds; its log ends.
///
/// ```
/// use binlog::mavlink::{Address, Message, Recorder, RecorderEvent, RecorderOptions};
///
/// let mut recorder = Recorder::new(RecorderOptions { system: Some(1), ..RecorderOptions::default() });
/// let sent: Vec<Message> = std::iter::from_fn(|| recorder.next(0)).collect();
/// let start = Message::RemoteLogBlockStatus { target: Address::new(1, 0), seqno: Message::START, is_received: true };
/// assert!(sent.contains(&start));
///
/// let vehicle = Address::new(1, 1);
/// let block = Message::RemoteLogDataBlock { target: Address::new(254, 155), seqno: 0, data: &[0xA3; 200] };
/// recorder.receive(20_000, vehicle, &block);
/// assert_eq!(recorder.take(), Some(RecorderEvent::Begin(vehicle)));
/// assert_eq!(recorder.take(), Some(RecorderEvent::Block(Box::new([0xA3; 200]))));
/// let ack = Message::RemoteLogBlockStatus { target: vehicle, seqno: 0, is_received: true };
/// assert_eq!(recorder.next(20_000), Some(ack));
/// ```
#[derive(Clone, Debug)]
pub struct Recorder {
    peer: Peer,
    rotates: bool,
    log: Option<OpenLog>,
    /// The last START, and whom it asked.
    started: Option<(u64, Address)>,
    /// Whether a log may begin with the next block 0.
    is_asked: bool,
    /// No START before this time.
    start_after_us: u64,
    /// Since when blocks of a stream come whose beginning is missing.
    headless_us: Option<u64>,
    /// STOPs that are to be sent, and to whom.
    stops: (u8, Address),
    is_stopped: bool,
    events: VecDeque<RecorderEvent>,
    acks: VecDeque<u32>,
    counts: RecorderCounts,
}

/// The log that is being received.
#[derive(Clone, Debug)]
struct OpenLog {
    sender: Address,
    /// The first gap: all blocks before it are passed on.
    first: u32,
    /// The blocks from the first gap to the newest one.
    slots: VecDeque<Slot>,
    /// Block 0, and block 1 if it has come.
    head: Block,
    second: Option<Block>,
    /// Another block 0, with which the next log may begin.
    next: Option<NextHead>,
    /// Since when only blocks that are too far ahead come.
    ahead_us: Option<u64>,
    /// The blocks that were acknowledged last.
    recent: VecDeque<u32>,
    /// How many ACKs are to be repeated.
    repeats: u32,
    began_us: u64,
    /// When the last block came, and when the first gap opened or was moved by a block in order.
    block_us: u64,
    progress_us: u64,
    /// The first and the last of the heartbeats since the last block, without a gap.
    heartbeats_us: Option<(u64, u64)>,
    was_armed: bool,
    disarmed_us: Option<u64>,
}

/// Block 0 of a log that begins when other blocks of it follow.
#[derive(Clone, Debug)]
struct NextHead {
    head: Block,
    came_us: u64,
    /// Whether it is more than a repetition of the open log's block 0.
    is_likely: bool,
    /// Another block that may be of the next log. It gets no ACK, so that it comes again.
    other: Option<u32>,
}

#[derive(Clone, Default, Debug)]
struct Slot {
    block: Option<Block>,
    nacked_us: Option<u64>,
}

impl Recorder {
    /// A recorder that has sent nothing.
    pub fn new(options: RecorderOptions) -> Self {
        // 18 is MAV_TYPE_ONBOARD_CONTROLLER.
        Recorder {
            peer: Peer::new(options.address, 18, options.system),
            rotates: options.rotate_on_disarm,
            log: None,
            started: None,
            is_asked: true,
            start_after_us: 0,
            headless_us: None,
            stops: (0, Address::default()),
            is_stopped: false,
            events: VecDeque::new(),
            acks: VecDeque::new(),
            counts: RecorderCounts::default(),
        }
    }

    /// What it does.
    pub fn state(&self) -> RecorderState {
        match &self.log {
            _ if self.is_stopped => RecorderState::Stopped,
            Some(_) => RecorderState::Recording,
            None => RecorderState::Waiting,
        }
    }

    /// What it has received.
    pub fn counts(&self) -> RecorderCounts {
        self.counts
    }

    /// The system that is asked, if it is known.
    pub fn system(&self) -> Option<u8> {
        self.peer.system()
    }

    /// Whether the vehicle is armed, by its heartbeats.
    pub fn is_armed(&self) -> Option<bool> {
        self.peer.is_armed()
    }

    /// Whether a block is missing, of which later ones have come.
    pub fn has_gap(&self) -> bool {
        self.log.as_ref().is_some_and(|log| !log.slots.is_empty())
    }

    /// Takes a received message. Those about other things are ignored.
    pub fn receive(&mut self, now_us: u64, sender: Address, message: &Message<'_>) {
        match *message {
            Message::Heartbeat { .. } => {
                let is_vehicle = self.peer.hear(now_us, sender, message);
                count(&mut self.counts.heartbeats, is_vehicle.into());
                self.note_heartbeat(now_us);
            }
            Message::RemoteLogDataBlock { target, seqno, data } if !self.is_stopped => {
                if !self.peer.is_for_us(target) {
                    count(&mut self.counts.foreign, 1);
                    return;
                }
                self.receive_block(now_us, sender, seqno, data);
            }
            _ => {}
        }
    }

    fn note_heartbeat(&mut self, now_us: u64) {
        let Some(log) = &mut self.log else { return };
        if self.peer.heard_us(log.sender.system) != Some(now_us) {
            return;
        }
        let before = log.heartbeats_us.filter(|(_, last)| now_us.saturating_sub(*last) < HEARTBEAT_US);
        log.heartbeats_us = Some((before.map_or(now_us, |(first, _)| first), now_us));
        match self.peer.is_armed() {
            Some(true) => (log.was_armed, log.disarmed_us) = (true, None),
            Some(false) if log.was_armed => _ = log.disarmed_us.get_or_insert(now_us),
            _ => {}
        }
    }

    fn receive_block(&mut self, now_us: u64, sender: Address, seqno: u32, data: &[u8]) {
        let Some(log) = &mut self.log else {
            if !self.peer.may_answer(sender) {
                count(&mut self.counts.foreign, 1);
            } else if seqno == 0 {
                self.begin(now_us, sender, block(data));
            } else {
                count(&mut self.counts.headless, 1);
                // After STOP, some are still on the way.
                if now_us >= self.start_after_us {
                    self.headless_us.get_or_insert(now_us);
                    self.stops.1 = sender;
                }
            }
            return;
        };
        if log.sender != sender {
            count(&mut self.counts.foreign, 1);
            return;
        }
        log.block_us = now_us;
        log.heartbeats_us = None;
        if seqno == 0 {
            log.note_head(now_us, block(data), self.is_asked);
        } else if log.is_of_next(seqno, data)
            && let Some(next) = log.next.take()
        {
            self.end(LogEnd::NextLog);
            self.begin(now_us, sender, next.head);
            self.receive_block(now_us, sender, seqno, data);
            return;
        } else if log.may_be_of_next(now_us, seqno) {
            return;
        }
        let Some(ahead) = seqno.checked_sub(log.first) else {
            count(&mut self.counts.repeated, 1);
            log.repeats = REPEATS;
            self.acknowledge(seqno);
            return;
        };
        if ahead > WINDOW {
            log.ahead_us.get_or_insert(now_us);
        }
        if ahead > WINDOW || self.events.len() >= MOST_WAITING {
            count(&mut self.counts.ahead, 1);
            return;
        }
        log.ahead_us = None;
        log.next.take_if(|next| now_us.saturating_sub(next.came_us) >= NEXT_US);
        let ahead = ahead as usize;
        if log.slots.is_empty() {
            log.progress_us = now_us;
        }
        if log.slots.len() <= ahead {
            log.slots.resize_with(ahead + 1, Slot::default);
        }
        let slot = &mut log.slots[ahead];
        let is_new = slot.block.is_none();
        if is_new {
            slot.block = Some(block(data));
            log.recent.push_back(seqno);
        } else {
            count(&mut self.counts.repeated, 1);
            log.repeats = REPEATS;
        }
        let repeated = (log.recent.len() > REPEAT_AFTER).then(|| log.recent.pop_front()).flatten();
        let repeated = repeated.filter(|_| log.repeats > 0).inspect(|_| log.repeats -= 1);
        while let Some(block) = log.slots.front_mut().and_then(|slot| slot.block.take()) {
            log.slots.pop_front();
            if log.first == 1 {
                log.second = Some(block.clone());
            }
            log.first = log.first.saturating_add(1);
            log.progress_us = now_us;
            count(&mut self.counts.blocks, 1);
            self.events.push_back(RecorderEvent::Block(block));
        }
        self.acknowledge(seqno);
        if let Some(repeated) = repeated {
            self.acknowledge(repeated);
        }
    }

    fn acknowledge(&mut self, seqno: u32) {
        // An ACK that is left out is asked for by the block, which comes again.
        if self.acks.len() < MOST_WAITING {
            self.acks.push_back(seqno);
        }
    }

    fn begin(&mut self, now_us: u64, sender: Address, block: Block) {
        self.events.push_back(RecorderEvent::Begin(sender));
        self.events.push_back(RecorderEvent::Block(block.clone()));
        count(&mut self.counts.blocks, 1);
        self.peer.hold(Some(sender.system));
        self.log = Some(OpenLog {
            sender,
            first: 1,
            slots: VecDeque::new(),
            head: block,
            second: None,
            next: None,
            ahead_us: None,
            recent: VecDeque::new(),
            repeats: 0,
            began_us: now_us,
            block_us: now_us,
            progress_us: now_us,
            heartbeats_us: None,
            was_armed: self.peer.is_armed() == Some(true),
            disarmed_us: None,
        });
        self.headless_us = None;
        self.is_asked = false;
        self.acks.clear();
        self.acknowledge(0);
    }

    /// Ends the log. What stands after a gap is dropped: a log is the vehicle's up to its end.
    fn end(&mut self, why: LogEnd) {
        let Some(log) = self.log.take() else { return };
        self.peer.hold(None);
        let after_gap = log.slots.iter().filter(|slot| slot.block.is_some()).count();
        count(&mut self.counts.after_gap, after_gap as u64);
        self.acks.clear();
        self.events.push_back(RecorderEvent::End(why));
        self.stops.1 = log.sender;
        // It got its ACK, so it doesn't come again.
        if let Some(next) = log.next.filter(|next| next.head != log.head) {
            count(&mut self.counts.blocks, 1);
            self.events.extend([
                RecorderEvent::Begin(log.sender),
                RecorderEvent::Block(next.head),
                RecorderEvent::End(why),
            ]);
        }
    }

    /// Ends the log and the stream. The messages that [`next`](Recorder::next) then returns tell the vehicle.
    pub fn stop(&mut self) {
        if !self.is_stopped {
            if let Some((_, target)) = self.started {
                self.stops = (STOPS, target);
            }
            if self.log.is_some() {
                self.end(LogEnd::Stopped);
                self.stops.0 = STOPS;
            }
            self.is_stopped = true;
        }
    }

    /// The next message to send; `None` if there is none at this time. Call it after received messages and at least ten
    /// times a second, until it returns `None`.
    pub fn next(&mut self, now_us: u64) -> Option<Message<'static>> {
        self.look_at_the_clock(now_us);
        let status = |target, seqno, is_received| Some(Message::RemoteLogBlockStatus { target, seqno, is_received });
        if self.stops.0 > 0 {
            self.stops.0 -= 1;
            return status(self.stops.1, Message::STOP, true);
        }
        if self.is_stopped {
            return None;
        }
        if let Some(heartbeat) = self.peer.heartbeat(now_us) {
            return Some(heartbeat);
        }
        if let Some(target) = self.start(now_us) {
            return status(target, Message::START, true);
        }
        let log = self.log.as_mut()?;
        for (seqno, slot) in (log.first..).zip(&mut log.slots) {
            if slot.block.is_none() && slot.nacked_us.is_none_or(|last| now_us.saturating_sub(last) >= NACK_US) {
                slot.nacked_us = Some(now_us);
                count(&mut self.counts.missing, 1);
                return status(log.sender, seqno, false);
            }
        }
        self.acks.pop_front().and_then(|seqno| status(log.sender, seqno, true))
    }

    /// Whom to send START now.
    fn start(&mut self, now_us: u64) -> Option<Address> {
        let has_ended = |log: &OpenLog| {
            let since = |then: u64| now_us.saturating_sub(then);
            log.heartbeats_us.is_some_and(|(first, last)| since(first) >= ENDED_US && since(last) < HEARTBEAT_US)
        };
        let is_due = self.started.is_none_or(|(last, _)| now_us.saturating_sub(last) >= START_US);
        if !is_due || now_us < self.start_after_us || !self.log.as_ref().is_none_or(has_ended) {
            return None;
        }
        let target = match &self.log {
            Some(log) => log.sender,
            None => self.peer.target(now_us)?,
        };
        self.started = Some((now_us, target));
        self.is_asked = true;
        Some(target)
    }

    /// Ends logs by time, and streams whose beginning is missing.
    fn look_at_the_clock(&mut self, now_us: u64) {
        let since = |then: u64| now_us.saturating_sub(then);
        if let Some(log) = &self.log {
            let heard = self.peer.heard_us(log.sender.system).unwrap_or(0).max(log.block_us);
            let is_landed = log.disarmed_us.is_some_and(|disarmed| since(disarmed) >= LANDED_US);
            if since(heard) >= LOST_US {
                self.end(LogEnd::LinkLost);
            } else if (!log.slots.is_empty() && since(log.progress_us) >= STALLED_US && since(log.block_us) < ENDED_US)
                || log.ahead_us.is_some_and(|first| since(first) >= AHEAD_US && since(log.block_us) < ENDED_US)
            {
                self.end(LogEnd::BlockMissing);
                self.stop_stream(now_us);
            } else if self.rotates && is_landed {
                self.end(LogEnd::Disarmed);
                self.stop_stream(now_us);
            }
        } else if self.headless_us.is_some_and(|first| since(first) >= START_US) {
            self.headless_us = None;
            self.stop_stream(now_us);
        }
    }

    /// Has the vehicle stop, and start a second later.
    fn stop_stream(&mut self, now_us: u64) {
        self.stops.0 = 1;
        self.start_after_us = now_us.saturating_add(START_US);
    }

    /// What was received, in order. Call it after each message and after [`next`](Recorder::next), until it returns
    /// `None`: while more than 1,024 events wait, blocks are dropped, and the vehicle sends them again.
    pub fn take(&mut self) -> Option<RecorderEvent> {
        self.events.pop_front()
    }
}

impl OpenLog {
    /// Keeps another block 0, if a log may begin with it.
    fn note_head(&mut self, now_us: u64, head: Block, is_asked: bool) {
        let age = now_us.saturating_sub(self.began_us);
        let is_late = self.first > 1 && age >= REPEATED_US;
        let is_likely = is_asked || self.head != head || is_late;
        // A vehicle begins at most one log a second.
        if age >= START_US && (is_likely || self.next.is_none()) {
            self.next = Some(NextHead { head, came_us: now_us, is_likely, other: None });
        }
    }

    /// Whether a block says that the next log has begun.
    fn is_of_next(&mut self, seqno: u32, data: &[u8]) -> bool {
        let Some(next) = &mut self.next else { return false };
        match seqno {
            1 => next.is_likely || self.second.as_ref().is_some_and(|second| *second != block(data)),
            // One of them may be a late repetition, too.
            2..=WINDOW if next.is_likely && seqno < self.first => {
                next.other.replace(seqno).is_some_and(|other| other != seqno)
            }
            _ => false,
        }
    }

    /// Whether a block may be of the next log as well as of this one, which its repetition, or another one, will tell.
    fn may_be_of_next(&self, now_us: u64, seqno: u32) -> bool {
        self.next.as_ref().is_some_and(|next| {
            let is_recent = now_us.saturating_sub(next.came_us) < NEXT_US;
            next.is_likely && seqno <= WINDOW && (seqno < self.first || is_recent)
        })
    }
}

/// A block whose zeros at the end may be left out.
fn block(data: &[u8]) -> Block {
    let mut block = Box::new([0; Message::BLOCK]);
    let length = data.len().min(Message::BLOCK);
    block[..length].copy_from_slice(&data[..length]);
    block
}

fn count(count: &mut u64, by: u64) {
    *count = count.saturating_add(by);
}
