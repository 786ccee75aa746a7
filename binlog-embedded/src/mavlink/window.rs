//! Blocks on their way to a client: which are sent, sent again, and acknowledged.
//!
//! A block is in one list at a time, or in none while it is free or being filled:
//!
//! ```text
//! Free ─► (filled) ─► Fresh ─► Flight ─► Acknowledged ─► Free
//!                                │ ▲
//!                           NACK ▼ │ sent again
//!                               Again
//! ```
//!
//! *Flight* is in the order of transmissions, so the block that is due next is the first one. The lists are links
//! between the blocks. Calls that look at all blocks are those that look for a free one or for the oldest one.
//!
//! The block that was acknowledged last keeps its bytes while another one is free. It goes from *Free* to *Again* if
//! nothing is sent for a second.
//!
//! Times are microseconds modulo 2³², which are 71 minutes. No timer runs longer. After 71 idle minutes, a START may be
//! ignored for two seconds.

use super::options::{StreamCounts, StreamOptions, StreamState};
use super::{Address, Message};

/// Bytes of a block's frame on a MAVLink 2 link: 206 of payload, 12 around it.
const FRAME: u32 = 218;
/// A logger's component (`MAV_COMP_ID_LOG`), to which MAVProxy sends by default.
const LOGGER: u8 = 155;
/// Clients give up blocks that are more than this before the newest one.
const SPAN: u32 = 200;
/// The time of silence after which a client counts as gone, and another one may start.
const SILENT_US: u32 = 10_000_000;
/// The time of silence after which the stream ends.
const GIVE_UP_US: u32 = 600_000_000;
/// From the last block of a log to the next log, so that late messages about one aren't taken for those about the
/// other.
const QUIET_US: u32 = 500_000;
/// A START in this time after the one that began the log may be a repeated one.
const REPEATED_US: u32 = 2_000_000;
/// The time between two blocks while nothing is acknowledged, at most, unless the link's round trip is longer.
const PROBE_US: u32 = 1_000_000;
/// The longest time to wait for an acknowledgement.
const LONGEST_US: u32 = 8_000_000;
/// Beside the measured round trip, because loops and links work in steps.
const MARGIN_US: u32 = 10_000;
/// After this time without a block, one is sent again. Clients take a stream without blocks for one that has ended:
/// `binlog record` after 3 seconds, mavlink-router after 5.
const KEEP_US: u32 = 1_000_000;
/// Later transmissions that are acknowledged before a block counts as lost.
const LATER: u8 = 3;
/// Blocks that are sent again, at most, each time that nothing was heard for the timeout.
const PROBES: u8 = 8;
/// What the rate limit lets a loop that is late make up for.
const BURST_US: i32 = 50_000;

/// No block.
const NONE: u8 = u8::MAX;

/// Where a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Fresh,
    Again,
    Flight,
    Acknowledged,
    /// In none of the lists, and being filled or read.
    Taken,
    /// In none of the lists, and unused.
    Free,
}

const LISTS: usize = Place::Taken as usize;

#[derive(Clone, Copy, Debug)]
struct List {
    first: u8,
    last: u8,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// When it was sent last, in microseconds modulo 2³².
    sent_us: u32,
    /// The block's number modulo 256.
    number: u8,
    place: Place,
    before: u8,
    after: u8,
    /// Later transmissions that were acknowledged.
    later: u8,
    /// Whether it was sent more than once, so that an acknowledgement may be that of an earlier transmission.
    is_repeated: bool,
}

impl Slot {
    /// Whether it isn't acknowledged.
    fn is_waiting(&self) -> bool {
        matches!(self.place, Place::Fresh | Place::Again | Place::Flight)
    }
}

/// A block to send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) slot: usize,
    why: Why,
}

/// Why a block is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    /// It is new, or lost according to what the client said.
    Heard,
    /// Nothing is heard of the client, for this time.
    First,
    /// The same; it follows the first one.
    Further,
}

