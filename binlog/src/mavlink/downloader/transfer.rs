//! The download of one log.
//!
//! A packet is 90 bytes of the log, counted from its beginning. Requests are answered in turn, and each from its first
//! packet to its last. So when a packet comes, those of requests before, and those before it in its own request, are
//! lost if they are missing. Only when nothing comes any more, time decides.

use super::DownloaderCounts;
use crate::mavlink::message::Message;
use std::collections::{BTreeSet, VecDeque};
use std::vec::Vec;

/// Bytes of a packet.
const PACKET: u32 = Message::DATA as u32;
/// Packets that are kept after the first gap.
const WINDOW: usize = 8192;
/// Requests on the way, and those that gaps may take.
const REQUESTS: usize = 32;
const GAP_REQUESTS: usize = 28;
/// Packets of a run: those of this time, in microseconds, in these limits.
const RUN: core::ops::RangeInclusive<u32> = 16..=256;
const RUN_US: f64 = 500_000.0;
/// The same of one that is alone on the way.
const RUN_ALONE: core::ops::RangeInclusive<u32> = 128..=WINDOW as u32;
const RUN_ALONE_US: f64 = 4_000_000.0;
/// The shortest wait for a packet, and the time up to which waits double, in microseconds.
const SHORTEST_WAIT_US: u64 = 100_000;
const LONGEST_WAIT_US: u64 = 1_000_000;
/// A request that is alone on the way has ended after this time without a packet, in microseconds.
const ENDED_US: u64 = 50_000;
/// The vehicle says so often that a log ends early before that is believed.
const ENDS: u8 = 3;

/// What is known of the link and of the vehicle's way to answer.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    /// The shortest time from a request to its first packet, in microseconds.
    round_trip_us: Option<u64>,
    /// The mean time between packets, in microseconds.
    interval_us: f64,
    /// Requests that were answered though they were sent while another one was on the way.
    queued: u32,
    /// How often no such request was answered.
    ignored: u32,
    /// Waits that ended without a packet since the last one.
    waits: u32,
}

impl Default for Pace {
    fn default() -> Self {
        // 9 kB/s, until packets come.
        Pace { round_trip_us: None, interval_us: 10_000.0, queued: 0, ignored: 0, waits: 0 }
    }
}

impl Pace {
    /// Whether the vehicle ignores a request while it serves one, as ArduPilot does.
    fn is_alone(&self) -> bool {
        self.ignored >= 2 && self.queued < self.ignored.saturating_mul(4)
    }

    /// How long to wait for a packet.
    fn wait_us(&self) -> u64 {
        let round_trips = self.round_trip_us.unwrap_or(2 * SHORTEST_WAIT_US).min(LONGEST_WAIT_US).saturating_mul(3);
        let wait = SHORTEST_WAIT_US.max(round_trips).max((self.interval_us * 4.0) as u64);
        (wait << self.waits.min(5)).min(LONGEST_WAIT_US.max(wait))
    }

    /// Packets that come in a time.
    fn packets(&self, time_us: f64) -> u32 {
        (time_us / self.interval_us.max(1.0)) as u32
    }

    fn run(&self) -> u32 {
        let (time_us, limits) = if self.is_alone() { (RUN_ALONE_US, RUN_ALONE) } else { (RUN_US, RUN) };
        self.packets(time_us).clamp(*limits.start(), *limits.end())
    }

    fn round_trip(&self) -> f64 {
        self.round_trip_us.unwrap_or(0) as f64
    }

    /// Takes the time between two packets of one request.
    fn came_after(&mut self, time_us: u64) {
        self.interval_us += (time_us.min(1_000_000) as f64 - self.interval_us) / 64.0;
    }
}

/// A log that is being downloaded.
#[derive(Clone, Debug)]
pub(super) struct Transfer {
    id: u16,
    /// Bytes of the log, up to which it is downloaded.
    end: u32,
    is_short: bool,
    /// The first offset at which the vehicle said that the log ends, and how often it said that of any offset.
    early_end: (u32, u8),
    /// The first packet that isn't taken.
    first: u32,
    /// The packets from there that were asked for.
    slots: VecDeque<Slot>,
    /// The packets that were lost.
    lost: BTreeSet<u32>,
    /// The requests on the way, in the order in which they were sent.
    requests: VecDeque<Request>,
    serial: u32,
    /// When the last packet came or the first request was sent.
    waits_since_us: u64,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    data: [u8; Message::DATA],
    is_here: bool,
    /// The serial number of the last request for it.
    asked: u32,
}

/// A request for the packets from `next`, at first `from`, to `to`.
#[derive(Clone, Copy, Debug)]
struct Request {
    serial: u32,
    next: u32,
    to: u32,
    sent_us: u64,
    /// Whether it was sent while none was on the way.
    is_alone: bool,
    is_answered: bool,
}

