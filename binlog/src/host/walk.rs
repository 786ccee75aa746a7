//! Walks over whole records of a schema, as a queue has them.

use crate::schema::LogSchema;
use std::marker::PhantomData;

/// The next record, in bytes that begin with one.
pub(super) struct Walk<'a, S> {
    bytes: &'a [u8],
    at: usize,
    schema: PhantomData<fn() -> S>,
}

/// For each id, the index of its message and the length of its records; 0 for ids without a message.
pub(super) struct Table<S>(PhantomData<S>);

impl<S: LogSchema> Table<S> {
    pub(super) const BY_ID: [(u8, u8); 256] = {
        let mut table = [(0, 0); 256];
        let mut i = 0;
        while i < S::MESSAGES.len() {
            table[S::MESSAGES[i].id as usize] = (i as u8, S::MESSAGES[i].definition.length() as u8);
            i += 1;
        }
        table
    };
}

impl<'a, S: LogSchema> Walk<'a, S> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Walk { bytes, at: 0, schema: PhantomData }
    }

    /// Bytes of the records so far.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The records, whole ones only, of each message by its index.
    pub(super) fn counts(&mut self) -> Vec<u32> {
        let mut counts = vec![0; S::MESSAGES.len()];
        for (index, _) in self {
            if let Some(count) = counts.get_mut(index) {
                *count += 1;
            }
        }
        counts
    }

    /// The length of the first record; of all bytes if there is none.
    pub(super) fn first(mut self) -> usize {
        self.next().map_or(self.bytes.len(), |(_, record)| record.len())
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

impl<'a, S: LogSchema> Iterator for Walk<'a, S> {
    /// The index of the message, and the record.
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.bytes[self.at..];
        let (index, length) = Table::<S>::BY_ID[usize::from(*rest.get(2)?)];
        // No record of the schema is empty; bytes that aren't of the schema end the walk.
        let record = rest.get(..usize::from(length)).filter(|record| !record.is_empty())?;
        self.at += record.len();
        Some((usize::from(index), record))
    }
}
