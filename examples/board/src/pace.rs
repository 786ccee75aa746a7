//! The time that bytes take on the wire, which QEMU leaves out.
//!
//! QEMU's UART sends a byte at once; its FIFO is never full. This module computes from the baud rate what a real FIFO
//! would hold, so that the ring fills, tasks wait and records are dropped as on a real wire. On a real board the UART's
//! flags say all of this.

use crate::clock::Clock;
use crate::uart::{FIFO, INTERRUPT_LEVEL};

/// The FIFO by the clock.
pub(crate) struct Pace {
    /// A byte has ten bits, with start and stop.
    byte_ns: u64,
    /// When the last byte is out.
    idle_ns: u64,
    /// It was full, and has been above the interrupt's level since.
    full: bool,
}

impl Pace {
    pub(crate) fn new(baud: u32) -> Self {
        Pace { byte_ns: 10_000_000_000 / u64::from(baud), idle_ns: 0, full: false }
    }

    /// A byte was written.
    pub(crate) fn sent(&mut self) {
        self.idle_ns = self.idle_ns.max(now_ns()) + self.byte_ns;
    }

    /// Whether there is no room. Once full, this is so until the interrupt would come.
    pub(crate) fn is_full(&mut self) -> bool {
        let held = self.idle_ns.saturating_sub(now_ns()).div_ceil(self.byte_ns);
        self.full = held > if self.full { INTERRUPT_LEVEL } else { FIFO - 1 };
        self.full
    }

    /// Whether a byte is on its way.
    pub(crate) fn is_busy(&self) -> bool {
        self.idle_ns > now_ns()
    }
}

fn now_ns() -> u64 {
    Clock::now_us() * 1_000
}