#[derive(Clone, Debug)]
pub(super) struct Window<const BLOCKS: usize> {
    address: Address,
    client: Option<Address>,
    /// Whether the blocks are those of a log that the client doesn't get any more. The owner drops them.
    pub(super) is_stale: bool,
    /// Whether a client waits for a log. The owner begins one when it may.
    pub(super) is_awaited: bool,
    /// Whether block 0 was acknowledged; until then, no other one is sent.
    has_begun: bool,
    is_finished: bool,
    /// How often in succession blocks were sent again because nothing was heard, and how many may follow this time.
    backoff: u8,
    probes: u8,
    lists: [List; LISTS],
    slots: [Slot; BLOCKS],
    /// The number of the next block.
    next: u32,
    /// All blocks before this one are acknowledged.
    oldest: u32,
    /// The block that was acknowledged last, if it is free and still has its bytes.
    kept: u8,
    /// The time that a block takes at the limited rate.
    block_us: u32,
    /// The round trip and its mean deviation; 0 before the first acknowledgement.
    round_trip_us: u32,
    deviation_us: u32,
    /// When the log was begun, or block 0 asked for again.
    started_us: u32,
    /// When the client was heard last.
    heard_us: u32,
    /// When a block was sent last because nothing was heard.
    probed_us: u32,
    /// When the rate limit allows the next block.
    allowed_us: u32,
    /// When a block was sent last.
    sent_us: u32,
    counts: StreamCounts,
}

impl<const BLOCKS: usize> Window<BLOCKS> {
    pub(super) const fn new(options: StreamOptions) -> Self {
        const { assert!(BLOCKS >= 2 && BLOCKS <= SPAN as usize, "a window has 2 to 200 blocks") };
        let none = List { first: NONE, last: NONE };
        let rate = if options.bytes_per_second == 0 { 1 } else { options.bytes_per_second };
        Window {
            address: options.address,
            client: None,
            is_stale: false,
            is_awaited: false,
            has_begun: false,
            is_finished: false,
            backoff: 0,
            probes: 0,
            lists: [none; LISTS],
            slots: [Slot {
                sent_us: 0,
                number: 0,
                place: Place::Free,
                before: NONE,
                after: NONE,
                later: 0,
                is_repeated: false,
            }; BLOCKS],
            next: 0,
            oldest: 0,
            kept: NONE,
            block_us: FRAME * 1_000_000 / rate,
            round_trip_us: 0,
            deviation_us: 0,
            started_us: 0,
            heard_us: 0,
            probed_us: 0,
            allowed_us: 0,
            sent_us: 0_u32.wrapping_sub(QUIET_US),
            counts: StreamCounts { sent: 0, sent_again: 0, acknowledged: 0, refused: 0 },
        }
    }

    pub(super) fn state(&self, now_us: u32) -> StreamState {
        match self.client {
            Some(_) if self.is_silent(now_us) => StreamState::Silent,
            Some(_) => StreamState::Streaming,
            None if self.is_finished => StreamState::Finished,
            None => StreamState::Idle,
        }
    }

    pub(super) fn counts(&self) -> StreamCounts {
        self.counts
    }

    /// The client, if it gets a log.
    pub(super) fn client(&self) -> Option<Address> {
        self.client
    }

    // What the client says.

    pub(super) fn receive(&mut self, now_us: u32, sender: Address, message: &Message<'_>) {
        let Message::RemoteLogBlockStatus { target, seqno, is_received } = *message else { return };
        let Address { system, component } = self.address;
        if ![0, system].contains(&target.system) || ![0, LOGGER, component].contains(&target.component) {
            return;
        }
        if (seqno, is_received) == (Message::START, true) {
            return self.start(now_us, sender);
        }
        if self.client != Some(sender) {
            if self.client.is_some() {
                count(&mut self.counts.refused);
            }
            return;
        }
        match (seqno, is_received) {
            (Message::STOP, true) => self.stop(),
            // The number of a block of this log that was sent.
            _ if self.is_pending() || seqno >= self.next => {}
            (_, true) => self.acknowledge(now_us, seqno),
            (_, false) => self.ask_again(now_us, seqno),
        }
    }

