//! The ids and lengths of a schema's messages, for the ring. Small, and separate from the definitions, which so stay
//! out of flash.

use binlog::LogSchema;
use core::marker::PhantomData;

/// The parts of a schema that the ring and the drain use.
pub(crate) struct Table<S>(PhantomData<S>);

impl<S: LogSchema> Table<S> {
    /// For each id, the index of the message in the schema and the length of its records; the length is 0 for ids
    /// without a message.
    pub(crate) const BY_ID: [(u8, u8); 256] = {
        let mut table = [(0, 0); 256];
        let mut i = 0;
        while i < S::MESSAGES.len() {
            let message = &S::MESSAGES[i];
            let length = message.definition.length();
            assert!(i < 256 && length > 3 && length < 256, "a schema that was written by hand can't be logged");
            table[message.id as usize] = (i as u8, length as u8);
            i += 1;
        }
        table
    };

    /// For each index, the message's id.
    pub(crate) const IDS: [u8; 256] = {
        let mut ids = [0; 256];
        let mut i = 0;
        while i < S::MESSAGES.len() {
            ids[i] = S::MESSAGES[i].id;
            i += 1;
        }
        ids
    };
}