impl Transfer {
    pub(super) fn new(id: u16, from: u32, to: u32) -> Self {
        Transfer {
            id,
            end: to,
            is_short: false,
            early_end: (u32::MAX, 0),
            first: from / PACKET,
            slots: VecDeque::new(),
            lost: BTreeSet::new(),
            requests: VecDeque::new(),
            serial: 0,
            waits_since_us: 0,
        }
    }

    /// The packet after the last one.
    fn packets(&self) -> u32 {
        self.end.div_ceil(PACKET)
    }

    /// The packet after the last one that was asked for.
    fn asked(&self) -> u32 {
        self.first + self.slots.len() as u32
    }

    pub(super) fn is_done(&self) -> bool {
        self.first >= self.packets()
    }

    pub(super) fn is_short(&self) -> bool {
        self.is_short
    }

    /// Bytes of a packet that belong to the log.
    fn needed(&self, packet: u32) -> usize {
        self.end.saturating_sub(packet.saturating_mul(PACKET)).min(PACKET) as usize
    }

    pub(super) fn take(&mut self, into: &mut Vec<u8>) {
        while let Some(slot) = self.slots.front().filter(|slot| slot.is_here) {
            into.extend_from_slice(&slot.data[..self.needed(self.first)]);
            self.slots.pop_front();
            self.first += 1;
        }
    }

    /// Takes a packet. Returns whether it is new.
    pub(super) fn receive(
        &mut self,
        now_us: u64,
        pace: &mut Pace,
        counts: &mut DownloaderCounts,
        (id, offset, count): (u16, u32, u8),
        data: &[u8],
    ) -> bool {
        let packet = offset / PACKET;
        // Some servers end a log of whole packets with an empty one.
        if id == self.id && count == 0 && offset == self.end {
            return false;
        }
        if id != self.id || offset % PACKET != 0 || packet >= self.asked().min(self.packets()) {
            counts.foreign = counts.foreign.saturating_add(1);
            return false;
        }
        let since_last = now_us.saturating_sub(self.waits_since_us);
        self.waits_since_us = now_us;
        pace.waits = 0;
        let place = packet.checked_sub(self.first).map(|place| place as usize);
        let Some(slot) = place.and_then(|place| self.slots.get_mut(place)) else {
            counts.repeated = counts.repeated.saturating_add(1);
            return false;
        };
        let asked = slot.asked;
        let needed = self.end.saturating_sub(offset).min(PACKET) as usize;
        let slot_is_here = slot.is_here;
        if usize::from(count) < needed {
            // One that comes twice counts once.
            if let Some(place) = self.requests.iter().position(|request| request.serial == asked) {
                for ended in self.requests.drain(..=place).collect::<Vec<Request>>() {
                    self.give_up(&ended, ended.to, counts);
                }
                self.ends_early(offset + u32::from(count));
            }
            return false;
        }
        if let Some(slot) = place.and_then(|place| self.slots.get_mut(place)) {
            let length = data.len().min(PACKET as usize);
            slot.data[..length].copy_from_slice(&data[..length]);
            slot.data[length..].fill(0);
            slot.is_here = true;
        }
        if offset >= self.early_end.0 {
            self.early_end = (u32::MAX, 0);
        }
        self.lost.remove(&packet);
        self.conclude(now_us, since_last, pace, counts, packet, asked);
        let count = if slot_is_here { &mut counts.repeated } else { &mut counts.packets };
        *count = count.saturating_add(1);
        !slot_is_here
    }

    /// The vehicle says that the log ends at an offset.
    fn ends_early(&mut self, offset: u32) {
        let (before, times) = self.early_end;
        // What is after the end ends where it begins.
        self.early_end = (before.min(offset), times + 1);
        if self.early_end.1 >= ENDS {
            (self.end, self.is_short) = (self.early_end.0, true);
            let packets = self.packets();
            self.lost.retain(|&packet| packet < packets);
            // What comes of these is outside of the log now. The packet that the log ends in is asked for again.
            self.requests.clear();
            self.slots.truncate(packets.saturating_sub(self.first) as usize);
            let missing = (self.first..).zip(&self.slots).filter(|(_, slot)| !slot.is_here).map(|(packet, _)| packet);
            self.lost.extend(missing);
            self.early_end = (u32::MAX, 0);
        }
    }