    fn start(&mut self, now_us: u32, sender: Address) {
        match self.client {
            Some(client) if client == sender => {
                if self.is_awaited {
                    return;
                }
                if self.has_begun {
                    if now_us.wrapping_sub(self.started_us) <= REPEATED_US {
                        return;
                    }
                } else {
                    // It hasn't got block 0.
                    self.started_us = now_us;
                    self.heard_us = now_us;
                    let first = self.lists[Place::Flight as usize].first;
                    if first != NONE {
                        self.put(first, Place::Again);
                    }
                    return;
                }
            }
            Some(_) if now_us.wrapping_sub(self.heard_us) < SILENT_US => {
                return count(&mut self.counts.refused);
            }
            _ => {}
        }
        self.is_stale |= self.client.is_some();
        self.client = Some(sender);
        self.is_awaited = true;
        (self.has_begun, self.is_finished, self.backoff, self.probes) = (false, false, 0, 0);
        (self.started_us, self.heard_us, self.probed_us) = (now_us, now_us, now_us.wrapping_sub(PROBE_US));
        // Another client may be on another link.
        (self.round_trip_us, self.deviation_us) = (0, 0);
    }

    /// The client gets nothing more.
    pub(super) fn stop(&mut self) {
        self.is_stale |= self.client.is_some();
        self.client = None;
        self.is_awaited = false;
    }

    /// The client has everything.
    pub(super) fn finish(&mut self) {
        self.client = None;
        self.is_finished = true;
        self.is_stale = false;
    }

    fn acknowledge(&mut self, now_us: u32, number: u32) {
        self.heard_us = now_us;
        let found = self.find(Place::Flight, number);
        // Those before it in the list were sent before it.
        let mut earlier = found.map_or(NONE, |_| self.lists[Place::Flight as usize].first);
        let Some(found) = found.or_else(|| self.find(Place::Again, number)) else { return };
        while earlier != NONE && earlier != found {
            let slot = self.slot_mut(earlier);
            slot.later = slot.later.saturating_add(1);
            earlier = slot.after;
        }
        self.measure(now_us, found);
        self.put(found, Place::Acknowledged);
        (self.has_begun, self.backoff, self.probes) = (true, 0, 0);
        count(&mut self.counts.acknowledged);
        if number == self.oldest {
            self.oldest = self.oldest_waiting().map_or(self.next, |(_, ahead)| number.wrapping_add(ahead.into()));
        }
    }

    /// Measures the round trip, as TCP does (RFC 6298).
    fn measure(&mut self, now_us: u32, slot: u8) {
        let Slot { sent_us, is_repeated, .. } = *self.slot(slot);
        let age = now_us.wrapping_sub(sent_us).clamp(1, LONGEST_US);
        let round_trip = self.round_trip_us;
        if is_repeated {
            // Which transmission arrived isn't known. If it was an earlier one, the block was sent again too soon.
            if age < round_trip / 4 * 3 {
                self.deviation_us = (self.deviation_us + round_trip / 8).min(LONGEST_US);
            }
        } else if round_trip == 0 {
            (self.round_trip_us, self.deviation_us) = (age, age / 2);
        } else {
            let deviation = self.deviation_us;
            self.deviation_us = deviation - deviation / 4 + age.abs_diff(round_trip) / 4;
            self.round_trip_us = round_trip - round_trip / 8 + age / 8;
        }
    }

    /// The client misses a block. Its request may have crossed with the block.
    fn ask_again(&mut self, now_us: u32, number: u32) {
        self.heard_us = now_us;
        if let Some(slot) = self.find(Place::Flight, number)
            && self.age(now_us, slot) >= self.round_trip_us - self.round_trip_us / 10
        {
            self.put(slot, Place::Again);
        }
    }

