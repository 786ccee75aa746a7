//! The drain's end of the ring.

use crate::Logger;
use crate::logger::{CountersOf, State};
use crate::ring::Slice;
use binlog::ring_format::Schema;

/// The distance of what is flushed from the tail, at most: beyond it, positions would begin to repeat.
pub(crate) const MAX_UNSYNCED: u32 = 1 << 30;

/// The bytes of the ring that belong to the drain: those from its tail to the logger's head.
///
/// A slice of them borrows the consumer, and only [`pass`](Consumer::pass), which needs it for itself, moves the tail.
/// So no byte goes to the producer while a slice has it.
pub(super) struct Consumer<'a, S: Schema, const N: usize> {
    pub(super) logger: &'a Logger<S, N>,
    /// Position of the next byte. The logger's tail is the beginning of that byte's record, so that a record stays in
    /// the ring until it is passed whole.
    tail: u32,
}

impl<'a, S: Schema, const N: usize> Consumer<'a, S, N> {
    /// The end of a ring that begins with its first record.
    ///
    /// # Safety
    ///
    /// The logger has no other consumer, or none that is ever used again.
    pub(super) unsafe fn new(logger: &'a Logger<S, N>) -> Self {
        Consumer { logger, tail: logger.state.with(|state| state.tail) }
    }

    /// Position of the next byte.
    pub(super) fn tail(&self) -> u32 {
        self.tail
    }

    /// At most `length` bytes from an offset after the tail on, up to the end of the ring.
    ///
    /// # Safety
    ///
    /// They are before the logger's head.
    pub(super) unsafe fn slice(&self, offset: u32, length: usize) -> Slice<'_> {
        debug_assert!(
            offset as usize + length <= self.logger.state.with(|state| state.head.wrapping_sub(self.tail)) as usize,
            "the drain reads what is in use"
        );
        // SAFETY: the producer gets none of these bytes before the logger's tail has passed them. `release` alone moves
        // that, to this consumer's tail, and `pass` can't move this one while the slice borrows `self`. As `new`
        // demands, no other consumer does.
        unsafe { self.logger.ring.slice(self.tail.wrapping_add(offset), length) }
    }

    /// The tag of the record at the tail.
    ///
    /// # Safety
    ///
    /// The ring has a record there.
    pub(super) unsafe fn tag(&self) -> u8 {
        // SAFETY: the caller's guarantee, since records are in the ring whole.
        let slice = unsafe { self.slice(2, 1) };
        slice[0]
    }

    /// Moves the tail, at most to the head. The bytes stay the drain's until [`release`](Consumer::release).
    pub(super) fn pass(&mut self, bytes: u32) {
        self.tail = self.tail.wrapping_add(bytes);
    }

    /// Gives the producer the bytes before the tail, which ends a record, and changes the state at the same time.
    pub(super) fn release(&self, change: impl FnOnce(&mut State<CountersOf<S>>)) {
        let tail = self.tail;
        self.logger.state.with(|state| {
            debug_assert!(
                tail.wrapping_sub(state.tail) <= state.head.wrapping_sub(state.tail),
                "the drain has what is in use"
            );
            state.pass::<N>(tail);
            if tail.wrapping_sub(state.synced) > MAX_UNSYNCED {
                state.synced = tail.wrapping_sub(MAX_UNSYNCED);
            }
            change(state);
        });
    }
}
