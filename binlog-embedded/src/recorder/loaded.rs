//! The one block of the card that is in memory.

use super::Stop;

/// No block is loaded.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Which block of the card is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loaded {
    /// The block; [`NOTHING`] for none.
    pub(crate) at: u32,
    /// The block that is needed in its place.
    pub(crate) needed: u32,
}

impl Loaded {
    /// Asks for a block unless it is loaded.
    pub(super) fn need(&mut self, at: u32) -> Result<(), Stop> {
        self.needed = at;
        if self.at == at { Ok(()) } else { Err(Stop::Read) }
    }
}