    // What is sent.

    /// The block that is due, if one is.
    pub(super) fn due(&self, now_us: u32) -> Option<Due> {
        if !self.may_send(now_us) {
            return None;
        }
        let due = |slot, why| Some(Due { slot: usize::from(slot), why });
        let unheard_us = now_us.wrapping_sub(self.heard_us);
        let unprobed_us = now_us.wrapping_sub(self.probed_us);
        if self.is_silent(now_us) {
            return match self.oldest_waiting() {
                Some((slot, _)) if unprobed_us >= PROBE_US => due(slot, Why::First),
                _ => None,
            };
        }
        let [again, flight] = [Place::Again, Place::Flight].map(|place| self.lists[place as usize].first);
        if again != NONE {
            return due(again, Why::Heard);
        }
        if flight != NONE {
            let timeout_us = self.timeout_us();
            let age_us = self.age(now_us, flight);
            if self.slot(flight).later >= LATER {
                return due(flight, Why::Heard);
            }
            if age_us >= timeout_us {
                let probe_us = (timeout_us << self.backoff).min(timeout_us.max(PROBE_US));
                if unheard_us < timeout_us {
                    return due(flight, Why::Heard);
                }
                if unprobed_us >= probe_us {
                    return due(flight, Why::First);
                }
                if self.probes > 0 && age_us > unprobed_us {
                    return due(flight, Why::Further);
                }
            }
        }
        if self.may_send_fresh() {
            let fresh = self.lists[Place::Fresh as usize].first;
            if fresh != NONE {
                return due(fresh, Why::Heard);
            }
        }
        None
    }

    /// Whether there is a client that gets blocks, and the rate allows one.
    fn may_send(&self, now_us: u32) -> bool {
        // A clock that was set back doesn't keep the stream waiting.
        self.client.is_some() && !self.is_pending() && !(1..=self.block_us as i32).contains(&self.wait_us(now_us))
    }

    /// How long it takes until the rate allows a block; negative if it did before.
    fn wait_us(&self, now_us: u32) -> i32 {
        self.allowed_us.wrapping_sub(now_us) as i32
    }

    /// Whether blocks that weren't sent yet may be: block 0 goes alone until it is acknowledged.
    fn may_send_fresh(&self) -> bool {
        self.has_begun || self.has_none_on_the_way()
    }

    /// Whether a block may be added that is sent at once.
    pub(super) fn may_add(&self, now_us: u32) -> bool {
        self.may_send(now_us) && self.may_send_fresh() && !self.is_silent(now_us) && self.room().is_some()
    }

    /// Notes that a block is sent.
    pub(super) fn sent(&mut self, now_us: u32, due: Due) {
        match due.why {
            Why::Heard => {}
            Why::First => {
                self.probed_us = now_us;
                (self.backoff, self.probes) = ((self.backoff + 1).min(6), PROBES - 1);
            }
            Why::Further => self.probes -= 1,
        }
        if self.has_none_on_the_way() {
            self.heard_us = now_us;
        }
        let i = due.slot as u8;
        let slot = self.slot_mut(i);
        slot.is_repeated = slot.place != Place::Fresh;
        (slot.sent_us, slot.later) = (now_us, 0);
        count(if slot.is_repeated { &mut self.counts.sent_again } else { &mut self.counts.sent });
        self.put(i, Place::Flight);
        self.pace(now_us);
    }

    /// Has a block sent again if none waits, so that clients don't take the log for one that has ended.
    pub(super) fn keep_alive(&mut self, now_us: u32) {
        if self.kept != NONE && self.is_empty() && self.is_quiet(now_us) {
            let kept = core::mem::replace(&mut self.kept, NONE);
            self.oldest = self.next.wrapping_sub((self.next as u8).wrapping_sub(self.slot(kept).number).into());
            self.heard_us = now_us;
            self.put(kept, Place::Again);
        }
    }

