//! Writes the records that outlived a reset as a file of their own.

use super::{Drain, Stage};
use binlog::ring_format::{Encoder, Schema};

impl<S: Schema, const N: usize, P> Drain<'_, S, N, P> {
    /// Whether the file is complete: it has all records that outlived a reset
    /// ([`Retained`](crate::Retained)), and [`step`](Drain::step) writes nothing more to it. Flush it, and begin the
    /// next file with [`restart`](Drain::restart). Writers of this crate do so by themselves.
    ///
    /// Always false for the files after it.
    pub fn ends_file(&self) -> bool {
        matches!(self.stage, Stage::Records) && self.own.rest.is_empty() && self.left_to_recover() == Some(0)
    }

    /// Bytes of recovered records that are not written yet; `None` if the file has other records.
    pub(super) fn left_to_recover(&self) -> Option<u32> {
        self.recovery.map(|recovery| recovery.end.wrapping_sub(self.ring.tail()))
    }

    /// Prepares a part of the text that says what happened. Returns whether there is such a part.
    pub(super) fn put_recovery(&mut self, part: usize) -> bool {
        let length = self.recovery.and_then(|recovery| (recovery.encode)(recovery, part, self.own.encoder.buffer()));
        self.own.rest = 0..length.unwrap_or(0);
        length.is_some()
    }

    /// Ends the recovery if all of its records were written.
    pub(super) fn end_recovery(&mut self) {
        let tail = self.ring.tail();
        self.recovery = self.recovery.filter(|recovery| recovery.is_left(tail));
    }
}
