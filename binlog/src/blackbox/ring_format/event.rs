//! Events in the ring.

use crate::blackbox::{Event, RefusedEvent};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The bytes of an event, with room for the longest.
#[derive(FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
pub struct EventRecord {
    length: u8,
    bytes: [u8; Event::MAX_BYTES],
}

impl EventRecord {
    pub(super) const NONE: Self = EventRecord { length: 0, bytes: [0; Event::MAX_BYTES] };

    /// Encodes an event.
    ///
    /// # Errors
    ///
    /// If a program can't log it: see [`RefusedEvent`].
    pub fn new(event: &Event) -> Result<Self, RefusedEvent> {
        event.check()?;
        let mut record = Self::NONE;
        record.length = event.encode(&mut record.bytes).len() as u8;
        Ok(record)
    }

    /// The event's bytes, the letter included.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length).min(self.bytes.len())]
    }
}
