//! Releases records from the ring, and counts what became of them.

use super::{Current, Drain};
use binlog::ring_format::{Schema, TagTable};
use binlog::sink::Tally;

impl<S: Schema, const N: usize, P> Drain<'_, S, N, P> {
    /// Releases the bytes of a message's record, which ends at the tail, and changes its counts as
    /// [`tally`](Drain::tally) does.
    pub(super) fn release(&self, index: usize, change: impl FnOnce(&mut Tally) -> bool) {
        self.ring.release(|state| state.tally(index, change));
    }

    /// Drops the rest of a record whose file is lost.
    pub(super) fn abandon_record(&mut self) {
        if Self::ENCODES && self.own.rest.start == 0 {
            // Encoded and not begun: it stays in the ring, and is encoded again.
            self.current = None;
        }
        if let Some(Current { index, left }) = self.current.take() {
            self.ring.pass(left as u32);
            self.release(index, |tally| {
                tally.lost = tally.lost.wrapping_add(1);
                true
            });
        }
    }

    /// Changes the counts of all messages for a new file, which reports all losses since boot, as its DSF counts them.
    #[inline(never)]
    pub(super) fn begin_counts(&self, change: fn(&mut Tally)) {
        for index in 0..TagTable::<S>::COUNT {
            self.tally(index, |tally| {
                change(tally);
                tally.has_losses()
            });
        }
    }

    /// Changes a message's counts. If `change` returns true, the message is added to those to report.
    pub(super) fn tally(&self, index: usize, change: impl FnOnce(&mut Tally) -> bool) {
        self.ring.logger.state.with(|state| state.tally(index, change));
    }

    /// Counts what was written as flushed.
    pub(crate) fn flushed(&mut self) {
        if core::mem::take(&mut self.dirty) {
            // After a reset, frames that wait for the first I frame are recovered from the ring.
            let waits = Self::ENCODES && (0..TagTable::<S>::COUNT).any(|index| self.waiting(index) > 0);
            if !waits {
                self.ring.logger.state.with(|state| state.synced = state.tail);
            }
            for index in 0..TagTable::<S>::COUNT {
                let waiting = if Self::ENCODES { self.waiting(index) } else { 0 };
                self.tally(index, |tally| {
                    tally.unflushed = waiting;
                    false
                });
            }
        }
    }
}
