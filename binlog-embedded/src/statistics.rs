//! The logger's counts over all messages.

use binlog::sink::Tally;

/// What became of all records since boot, and how full the ring is. Counts start again at 0 after `u32::MAX`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Statistics {
    /// Bytes in the ring.
    pub used: u32,
    /// Most bytes that were in the ring at once.
    pub high_water: u32,
    /// Records handed on to the file, less those lost with it. Without the drain's own: prologue, DSF and DROP.
    pub written: u32,
    /// Records that the ring had no room for.
    pub dropped: u32,
    /// Records that came sooner than the schema's rate allows.
    pub decimated: u32,
    /// Records that were logged while the logger was stopped or their message masked.
    pub ignored: u32,
    /// Records that were accepted and lost with a file that failed.
    pub lost: u32,
}

impl Statistics {
    pub(crate) fn add(&mut self, tally: Tally) {
        self.written = self.written.wrapping_add(tally.written);
        self.dropped = self.dropped.wrapping_add(tally.dropped);
        self.decimated = self.decimated.wrapping_add(tally.decimated);
        self.ignored = self.ignored.wrapping_add(tally.ignored);
        self.lost = self.lost.wrapping_add(tally.lost);
    }
}
