//! The counts over all messages of a logger.

use super::Tally;

/// Counts of all records of a logger since boot, and the usage of its buffer: the ring on a target, the queue on a
/// host. Counts wrap to 0 after `u32::MAX`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Statistics {
    /// Bytes in the buffer.
    pub used: u32,
    /// The most bytes that were in the buffer at once.
    pub high_water: u32,
    /// The longest stall in microseconds: how long the buffer had to last.
    ///
    /// On a target it is the time from a call of the drain that left the ring empty, or that moved bytes of it, to the
    /// next call that moved bytes. A task that waits in `Drain::ready` is not stalled. On a host it is the longest time
    /// of a write, retries included; opening and flushing are not measured. It stops at 2³² µs (71 minutes); on a
    /// target a stall wraps to 0 there.
    pub longest_stall_us: u32,
    /// Records written to the file, without those lost with it. Includes the drain's own records: prologue, DSF and
    /// DROP.
    pub written: u32,
    /// Records dropped because the buffer had no room.
    pub dropped: u32,
    /// Records decimated because they came sooner than the schema's rate allows.
    pub decimated: u32,
    /// Records logged while the logger was stopped or their message was masked.
    pub ignored: u32,
    /// Records accepted and then lost with a file that failed.
    pub lost: u32,
}

impl Statistics {
    /// No records yet, and the usage of a buffer.
    pub fn of_buffer(used: u32, high_water: u32, longest_stall_us: u32) -> Self {
        Statistics { used, high_water, longest_stall_us, ..Statistics::default() }
    }

    /// Adds the counts of one message.
    pub fn add(&mut self, tally: Tally) {
        self.written = self.written.wrapping_add(tally.written);
        self.dropped = self.dropped.wrapping_add(tally.dropped);
        self.decimated = self.decimated.wrapping_add(tally.decimated);
        self.ignored = self.ignored.wrapping_add(tally.ignored);
        self.lost = self.lost.wrapping_add(tally.lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_a_buffer_have_its_usage_and_no_records() {
        let statistics = Statistics::of_buffer(1, 2, 3);
        assert_eq!((statistics.used, statistics.high_water, statistics.longest_stall_us), (1, 2, 3));
        assert_eq!(Statistics { used: 0, high_water: 0, longest_stall_us: 0, ..statistics }, Statistics::default());
    }
}
