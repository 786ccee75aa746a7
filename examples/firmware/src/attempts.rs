//! Attempts to log, counted by hand.

use core::sync::atomic::{AtomicU32, Ordering};

/// Attempts for each of `N` kinds of records. Each kind is logged by one context, so a load and a store are enough to
/// count it; a Cortex-M0 has no atomic addition.
pub(crate) struct Attempts<const N: usize>([AtomicU32; N]);

impl<const N: usize> Attempts<N> {
    pub(crate) const fn new() -> Self {
        Attempts([const { AtomicU32::new(0) }; N])
    }

    /// Counts one attempt.
    pub(crate) fn count(&self, index: usize) {
        let attempts = &self.0[index];
        attempts.store(attempts.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    pub(crate) fn of(&self, index: usize) -> u32 {
        self.0[index].load(Ordering::Relaxed)
    }
}
