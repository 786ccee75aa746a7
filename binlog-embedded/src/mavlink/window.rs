//! Blocks on their way to a client: which are sent, sent again, and acknowledged.
//!
//! Each block of the pool is in one place:
//!
//! ```text
//! Free ─► Filling ─► Ready ─► Flight ─► Acknowledged ─► Free
//!                      ▲         │
//!                      └─────────┘ lost, or the client asks for it
//! ```
//!
//! Each search looks at all blocks. Ready blocks are sent in the order of their numbers, so lost ones come before new
//! ones.
//!
//! A free block keeps its bytes. If nothing is sent for a second, the one that was acknowledged last is sent again.
//!
//! Times are microseconds modulo 2³², which are 71 minutes. No timer runs longer. After 71 idle minutes, a START may be
//! ignored for 3 seconds, and a log may begin 3 seconds late.
//!
//! Constant times have 8 significant bits, since one instruction of a Cortex-M holds these: they differ by up to 0.4 %
//! from the time that their text says.

use super::options::{StreamCounts, StreamOptions, StreamState};
use super::{Address, Message, is_for};

/// Bytes of a block's frame on a MAVLink 2 link: 206 of payload, 12 around it.
const FRAME: u32 = 218;
/// A logger's component (`MAV_COMP_ID_LOG`), to which MAVProxy sends by default.
const LOGGER: u8 = 155;
/// Clients give up blocks that are more than this before the newest one.
const SPAN: u32 = 200;
/// The time of silence after which a client counts as gone, and another one may start: 10 seconds.
const SILENT_US: u32 = 0x98 << 16;
/// The time of silence after which the stream ends: 10 minutes.
const GIVE_UP_US: u32 = 0x8F << 22;
/// After this time, 3 seconds, nothing that belongs to a block is on its way any more: the block, its acknowledgement,
/// and a START that the client sent before it. Messages carry a number only, so later ones would be taken for those
/// about another log.
const ARRIVED_US: u32 = 0xB8 << 14;
/// The time between two blocks while nothing is acknowledged, at most, unless the round trip is longer: a second.
const PROBE_US: u32 = 0xF4 << 12;
/// The longest time to wait for an acknowledgement, 8 seconds.
const LONGEST_US: u32 = 1 << 23;
/// Beside the measured round trip, because loops and links work in steps: 10 milliseconds.
const MARGIN_US: u32 = 0x9C << 6;
/// After a second without a block, one is sent again. Clients take a stream without blocks for one that has ended:
/// `binlog record` after 3 seconds, mavlink-router after 5.
const KEEP_US: u32 = 0xF4 << 12;
/// Later transmissions that are acknowledged before a block counts as lost.
const LATER: u8 = 3;
/// Blocks that are sent again, at most, each time that nothing was heard for the timeout.
const PROBES: u8 = 8;
/// What the rate limit lets a loop that is late make up for: 50 milliseconds.
const BURST_US: u32 = 0xC3 << 8;

/// Where a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Free,
    /// Its owner fills it.
    Filling,
    /// The client has it, and its owner doesn't know that.
    Acknowledged,
    /// It is to be sent, for the first time or again.
    Ready,
    /// It is sent.
    Flight,
}

/// A block of the pool, with its owner's part of it.
///
/// What is large is at the end, here and in `Window`, since near fields take shorter instructions.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Slot<B> {
    /// When it was sent last, in microseconds modulo 2³².
    sent_us: u32,
    pub(super) number: u32,
    pub(super) place: Place,
    /// Later transmissions that were acknowledged.
    later: u8,
    /// Whether it was sent more than once, so that an acknowledgement may be that of an earlier transmission.
    is_repeated: bool,
    pub(super) block: B,
}

impl<B> Slot<B> {
    /// Whether it isn't acknowledged.
    fn is_waiting(&self) -> bool {
        matches!(self.place, Place::Ready | Place::Flight)
    }
}

/// Whether there is a client, and what it gets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Phase {
    /// There is no client.
    Idle,
    /// The last client has everything, and no other one came.
    Finished,
    /// A client waits for a log. The owner begins one when it may.
    Awaited,
    /// A client gets a log.
    Served,
}

