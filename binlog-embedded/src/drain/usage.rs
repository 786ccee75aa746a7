//! How full the ring is, and how long it has to last.

use super::Drain;
use binlog::ring_format::Schema;

impl<S: Schema, const N: usize, P> Drain<'_, S, N, P> {
    /// Samples the usage of the ring. Returns how many of its bytes are to be written to the current file.
    pub(super) fn observe(&mut self) -> u32 {
        self.sample(0);
        let left = self.ring.left();
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

    /// Notes the usage of the ring now, and a stall.
    #[inline(never)]
    fn sample(&mut self, stall_us: u32) {
        let used = self.ring.sample(stall_us);
        if let Some(reports) = &mut self.reports {
            reports.sample(N as u32 - used, stall_us);
        }
    }
}
