//! A schema's messages by id and by place, for the ring: small, and apart from their definitions, which stay out of
//! flash.

use binlog::LogSchema;
use core::marker::PhantomData;

/// What ring and drain know of a schema.
pub(crate) struct Table<S>(PhantomData<S>);

impl<S: LogSchema> Table<S> {
    /// For each id, the message's place in the schema, and the bytes of its records: 0 where there is no message.
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

    /// For each place, the message's id.
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