#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Window<B, const BLOCKS: usize> {
    pub(super) phase: Phase,
    /// Whether the blocks are those of a log that the client doesn't get any more. The owner drops them.
    pub(super) is_stale: bool,
    /// Whether block 0 was acknowledged; until then, no other one is sent.
    has_begun: bool,
    /// Blocks that may still be sent again because nothing was heard.
    probes: u8,
    address: Address,
    /// The last client.
    pub(super) client: Address,
    /// The time that a block takes at the limited rate.
    block_us: u32,
    /// When a block was sent last.
    sent_us: u32,
    /// The number of the next block.
    pub(super) next: u32,
    /// The number of the next block that wasn't sent yet.
    unsent: u32,
    /// All blocks before this one are acknowledged.
    pub(super) oldest: u32,
    /// The block that was acknowledged last.
    kept: u32,
    /// The round trip and its mean deviation; 0 before the first acknowledgement.
    round_trip_us: u32,
    deviation_us: u32,
    /// When block 0 was acknowledged.
    begun_us: u32,
    /// When the client was heard last.
    heard_us: u32,
    /// When blocks were sent last because nothing was heard, and the least time until they are again.
    probed_us: u32,
    wait_us: u32,
    /// When the rate limit allows the next block.
    allowed_us: u32,
    counts: StreamCounts,
    pub(super) slots: [Slot<B>; BLOCKS],
}

impl<B: Copy, const BLOCKS: usize> Window<B, BLOCKS> {
    pub(super) const fn new(options: StreamOptions, block: B) -> Self {
        const { assert!(BLOCKS >= 2 && BLOCKS <= SPAN as usize, "a window has 2 to 200 blocks") };
        let rate = if options.bytes_per_second == 0 { 1 } else { options.bytes_per_second };
        Window {
            phase: Phase::Idle,
            is_stale: false,
            has_begun: false,
            probes: 0,
            address: options.address,
            client: Address::new(0, 0),
            block_us: FRAME * 1_000_000 / rate,
            sent_us: 0_u32.wrapping_sub(ARRIVED_US),
            next: 0,
            unsent: 0,
            oldest: 0,
            kept: 0,
            round_trip_us: 0,
            deviation_us: 0,
            begun_us: 0,
            heard_us: 0,
            probed_us: 0,
            wait_us: 0,
            allowed_us: 0,
            counts: StreamCounts { sent: 0, sent_again: 0, acknowledged: 0, refused: 0 },
            slots: [Slot { sent_us: 0, number: 0, place: Place::Free, later: 0, is_repeated: false, block }; BLOCKS],
        }
    }

    pub(super) fn state(&self, now_us: u32) -> StreamState {
        match self.phase {
            Phase::Idle => StreamState::Idle,
            Phase::Finished => StreamState::Finished,
            _ if self.is_silent(now_us) => StreamState::Silent,
            _ => StreamState::Streaming,
        }
    }

    pub(super) fn counts(&self) -> StreamCounts {
        self.counts
    }

    /// The client, if there is one.
    pub(super) fn client(&self) -> Option<Address> {
        self.has_client().then_some(self.client)
    }

    pub(super) fn has_client(&self) -> bool {
        self.phase >= Phase::Awaited
    }

    // What the client says.

    pub(super) fn receive(&mut self, now_us: u32, sender: Address, message: &Message<'_>) {
        let Message::RemoteLogBlockStatus { target, seqno, is_received } = *message else { return };
        let component = if target.component == LOGGER { 0 } else { target.component };
        if !is_for(self.address, Address { component, ..target }) {
            return;
        }
        let is_client = self.has_client() && self.client == sender;
        // The last two numbers are commands. As a difference, they take fewer bytes.
        let command = if is_received { seqno.wrapping_sub(Message::STOP) } else { u32::MAX };
        if command == const { Message::START - Message::STOP } {
            self.start(now_us, sender);
        } else if !is_client {
            if self.has_client() {
                count(&mut self.counts.refused);
            }
        } else if command == 0 {
            self.stop();
        } else if self.phase == Phase::Served && seqno < self.unsent {
            // It is the number of a block of this log.
            self.heard_us = now_us;
            let least_us = self.round_trip_us - self.round_trip_us / 8;
            match self.find(seqno) {
                Some(slot) if is_received => {
                    slot.place = Place::Acknowledged;
                    let (sent_us, is_repeated) = (slot.sent_us, slot.is_repeated);
                    self.measure(now_us.wrapping_sub(sent_us).clamp(1, LONGEST_US), is_repeated);
                    self.acknowledged(seqno, sent_us);
                }
                // The client misses it, unless its request has crossed with the block.
                Some(slot) if now_us.wrapping_sub(slot.sent_us) >= least_us => slot.place = Place::Ready,
                _ => {}
            }
        }
    }

    fn start(&mut self, now_us: u32, sender: Address) {
        if self.client != sender {
            if self.has_client() && now_us.wrapping_sub(self.heard_us) < SILENT_US {
                return count(&mut self.counts.refused);
            }
        } else if self.has_begun {
            // The client may have sent it before it got block 0.
            if now_us.wrapping_sub(self.begun_us) < ARRIVED_US {
                return;
            }
        } else if self.has_client() {
            // It hasn't got block 0.
            self.heard_us = now_us;
            if let Some(first) = self.find(0) {
                first.place = Place::Ready;
            }
            return;
        }
        (self.phase, self.is_stale, self.has_begun) = (Phase::Awaited, true, false);
        self.client = sender;
        self.heard_us = now_us;
        (self.probes, self.wait_us) = (0, 0);
        self.probed_us = now_us.wrapping_sub(PROBE_US);
    }