    /// Whether blocks may be sent, but none was for a second.
    pub(super) fn is_quiet(&self, now_us: u32) -> bool {
        self.may_send(now_us) && now_us.wrapping_sub(self.sent_us) >= KEEP_US
    }

    /// Notes that the owner sends a block again by itself.
    pub(super) fn sent_again(&mut self, now_us: u32, number: u32) {
        if let Some(slot) = self.find(Place::Flight, number) {
            self.slot_mut(slot).is_repeated = true;
        }
        count(&mut self.counts.sent_again);
        self.pace(now_us);
    }

    /// Notes when a block is sent, for the rate.
    fn pace(&mut self, now_us: u32) {
        self.sent_us = now_us;
        let late_us = (self.wait_us(now_us)).clamp(-BURST_US, 0);
        self.allowed_us = now_us.wrapping_add_signed(late_us).wrapping_add(self.block_us);
    }

    /// The number of a block on its way.
    pub(super) fn number(&self, slot: usize) -> u32 {
        self.oldest.wrapping_add(self.ahead(slot).into())
    }

    // What the owner does with blocks.

    /// A free block, if one can be added; the kept one if there is no other.
    fn room(&self) -> Option<u8> {
        if self.next.wrapping_sub(self.oldest) >= SPAN {
            return None;
        }
        let mut free = (0..).zip(&self.slots).filter(|(_, slot)| slot.place == Place::Free).map(|(i, _)| i);
        let first = free.next()?;
        if first == self.kept { free.next().or(Some(first)) } else { Some(first) }
    }

    /// Takes a block out of the pool, to be filled.
    pub(super) fn take(&mut self) -> Option<usize> {
        let slot = self.room()?;
        self.slot_mut(slot).place = Place::Taken;
        if slot == self.kept {
            self.kept = NONE;
        }
        Some(slot.into())
    }

    /// Adds a block as the next one, and returns its number.
    pub(super) fn add(&mut self, slot: usize) -> u32 {
        let number = self.next;
        self.slot_mut(slot as u8).number = number as u8;
        self.put(slot as u8, Place::Fresh);
        self.next = number.wrapping_add(1);
        number
    }

    /// Gives a block back to the pool.
    pub(super) fn free(&mut self, slot: usize) {
        self.slot_mut(slot as u8).place = Place::Free;
    }

    /// Takes an acknowledged block out of its list. The owner gives it back to the pool.
    pub(super) fn take_acknowledged(&mut self) -> Option<usize> {
        let slot = self.lists[Place::Acknowledged as usize].first;
        if slot == NONE {
            return None;
        }
        self.remove(slot);
        self.kept = slot;
        Some(slot.into())
    }

    /// Takes the oldest block that isn't acknowledged out of its list, and returns its number.
    pub(super) fn take_oldest(&mut self) -> Option<(usize, u32)> {
        let (slot, _) = self.oldest_waiting()?;
        let number = self.number(slot.into());
        self.remove(slot);
        Some((slot.into(), number))
    }

    /// Whether a block isn't acknowledged.
    pub(super) fn is_waiting(&self, number: u32) -> bool {
        number >= self.next || self.slots.iter().any(|slot| slot.number == number as u8 && slot.is_waiting())
    }

    /// Whether all blocks are acknowledged.
    pub(super) fn is_empty(&self) -> bool {
        self.oldest == self.next
    }

    /// All blocks before this one are acknowledged.
    pub(super) fn oldest(&self) -> u32 {
        self.oldest
    }

    /// The number of the next block.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// Whether enough time has passed since the last log.
    pub(super) fn may_begin(&self, now_us: u32) -> bool {
        now_us.wrapping_sub(self.sent_us) >= QUIET_US
    }

    /// Begins a log for the client. All blocks are in the pool.
    pub(super) fn begin(&mut self) {
        (self.is_awaited, self.next, self.oldest, self.kept) = (false, 0, 0, NONE);
    }

