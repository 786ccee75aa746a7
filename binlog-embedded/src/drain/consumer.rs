//! The drain's end of the ring.

use crate::Logger;
use crate::logger::{CountersOf, State};
use crate::ring::Slice;
use binlog::ring_format::Schema;

/// The distance of what is flushed from the tail, at most: beyond it, positions would begin to repeat.
pub(crate) const MAX_UNSYNCED: u32 = 1 << 30;

/// The bytes of the ring that belong to the drain: those between its tail and the head when the drain last looked.
///
/// A slice of them borrows the consumer, and only [`pass`](Consumer::pass), which needs it for itself, moves the tail.
/// So no byte goes to the producer while a slice has it.
pub(super) struct Consumer<'a, S: Schema, const N: usize> {
    pub(super) logger: &'a Logger<S, N>,
    /// Position of the next byte. The logger's tail is the beginning of that byte's record, so that a record stays in
    /// the ring until it is passed whole.
    tail: u32,
    /// At most the logger's head.
    head: u32,
}

impl<'a, S: Schema, const N: usize> Consumer<'a, S, N> {
    /// # Safety
    ///
    /// The logger has no other consumer, or none that is ever used again.
    pub(super) unsafe fn new(logger: &'a Logger<S, N>) -> Self {
        let (tail, head) = logger.state.with(|state| (state.tail, state.head));
        Consumer { logger, tail, head }
    }

    /// Position of the next byte.
    pub(super) fn tail(&self) -> u32 {
        self.tail
    }

    /// How many bytes were used when the drain last looked.
    pub(super) fn left(&self) -> u32 {
        self.head.wrapping_sub(self.tail)
    }

    /// At most `length` of those bytes from an offset after the tail on, up to the end of the ring.
    pub(super) fn slice(&self, offset: u32, length: usize) -> Slice<'_> {
        let length = length.min(self.left().saturating_sub(offset) as usize);
        // SAFETY: the bytes are between tail and head. The producer gets none of them before the logger's tail has
        // passed them. `release` alone moves that, to this consumer's tail, and `pass` can't move this one while the
        // slice borrows `self`. As `new` demands, no other consumer does.
        unsafe { self.logger.ring.slice(self.tail.wrapping_add(offset), length) }
    }

    /// The byte at an offset from the tail; 0 beyond those that are left.
    pub(super) fn byte(&self, offset: u32) -> u8 {
        self.slice(offset, 1).first().copied().unwrap_or(0)
    }

    /// Moves the tail, at most to the head. The bytes stay the drain's until [`release`](Consumer::release).
    pub(super) fn pass(&mut self, bytes: u32) {
        self.tail = self.tail.wrapping_add(bytes.min(self.left()));
    }

    /// Gives the producer the bytes before the tail, which ends a record, and changes the state at the same time.
    pub(super) fn release(&self, change: impl FnOnce(&mut State<CountersOf<S>>)) {
        let tail = self.tail;
        self.logger.state.with(|state| {
            debug_assert!(
                tail.wrapping_sub(state.tail) <= state.head.wrapping_sub(state.tail),
                "the drain has what is in use"
            );
            state.tail = tail;
            if tail.wrapping_sub(state.synced) > MAX_UNSYNCED {
                state.synced = tail.wrapping_sub(MAX_UNSYNCED);
            }
            change(state);
        });
    }

    /// Looks how far the head is, and notes the usage of the ring and a stall. Returns the used bytes.
    pub(super) fn sample(&mut self, stall_us: u32) -> u32 {
        self.logger.state.with(|state| {
            let used = state.head.wrapping_sub(state.tail);
            state.high_water = state.high_water.max(used);
            state.longest_stall_us = state.longest_stall_us.max(stall_us);
            self.head = state.head;
            used
        })
    }
}