    /// The client gets nothing more.
    #[inline(never)]
    pub(super) fn stop(&mut self) {
        self.is_stale |= self.has_client();
        self.phase = Phase::Idle;
    }

    /// The client has everything.
    pub(super) fn finish(&mut self) {
        self.stop();
        self.phase = Phase::Finished;
    }

    fn acknowledged(&mut self, number: u32, sent_us: u32) {
        if !self.has_begun {
            self.begun_us = self.heard_us;
        }
        (self.has_begun, self.kept) = (true, number);
        (self.probes, self.wait_us) = (0, 0);
        count(&mut self.counts.acknowledged);
        let mut oldest = self.next;
        for slot in self.slots.iter_mut().filter(|slot| slot.is_waiting()) {
            oldest = oldest.min(slot.number);
            // Those that were sent at the same time were sent in order.
            let is_before = sent_us.wrapping_sub(slot.sent_us) as i32 >= i32::from(slot.number > number);
            if slot.place == Place::Flight && is_before {
                slot.later += 1;
                if slot.later >= LATER {
                    slot.place = Place::Ready;
                }
            }
        }
        self.oldest = oldest;
    }

    /// Measures the round trip, as TCP does (RFC 6298).
    fn measure(&mut self, age: u32, is_repeated: bool) {
        let (round_trip, deviation) = (self.round_trip_us, self.deviation_us);
        if is_repeated {
            // Which transmission arrived isn't known. If it was an earlier one, the block was sent again too soon.
            if age < round_trip / 4 * 3 {
                self.deviation_us = (deviation + round_trip / 8).min(LONGEST_US);
            }
        } else if round_trip == 0 {
            (self.round_trip_us, self.deviation_us) = (age, age / 2);
        } else {
            self.deviation_us = deviation - deviation / 4 + age.abs_diff(round_trip) / 4;
            self.round_trip_us = round_trip - round_trip / 8 + age / 8;
        }
    }

    // What is sent.

    /// The number of the block that is due, if one is.
    pub(super) fn due(&mut self, now_us: u32) -> Option<u32> {
        if !self.may_send(now_us) {
            return None;
        }
        let since = |past_us| now_us.wrapping_sub(past_us);
        if self.is_silent(now_us) {
            let oldest = self.oldest;
            return self.find(oldest).filter(|slot| since(slot.sent_us) >= PROBE_US).map(|_| oldest);
        }
        // The ready one with the least number. The one that was sent first, of those that were sent at the same time.
        let (mut ready, mut first, mut age_us) = (self.next, self.next, 0);
        for slot in &self.slots {
            let (number, slot_us) = (slot.number, since(slot.sent_us));
            if slot.place == Place::Ready {
                ready = ready.min(number);
            } else if slot.place == Place::Flight && (slot_us > age_us || (slot_us == age_us && number < first)) {
                (first, age_us) = (number, slot_us);
            }
        }
        if ready < self.unsent {
            return Some(ready);
        }
        let timeout_us = self.timeout_us();
        if first != self.next && age_us >= timeout_us {
            let (unprobed_us, wait_us) = (since(self.probed_us), self.wait_us.max(timeout_us));
            if since(self.heard_us) < timeout_us || (self.probes > 0 && age_us > unprobed_us) {
                return Some(first);
            }
            if unprobed_us >= wait_us {
                (self.probed_us, self.probes, self.wait_us) = (now_us, PROBES, (2 * wait_us).min(PROBE_US));
                return Some(first);
            }
        }
        if ready != self.next {
            return self.may_send_fresh().then_some(ready);
        }
        // If none waits, a block is sent again, so that clients don't take the log for one that has ended.
        if !self.has_begun || !self.is_empty() || !self.is_quiet(now_us) {
            return None;
        }
        let kept = self.kept;
        // Blocks that weren't used have the number 0, too, and follow block 0.
        self.search(kept, false).filter(|slot| slot.place == Place::Free)?.place = Place::Ready;
        (self.oldest, self.heard_us) = (kept, now_us);
        Some(kept)
    }

    /// Whether there is a client that gets blocks, and the rate allows one.
    #[inline(never)]
    pub(super) fn may_send(&self, now_us: u32) -> bool {
        // A clock that was set back doesn't keep the stream waiting.
        let wait_us = self.allowed_us.wrapping_sub(now_us);
        self.phase == Phase::Served && !(1..=self.block_us).contains(&wait_us)
    }

