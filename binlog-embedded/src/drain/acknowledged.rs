//! What a stream needs that is acknowledged in pieces: which records are in a piece, and what became of them.

use super::{Drain, Prologue, Stage};
use binlog::ring_format::{Encoder, Schema, TagTable};
use binlog::sink::Tally;

impl<S: Schema, const N: usize, P> Drain<'_, S, N, P> {
    /// The tag of the record that is being written, and how many of its bytes are left; zeros between two records, and
    /// in a format that encodes.
    pub(crate) fn begun(&self) -> (u8, usize) {
        match &self.current {
            _ if Self::ENCODES => (0, 0),
            Some(current) => (TagTable::<S>::TAGS[current.index & 255], current.left),
            None if self.own.rest.is_empty() => (0, 0),
            None => (self.own.encoder.synthetic_tag().unwrap_or(0), self.own.rest.len()),
        }
    }

    /// Whether the last bytes written are of the preamble.
    pub(crate) fn is_in_preamble(&self) -> bool {
        matches!(self.stage, Stage::Preamble(_))
    }

    /// Counts a written record as flushed.
    pub(crate) fn record_flushed(&self, tag: u8) {
        self.tally_of(tag, |tally| {
            tally.unflushed = tally.unflushed.saturating_sub(1);
            false
        });
    }

    /// Counts a record as lost that counted as flushed.
    pub(crate) fn record_lost(&self, tag: u8) {
        self.tally_of(tag, |tally| {
            tally.lose_written(1);
            true
        });
    }

    fn tally_of(&self, tag: u8, change: impl FnOnce(&mut Tally) -> bool) {
        let (index, _) = TagTable::<S>::BY_TAG[usize::from(tag)];
        self.tally(index.into(), change);
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
