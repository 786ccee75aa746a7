//! How full the ring is, and how long it has to last.

use super::Drain;
use binlog::LogSchema;

impl<S: LogSchema, const N: usize, P> Drain<'_, S, N, P> {
    /// Samples the usage of the ring. Returns how many of its bytes are to be written to the current file.
    ///
    /// Called before and after each write: usage grows while the writer works, until bytes are released, so the most
    /// is measured exactly.
    pub(super) fn observe(&mut self) -> u32 {
        let (used, head) = self.logger.state.with(|state| {
            let used = state.head.wrapping_sub(state.tail);
            state.high_water = state.high_water.max(used);
            (used, state.head)
        });
        if let Some(reports) = &mut self.reports {
            reports.sample(N as u32 - used);
        }
        let left = head.wrapping_sub(self.tail);
        if left == 0 || self.moved_us.is_none() {
            self.idle();
        }
        self.left_to_recover().map_or(left, |recovered| recovered.min(left))
    }

    /// Notes that no record waits.
    pub(super) fn idle(&mut self) {
        self.moved_us = Some(self.logger.now_us() as u32);
    }

    /// Measures the stall that ends now, because bytes of the ring were written.
    pub(super) fn moved(&mut self) {
        self.observe();
        let now_us = self.logger.now_us() as u32;
        let stall_us = now_us.wrapping_sub(self.moved_us.replace(now_us).unwrap_or(now_us));
        self.logger.state.with(|state| state.longest_stall_us = state.longest_stall_us.max(stall_us));
        if let Some(reports) = &mut self.reports {
            reports.stalled(stall_us);
        }
    }
}
