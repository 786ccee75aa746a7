//! Encodes the records of the ring, for a format whose files have other bytes than the ring.

use super::{Current, Drain, Prologue};
use binlog::ring_format::{Encoder, EncoderOf, FileFormat, FormatOf, Schema, TagTable};
use binlog::sink::Tally;

/// What comes next after the preamble.
pub(super) enum Next {
    /// Nothing is left to write.
    Nothing,
    /// The bytes of a record.
    Bytes,
    /// Another session.
    Session,
}

impl<S: Schema, const N: usize, P> Drain<'_, S, N, P> {
    /// Whether the records of the ring are encoded; else, their bytes are the file's. Asked before calls that a
    /// verbatim format doesn't need, so that they cost it nothing.
    pub(crate) const ENCODES: bool = !<FormatOf<S> as FileFormat<S>>::VERBATIM;

    /// Encodes the next record in the first `left` bytes of the ring; releases records that encode to nothing.
    pub(super) fn encode_next(&mut self, left: u32) -> Next {
        let end = self.ring.tail().wrapping_add(left);
        // The encoder may have fewer bytes next.
        self.own.rest = 0..0;
        while self.ring.tail() != end {
            if self.own.encoder.has_ended() {
                self.own.encoder.begin_session();
                return Next::Session;
            }
            let current = self.read();
            let tag = TagTable::<S>::tag(current.index);
            match self.own.encoder.encode(tag) {
                // It is released with its last byte.
                Some(length @ 1..) => {
                    self.current = Some(current);
                    self.own.rest = 0..length;
                    self.count_unwritten();
                    return Next::Bytes;
                }
                encoded => {
                    self.moved();
                    self.pass(current, encoded.is_some());
                    self.count_unwritten();
                }
            }
        }
        Next::Nothing
    }

    pub(crate) fn encoder(&self) -> &EncoderOf<S> {
        &self.own.encoder
    }

    /// Copies the payload of the first record from the ring to the encoder.
    fn read(&mut self) -> Current {
        // SAFETY: `encode_next` found the record in use.
        let tag = unsafe { self.ring.tag() };
        // `log` only puts records into the ring that this table contains.
        let (index, left) = TagTable::<S>::find(tag);
        let mut offset = TagTable::<S>::HEADER as u32;
        let mut room = self.own.encoder.room(tag);
        while !room.is_empty() {
            // SAFETY: the record is complete, and its payload is as long as the room.
            let part = unsafe { self.ring.slice(offset, room.len()) };
            #[cfg_attr(not(loom), allow(clippy::needless_borrow, reason = "loom's type isn't a slice"))]
            let part: &[u8] = &part;
            let (into, rest) = room.split_at_mut(part.len());
            into.copy_from_slice(part);
            offset += into.len() as u32;
            room = rest;
        }
        Current { index, left }
    }

    /// Notes that `taken` bytes of the first record were written.
    pub(super) fn encoded_part(&mut self, taken: usize) {
        self.has_records |= taken > 0;
        self.moved();
        if self.own.rest.is_empty()
            && let Some(current) = self.current.take()
        {
            self.pass(current, true);
        }
    }

    /// How many records of a kind were passed and wait for others, so that the log doesn't have them yet.
    pub(super) fn waiting(&self, index: usize) -> u32 {
        self.own.encoder.waiting(TagTable::<S>::tag(index))
    }

    /// Counts those as lost, because no others follow.
    pub(super) fn lose_waiting(&self) {
        for index in 0..TagTable::<S>::COUNT {
            let waiting = self.waiting(index);
            self.tally(index, |tally| {
                tally.lose_written(waiting);
                waiting > 0
            });
        }
    }

    /// Counts records as lost that were passed, and that the log lacks after all.
    pub(super) fn count_unwritten(&mut self) {
        while let Some((tag, records)) = self.own.encoder.take_unwritten() {
            let (index, _) = TagTable::<S>::find(tag);
            self.tally(index, |tally| {
                tally.lose_written(records);
                true
            });
        }
    }

    /// Releases a record, which the log has or can't hold.
    fn pass(&mut self, current: Current, is_written: bool) {
        let Current { index, left } = current;
        self.ring.pass(left as u32);
        self.release(index, |tally: &mut Tally| {
            match is_written {
                true => tally.count_written(),
                false => tally.lost = tally.lost.wrapping_add(1),
            }
            !is_written
        });
    }
}

impl<S: Schema, const N: usize, P: Prologue<S>> Drain<'_, S, N, P> {
    /// Ends the session of a format that encodes, if the last record was written whole. Returns whether that takes
    /// bytes, which are the next ones.
    pub(crate) fn end_session(&mut self) -> bool {
        if !self.is_between_records() {
            return false;
        }
        self.own.rest = 0..self.own.encoder.end();
        self.count_unwritten();
        !self.own.rest.is_empty()
    }
}
