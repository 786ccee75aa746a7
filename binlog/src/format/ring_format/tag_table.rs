//! The tags and lengths of a schema's records, for ring and drain. Small, and separate from the definitions, which so
//! stay out of flash.

use super::{Accepts, FileFormat, RecordShape, Schema};
use crate::format::Definition;
use crate::format::counts::CountersOf;
use core::marker::PhantomData;

/// The parts of a schema that ring and drain use.
pub struct TagTable<S>(PhantomData<S>);

impl<S: Schema> TagTable<S> {
    const RECORDS: &'static [RecordShape] = <S::Format as FileFormat<S>>::RECORDS;

    /// Alignment of records in the ring, in bytes.
    pub const UNIT: usize = <S::Format as FileFormat<S>>::UNIT;

    /// Bytes before the payload of a record in the ring.
    pub const HEADER: usize = Definition::HEADER_LENGTH.next_multiple_of(Self::UNIT);

    /// How many kinds of records there are.
    pub const COUNT: usize = Self::RECORDS.len();

    const ROWS: &'static [Row] = <<S::Format as FileFormat<S>>::Counters as Rows<S>>::ROWS;

    /// The tag of the kind of record with an index; 0 if there is none.
    pub fn tag(index: usize) -> u8 {
        Self::ROWS.get(index).map_or(0, |(tag, _)| *tag)
    }

    /// The length in the ring of the records with an index, in bytes; 0 if there is none.
    pub fn length(index: usize) -> usize {
        Self::ROWS.get(index).map_or(0, |(_, units)| usize::from(*units) * Self::UNIT)
    }

    /// The index of the kind of record with a tag, and its length in the ring in bytes; both 0 if there is none.
    pub const fn find(tag: u8) -> (usize, usize) {
        // Automatic ids begin with 1, in the order of the schema. The format's own messages, which have other ids, may
        // stand between them.
        let (mut index, mut left) = (tag.wrapping_sub(1) as usize, Self::COUNT);
        while left > 0 {
            if index >= Self::COUNT {
                index = 0;
            }
            let (other, units) = Self::ROWS[index];
            if other == tag && units > 0 {
                return (index, units as usize * Self::UNIT);
            }
            (index, left) = (index + 1, left - 1);
        }
        (0, 0)
    }

    /// The bytes that a record of `M` takes in the ring.
    ///
    /// # Panics
    ///
    /// If the table contradicts the format's view of `M`, which a schema that was written by hand may do. In a
    /// constant, this is a compile error.
    pub const fn length_of<M>() -> usize
    where
        S::Format: Accepts<S, M>,
    {
        let (index, length) = Self::find(<S::Format as Accepts<S, M>>::TAG);
        let expected = (Self::HEADER + <S::Format as Accepts<S, M>>::PAYLOAD).next_multiple_of(Self::UNIT);
        assert!(
            index == <S::Format as Accepts<S, M>>::INDEX && length == expected,
            "`Logs` contradicts the schema: derive it"
        );
        length
    }
}

/// The tag of a kind of record, and its length in units; 0 for a kind that the schema doesn't have.
type Row = (u8, u8);

/// The rows of a schema's table. Its counters have their number.
pub trait Rows<S> {
    /// One for each of [`FileFormat::RECORDS`].
    const ROWS: &'static [Row];
}

impl<S: Schema, const MESSAGES: usize, const SLOTS: usize> Rows<S> for CountersOf<MESSAGES, SLOTS> {
    const ROWS: &'static [Row] = &{
        assert!(TagTable::<S>::COUNT == MESSAGES, "a schema that was written by hand can't be logged");
        let mut rows = [(0, 0); MESSAGES];
        let mut i = 0;
        while i < MESSAGES {
            let RecordShape { tag, length, .. } = TagTable::<S>::RECORDS[i];
            let units = length / TagTable::<S>::UNIT;
            let sound = length > TagTable::<S>::HEADER && units < 256 && length == units * TagTable::<S>::UNIT;
            assert!(i < 256 && (sound || length == 0), "a schema that was written by hand can't be logged");
            rows[i] = (tag, units as u8);
            i += 1;
        }
        rows
    };
}