    /// Whether blocks that weren't sent yet may be: block 0 goes alone until it is acknowledged.
    fn may_send_fresh(&self) -> bool {
        self.has_begun || self.has_none_on_the_way()
    }

    /// Whether a block may be added that is sent at once.
    pub(super) fn may_add(&mut self, now_us: u32) -> bool {
        self.may_send(now_us) && self.may_send_fresh() && !self.is_silent(now_us) && self.room(Place::Free).is_some()
    }

    /// Notes that a block is sent, and returns it.
    pub(super) fn sent(&mut self, now_us: u32, number: u32) -> Option<&Slot<B>> {
        if self.has_none_on_the_way() {
            self.heard_us = now_us;
        }
        let is_repeated = number < self.unsent;
        if is_repeated {
            count(&mut self.counts.sent_again);
        } else {
            self.unsent += 1;
            count(&mut self.counts.sent);
        }
        self.probes = self.probes.saturating_sub(1);
        self.pace(now_us);
        let slot = self.find(number)?;
        (slot.sent_us, slot.place, slot.later, slot.is_repeated) = (now_us, Place::Flight, 0, is_repeated);
        Some(slot)
    }

    /// Whether none was sent for a second.
    pub(super) fn is_quiet(&self, now_us: u32) -> bool {
        now_us.wrapping_sub(self.sent_us) >= KEEP_US
    }

    /// Notes that the owner sends a block again by itself.
    pub(super) fn sent_again(&mut self, now_us: u32, number: u32) {
        if let Some(slot) = self.find(number) {
            slot.is_repeated = true;
        }
        count(&mut self.counts.sent_again);
        self.pace(now_us);
    }

    /// Notes when a block is sent, for the rate.
    fn pace(&mut self, now_us: u32) {
        self.sent_us = now_us;
        let late_us = now_us.wrapping_sub(self.allowed_us).min(BURST_US);
        self.allowed_us = now_us.wrapping_sub(late_us).wrapping_add(self.block_us);
    }

    // What the owner does with blocks.

    /// The first block in a place, for the bytes of the block `next`. `None` if there is none, or if the oldest one
    /// that isn't acknowledged is too old. When it is full, it is ready, and `next` counts it.
    pub(super) fn room(&mut self, place: Place) -> Option<&mut Slot<B>> {
        if self.next - self.oldest >= SPAN { None } else { self.first(place) }
    }

    /// Whether all blocks are acknowledged.
    pub(super) fn is_empty(&self) -> bool {
        self.oldest == self.next
    }

    /// Begins a log, if nothing of the last one is on its way any more. Returns whether it does.
    pub(super) fn begin(&mut self, now_us: u32) -> bool {
        if now_us.wrapping_sub(self.sent_us) < ARRIVED_US {
            return false;
        }
        self.phase = Phase::Served;
        // Another client may be on another link.
        (self.round_trip_us, self.deviation_us) = (0, 0);
        true
    }

    /// Drops all blocks, for another log.
    pub(super) fn clear(&mut self) {
        self.slots.iter_mut().for_each(|slot| (slot.place, slot.number) = (Place::Free, 0));
        (self.is_stale, self.next, self.unsent, self.oldest) = (false, 0, 0, 0);
    }

    /// Ends the stream of a client that is silent for too long.
    pub(super) fn give_up(&mut self, now_us: u32) {
        if !self.has_none_on_the_way() && now_us.wrapping_sub(self.heard_us) >= GIVE_UP_US {
            self.stop();
        }
    }

    fn has_none_on_the_way(&self) -> bool {
        self.oldest == self.unsent
    }

    fn is_silent(&self, now_us: u32) -> bool {
        !self.has_none_on_the_way() && now_us.wrapping_sub(self.heard_us) >= SILENT_US
    }

    /// The time after which a block counts as lost.
    fn timeout_us(&self) -> u32 {
        match self.round_trip_us {
            0 => PROBE_US,
            round_trip => (round_trip + (4 * self.deviation_us).max(MARGIN_US)).min(LONGEST_US),
        }
    }

    /// The block with a number that isn't acknowledged.
    fn find(&mut self, number: u32) -> Option<&mut Slot<B>> {
        self.search(number, true)
    }

    /// The first block with a number that is waiting or that isn't. Few blocks have the number, so it comes first.
    #[inline(never)]
    fn search(&mut self, number: u32, is_waiting: bool) -> Option<&mut Slot<B>> {
        self.slots.iter_mut().find(|slot| slot.number == number && slot.is_waiting() == is_waiting)
    }

    /// The first block in a place.
    #[inline(never)]
    pub(super) fn first(&mut self, place: Place) -> Option<&mut Slot<B>> {
        self.slots.iter_mut().find(|slot| slot.place == place)
    }
}

#[inline(never)]
pub(super) fn count(count: &mut u32) {
    *count = count.saturating_add(1);
}
