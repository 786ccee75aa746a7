//! Where records begin and end in a ring, found by their headers.

use crate::ring::place;
use binlog::HEAD_BYTES;
use binlog::ring_format::{FileFormat, FormatOf, Schema, TagTable};
use core::marker::PhantomData;

/// Reads the headers of a ring.
pub(super) struct Boundaries<'a, S, const N: usize> {
    ring: &'a [u8; N],
    schema: PhantomData<S>,
}

/// Records that follow each other.
pub(super) struct RecordRun {
    pub(super) records: u32,
    /// The position of the last one.
    pub(super) last: u32,
}

impl<'a, S: Schema, const N: usize> Boundaries<'a, S, N> {
    /// The longest record.
    pub(super) const LONGEST: u32 = <FormatOf<S> as FileFormat<S>>::LONGEST as u32;

    /// Bytes to which records are aligned. Positions are multiples of them, and so is the longest length.
    const UNIT: u32 = TagTable::<S>::UNIT as u32;

    pub(super) fn new(ring: &'a [u8; N]) -> Self {
        Boundaries { ring, schema: PhantomData }
    }

    /// The records from a boundary to another one, at most `N` bytes later. `None` if they aren't both boundaries.
    pub(super) fn walk(&self, from: u32, to: u32) -> Option<RecordRun> {
        let mut walk = RecordRun { records: 0, last: from };
        let mut position = from;
        while position != to {
            walk.last = position;
            position = self.after(position, to)?;
            walk.records += 1;
        }
        Some(walk)
    }

    /// A boundary at or after `from`, as early as it can be known for certain; `to` is a boundary, and from `from` to
    /// there the ring has records, the first of which may have lost its beginning.
    ///
    /// Text or a file inside of a record may look like records. No record is longer than the longest, so there is a
    /// boundary in as many bytes. From it, a walk leads to `to`. All positions from which one does are candidates, and
    /// it is not known which of them is the boundary; but where their walks have met, there is one.
    pub(super) fn first_in(&self, from: u32, to: u32) -> u32 {
        if to.wrapping_sub(from) < Self::LONGEST {
            // `to` may be the only one.
            return to;
        }
        let mut met: Option<u32> = None;
        let places = Self::LONGEST / Self::UNIT;
        for candidate in (0..places).map(|place| from.wrapping_add(place * Self::UNIT)) {
            if self.walk(candidate, to).is_some() {
                met = Some(met.map_or(candidate, |met| self.meeting(met, candidate, to)));
            }
        }
        met.unwrap_or(to)
    }

    /// The first position on two walks to `to`.
    fn meeting(&self, mut one: u32, mut other: u32, to: u32) -> u32 {
        while one != other {
            let (behind, ahead) = match to.wrapping_sub(one) > to.wrapping_sub(other) {
                true => (one, other),
                false => (other, one),
            };
            (one, other) = (self.after(behind, to).unwrap_or(to), ahead);
        }
        one
    }

    /// The end of the record at a position, `to` at most.
    fn after(&self, position: u32, to: u32) -> Option<u32> {
        let [first, second, tag] = [0, 1, 2].map(|offset| self.byte(position.wrapping_add(offset)));
        let length = TagTable::<S>::find(tag).1 as u32;
        let is_header = [first, second] == HEAD_BYTES && length > 0 && length <= to.wrapping_sub(position);
        is_header.then(|| position.wrapping_add(length))
    }

    fn byte(&self, position: u32) -> u8 {
        self.ring[place::<N>(position)]
    }
}
