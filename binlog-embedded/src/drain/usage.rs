//! How full the ring is, and how long it has to last.

use super::Drain;
use binlog::ring_format::Schema;

impl<S: Schema, const N: usize, P> Drain<'_, S, N, P> {
    /// Samples the usage of the ring. Returns how many of its bytes are to be written to the current file.
    pub(super) fn observe(&mut self) -> u32 {
        let left = self.sample(0).wrapping_sub(self.ring.tail());
        if left == 0 || self.moved_us == 0 {
            self.idle();
        }
        self.left_to_recover().map_or(left, |recovered| recovered.min(left))
    }

    /// Notes that no record waits.
    pub(super) fn idle(&mut self) {
        self.moved_us = self.ring.logger.now_us() as u32;
    }

    /// Measures the stall that ends now, because bytes of the ring were written. They aren't released yet, so the most
    /// that was used is measured exactly.
    pub(super) fn moved(&mut self) {
        let before_us = self.moved_us;
        self.idle();
        self.sample(self.moved_us.wrapping_sub(before_us));
    }

    /// Notes the usage of the ring now, and a stall. Returns the ring's head.
    #[inline(never)]
    fn sample(&mut self, stall_us: u32) -> u32 {
        let (used, head) = self.ring.logger.state.with(|state| {
            let used = state.head.wrapping_sub(state.tail);
            state.high_water = state.high_water.max(used);
            state.longest_stall_us = state.longest_stall_us.max(stall_us);
            (used, state.head)
        });
        if let Some(reports) = &mut self.reports {
            reports.sample(N as u32 - used, stall_us);
        }
        head
    }
}
