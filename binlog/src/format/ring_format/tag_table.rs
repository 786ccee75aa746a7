//! The tags and lengths of a schema's records, for ring and drain. Small, and separate from the definitions, which so
//! stay out of flash.

use super::{Accepts, FileFormat, RecordShape, Schema};
use crate::format::Definition;
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

    /// For each tag, the index of the record in the schema, and its length in units; the length is 0 for tags without a
    /// record.
    pub const BY_TAG: [(u8, u8); 256] = {
        let mut table = [(0, 0); 256];
        let mut i = 0;
        while i < Self::COUNT {
            let RecordShape { tag, length, .. } = Self::RECORDS[i];
            // A kind of record that the schema doesn't have.
            if length == 0 {
                i += 1;
                continue;
            }
            let units = length / Self::UNIT;
            let sound = length > Self::HEADER && units < 256 && length == units * Self::UNIT;
            assert!(i < 256 && sound, "a schema that was written by hand can't be logged");
            table[tag as usize] = (i as u8, units as u8);
            i += 1;
        }
        table
    };

    /// For each index, the record's tag.
    pub const TAGS: [u8; 256] = {
        let mut tags = [0; 256];
        let mut i = 0;
        while i < Self::COUNT {
            tags[i] = Self::RECORDS[i].tag;
            i += 1;
        }
        tags
    };

    /// The length of the records with a tag in the ring, in bytes; 0 for tags without a record.
    #[inline(always)]
    pub fn length(tag: u8) -> usize {
        usize::from(Self::BY_TAG[usize::from(tag)].1) * Self::UNIT
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
        let (index, units) = Self::BY_TAG[<S::Format as Accepts<S, M>>::TAG as usize];
        let length = (Self::HEADER + <S::Format as Accepts<S, M>>::PAYLOAD).next_multiple_of(Self::UNIT);
        assert!(
            index as usize == <S::Format as Accepts<S, M>>::INDEX && units as usize * Self::UNIT == length,
            "`Logs` contradicts the schema: derive it"
        );
        length
    }
}