    /// What a packet of a request says of those that should have come before.
    fn conclude(
        &mut self,
        now_us: u64,
        since_last: u64,
        pace: &mut Pace,
        counts: &mut DownloaderCounts,
        packet: u32,
        asked: u32,
    ) {
        let Some(place) = self.requests.iter().position(|request| request.serial == asked) else { return };
        for passed in self.requests.drain(..place).collect::<Vec<Request>>() {
            self.give_up(&passed, passed.to, counts);
        }
        let Some(mut request) = self.requests.pop_front() else { return };
        if request.is_answered {
            pace.came_after(since_last);
        } else if request.is_alone {
            let round_trip = now_us.saturating_sub(request.sent_us);
            pace.round_trip_us = Some(pace.round_trip_us.map_or(round_trip, |before| before.min(round_trip)));
        } else {
            pace.queued = pace.queued.saturating_add(1);
        }
        request.is_answered = true;
        if packet >= request.next {
            self.give_up(&request, packet, counts);
            request.next = packet + 1;
        }
        if request.next < request.to {
            self.requests.push_front(request);
        }
    }

    /// The packets of a request before `to` that are missing are lost.
    fn give_up(&mut self, request: &Request, to: u32, counts: &mut DownloaderCounts) {
        for packet in request.next.max(self.first)..to {
            let Some(slot) = self.slots.get((packet - self.first) as usize) else { break };
            if !slot.is_here && slot.asked == request.serial && self.lost.insert(packet) {
                counts.lost = counts.lost.saturating_add(1);
            }
        }
    }

    /// The next request: the log's id, the offset and the number of bytes.
    pub(super) fn next(
        &mut self,
        now_us: u64,
        pace: &mut Pace,
        counts: &mut DownloaderCounts,
    ) -> Option<(u16, u32, u32)> {
        if self.is_done() {
            return None;
        }
        self.wait(now_us, pace, counts);
        let most = if pace.is_alone() { 1 } else { REQUESTS };
        let (from, to) = match self.requests.len() {
            on_the_way if on_the_way >= most => return None,
            on_the_way if on_the_way < GAP_REQUESTS && !self.lost.is_empty() => self.gap(pace),
            _ => self.run(pace)?,
        };
        self.serial = self.serial.wrapping_add(1);
        if self.requests.is_empty() {
            self.waits_since_us = now_us;
        }
        self.requests.push_back(Request {
            serial: self.serial,
            next: from,
            to,
            sent_us: now_us,
            is_alone: self.requests.is_empty(),
            is_answered: false,
        });
        for packet in from..to {
            self.lost.remove(&packet);
            if let Some(slot) = self.slots.get_mut((packet - self.first) as usize) {
                slot.asked = self.serial;
            }
        }
        let (offset, end) = (from * PACKET, to.saturating_mul(PACKET).min(self.end));
        Some((self.id, offset, end - offset))
    }

    /// Gives all requests up if nothing came for too long.
    fn wait(&mut self, now_us: u64, pace: &mut Pace, counts: &mut DownloaderCounts) {
        let Some(first) = self.requests.front() else { return };
        let wait_us = if first.is_answered && pace.is_alone() {
            ENDED_US.max((pace.interval_us * 20.0) as u64)
        } else {
            pace.wait_us()
        };
        if now_us.saturating_sub(self.waits_since_us) < wait_us {
            return;
        }
        if pace.waits == 0 && self.requests.iter().any(|request| !request.is_alone && !request.is_answered) {
            pace.ignored = pace.ignored.saturating_add(1);
        }
        pace.waits = pace.waits.saturating_add(1);
        for request in std::mem::take(&mut self.requests) {
            self.give_up(&request, request.to, counts);
        }
    }

    /// The packets of the first gap, and of those near it if there are more than requests for them.
    fn gap(&self, pace: &Pace) -> (u32, u32) {
        let (near, longest) = if pace.is_alone() {
            // Asking costs a round trip.
            (pace.packets(pace.round_trip()), *RUN_ALONE.end())
        } else {
            let free = GAP_REQUESTS - self.requests.len();
            ((self.lost.len() / free).min(8) as u32 / 2, *RUN.end())
        };
        let mut lost = self.lost.iter().copied();
        let from = lost.next().unwrap_or(self.first);
        let mut to = from + 1;
        for packet in lost {
            if packet - to > near || packet - from >= longest {
                break;
            }
            to = packet + 1;
        }
        (from, to)
    }

    /// The next packets that were never asked for, if few enough are on the way.
    fn run(&mut self, pace: &Pace) -> Option<(u32, u32)> {
        let run = pace.run();
        let on_the_way: u32 = self.requests.iter().map(|request| request.to - request.next).sum();
        let ahead = (2 * run).max(pace.packets(2.0 * pace.round_trip()));
        let from = self.asked();
        let room = WINDOW.saturating_sub(self.slots.len()) as u32;
        let to = from.saturating_add(run.min(room)).min(self.packets());
        if on_the_way >= ahead || to == from || !self.lost.is_empty() && pace.is_alone() {
            return None;
        }
        let slot = Slot { data: [0; Message::DATA], is_here: false, asked: 0 };
        self.slots.resize((to - self.first) as usize, slot);
        Some((from, to))
    }
}
