//! Walks over whole records of a schema, as a queue has them.

use crate::format::{Format, LogSchema};
use std::marker::PhantomData;

/// The next record, in bytes that begin with one.
pub(super) struct RecordWalk<'a, S> {
    bytes: &'a [u8],
    at: usize,
    schema: PhantomData<fn() -> S>,
}

/// What a walk knows of the message with an id.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// Its place in [`LogSchema::MESSAGES`].
    pub(super) index: u8,
    /// The length of its records; 0 for an id without a message.
    pub(super) length: u8,
    /// Whether its first column is `TimeUS`.
    pub(super) has_time: bool,
}

/// The entries of all ids.
pub(super) struct IdTable<S>(PhantomData<S>);

impl<S: LogSchema> IdTable<S> {
    pub(super) const BY_ID: [Entry; 256] = {
        let mut table = [Entry { index: 0, length: 0, has_time: false }; 256];
        let mut i = 0;
        while i < S::MESSAGES.len() {
            let definition = S::MESSAGES[i].definition;
            let has_time = match definition.columns {
                // `==` isn't const.
                [first, ..] => matches!(first.label.as_bytes(), b"TimeUS") && matches!(first.format, Format::U64),
                [] => false,
            };
            table[S::MESSAGES[i].id as usize] = Entry { index: i as u8, length: definition.length() as u8, has_time };
            i += 1;
        }
        table
    };
}

impl<'a, S: LogSchema> RecordWalk<'a, S> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        RecordWalk { bytes, at: 0, schema: PhantomData }
    }

    /// Bytes of the records so far.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The id that the next record has, if the schema doesn't have it.
    pub(super) fn unknown_id(&self) -> Option<u8> {
        let id = *self.bytes.get(self.at + 2)?;
        (IdTable::<S>::BY_ID[usize::from(id)].length == 0).then_some(id)
    }

    /// The records, whole ones only, of each message by its index.
    pub(super) fn counts(&mut self) -> Vec<u32> {
        let mut counts = vec![0; S::MESSAGES.len()];
        for record in self {
            if let Some(count) = counts.get_mut(record.index) {
                *count += 1;
            }
        }
        counts
    }

    /// The length of the first record, or that of all bytes if no record is found.
    pub(super) fn first(mut self) -> usize {
        self.next().map_or(self.bytes.len(), |record| record.bytes.len())
    }

    /// The length of the records that fit into `room` bytes.
    pub(super) fn fitting(mut self, room: usize) -> usize {
        if self.bytes.len() <= room {
            return self.bytes.len();
        }
        loop {
            let before = self.at;
            if self.next().is_none() || self.at > room {
                return before;
            }
        }
    }
}

/// A whole record.
pub(super) struct Walked<'a> {
    /// The message's place in [`LogSchema::MESSAGES`].
    pub(super) index: usize,
    pub(super) bytes: &'a [u8],
    has_time: bool,
}

impl Walked<'_> {
    /// Its `TimeUS`, if it begins with that.
    pub(super) fn time_us(&self) -> Option<u64> {
        let time = self.bytes.get(3..).filter(|_| self.has_time)?;
        time.first_chunk().copied().map(u64::from_le_bytes)
    }
}

impl<'a, S: LogSchema> Iterator for RecordWalk<'a, S> {
    type Item = Walked<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.bytes[self.at..];
        let Entry { index, length, has_time } = IdTable::<S>::BY_ID[usize::from(*rest.get(2)?)];
        // No record of the schema is empty; bytes that aren't of the schema end the walk.
        let bytes = rest.get(..usize::from(length)).filter(|record| !record.is_empty())?;
        self.at += bytes.len();
        Some(Walked { index: usize::from(index), bytes, has_time })
    }
}
