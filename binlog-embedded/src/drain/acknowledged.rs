//! What a stream needs that is acknowledged in pieces: which records are in a piece, and what became of them.

use super::{Drain, Prologue};
use binlog::ring_format::{Encoder, Schema, TagTable};

impl<S: Schema, const N: usize, P> Drain<'_, S, N, P> {
    /// The message of the record that is being written, by its index, and how many of its bytes are left: 0 between two
    /// records, in the preamble, and in a format that encodes.
    pub(crate) fn begun(&self) -> (u8, u8) {
        match (&self.current, self.own.encoder.synthetic_tag()) {
            _ if Self::ENCODES || self.is_in_preamble() => (0, 0),
            (Some(current), _) => (current.index as u8, current.left as u8),
            (None, tag) => (TagTable::<S>::find(tag.unwrap_or(0)).0 as u8, self.own.rest.len() as u8),
        }
    }

    /// Counts a message's record, which was written, as flushed.
    #[inline(never)]
    pub(crate) fn record_flushed(&self, index: u8) {
        self.tally(index.into(), |tally| {
            tally.unflushed = tally.unflushed.saturating_sub(1);
            false
        });
    }

    /// The position in the ring up to which whole records were written.
    pub(crate) fn written_to(&self) -> u32 {
        self.ring.logger.state.with(|state| state.tail)
    }

    /// After a reset, records from a position of [`written_to`](Drain::written_to) on are recovered.
    pub(crate) fn flushed_to(&self, position: u32) {
        self.ring.logger.state.with(|state| state.synced = position);
    }
}

impl<S: Schema, const N: usize, P: Prologue<S>> Drain<'_, S, N, P> {
    /// Begins the next log in the same file, with preamble and prologue. What was written isn't lost.
    pub(crate) fn begin_next(&mut self) {
        self.begin_file(|_| {});
    }
}