    /// Ends the stream of a client that is silent for too long.
    pub(super) fn give_up(&mut self, now_us: u32) {
        if self.is_silent(now_us) && now_us.wrapping_sub(self.heard_us) >= GIVE_UP_US {
            self.stop();
        }
    }

    // Lists.

    /// A block by its place in the pool. The limit, which none exceeds, costs less flash than a panic.
    fn slot(&self, i: u8) -> &Slot {
        &self.slots[usize::from(i).min(BLOCKS - 1)]
    }

    fn slot_mut(&mut self, i: u8) -> &mut Slot {
        &mut self.slots[usize::from(i).min(BLOCKS - 1)]
    }

    /// Whether the owner has to drop blocks or to begin a log first.
    fn is_pending(&self) -> bool {
        self.is_stale || self.is_awaited
    }

    fn has_none_on_the_way(&self) -> bool {
        self.lists[Place::Flight as usize].first & self.lists[Place::Again as usize].first == NONE
    }

    fn is_silent(&self, now_us: u32) -> bool {
        !self.has_none_on_the_way() && now_us.wrapping_sub(self.heard_us) >= SILENT_US
    }

    fn age(&self, now_us: u32, slot: u8) -> u32 {
        now_us.wrapping_sub(self.slot(slot).sent_us)
    }

    /// The time after which a block counts as lost.
    fn timeout_us(&self) -> u32 {
        match self.round_trip_us {
            0 => PROBE_US,
            round_trip => (round_trip + (4 * self.deviation_us).max(MARGIN_US)).min(LONGEST_US),
        }
    }

    /// How far a block is ahead of the oldest one.
    fn ahead(&self, slot: usize) -> u8 {
        self.slot(slot as u8).number.wrapping_sub(self.oldest as u8)
    }

    /// The oldest block that isn't acknowledged, and how far it is ahead of the one that was.
    #[inline(never)]
    fn oldest_waiting(&self) -> Option<(u8, u8)> {
        let (mut found, mut least) = (NONE, u8::MAX);
        for (i, slot) in (0..).zip(&self.slots) {
            let ahead = slot.number.wrapping_sub(self.oldest as u8);
            if slot.is_waiting() && ahead < least {
                (found, least) = (i, ahead);
            }
        }
        (found != NONE).then_some((found, least))
    }

    fn find(&self, place: Place, number: u32) -> Option<u8> {
        if number < self.oldest || number - self.oldest >= SPAN {
            return None;
        }
        let mut i = self.lists[place as usize].first;
        while i != NONE {
            let slot = self.slot(i);
            if slot.number == number as u8 {
                return Some(i);
            }
            i = slot.after;
        }
        None
    }

    /// Moves a block to the end of a list.
    #[inline(never)]
    fn put(&mut self, i: u8, place: Place) {
        self.remove(i);
        let list = &mut self.lists[place as usize % LISTS];
        let before = core::mem::replace(&mut list.last, i);
        if before == NONE {
            list.first = i;
        } else {
            self.slot_mut(before).after = i;
        }
        let slot = self.slot_mut(i);
        (slot.place, slot.before, slot.after) = (place, before, NONE);
    }

    /// Takes a block out of its list.
    #[inline(never)]
    fn remove(&mut self, i: u8) {
        let Slot { place, before, after, .. } = *self.slot(i);
        if matches!(place, Place::Taken | Place::Free) {
            return;
        }
        self.slot_mut(i).place = Place::Taken;
        let mut list = self.lists[place as usize % LISTS];
        if before == NONE {
            list.first = after;
        } else {
            self.slot_mut(before).after = after;
        }
        if after == NONE {
            list.last = before;
        } else {
            self.slot_mut(after).before = before;
        }
        self.lists[place as usize % LISTS] = list;
    }
}

fn count(count: &mut u32) {
    *count = count.saturating_add(1);
}
