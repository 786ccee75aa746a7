//! Transfers, tried twice where the card is certain to be the same.

use super::{Cause, Transfers};
use crate::recorder::{NOTHING, Recorder, sum};

/// A transfer of the recorder's block, or of contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Io {
    /// Read the block.
    Read(u32),
    /// Write the block, and again `mirror` blocks after it unless that is 0.
    Write { at: u32, mirror: u32 },
    /// Write the first `count` blocks of the buffer of contents.
    Data { at: u32, count: usize },
    /// Initialise the card, and ask for its size in blocks.
    Size,
}

/// What the card's blocks were when they were seen last.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Port {
    pub(super) transfers: Transfers,
    /// Whether the card in the slot was initialised and its size is known.
    pub(super) is_sized: bool,
    /// The transfer that began and did not end: of a future that was dropped.
    #[cfg(feature = "async")]
    pub(super) unfinished: Option<Io>,
    /// The [witnesses](Recorder::witnesses): blocks that show whether the card is the same.
    seen: [Seen; Port::WITNESSES],
    /// Whether the card that was mounted is gone. Nothing more reaches whatever is there now.
    is_gone: bool,
}

/// A block as it was seen last.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The block; [`NOTHING`] for none.
    at: u32,
    sum: u32,
}

impl Default for Seen {
    fn default() -> Self {
        Seen { at: NOTHING, sum: 0 }
    }
}

impl Port {
    pub(super) const WITNESSES: usize = 3;

    /// Forgets the card.
    pub(super) fn forget(&mut self) {
        *self = Port { transfers: self.transfers, ..Port::default() };
    }

    /// Notes the transfer that begins, or that none is left, because a future may be dropped before its transfer ends.
    pub(super) fn note_transfer(&mut self, io: Option<Io>) {
        #[cfg(feature = "async")]
        {
            self.unfinished = io;
        }
        #[cfg(not(feature = "async"))]
        let _ = io;
    }

    /// Refuses a transfer to a card that is gone.
    pub(super) fn check<E: core::error::Error>(&self) -> Result<(), Cause<E>> {
        if self.is_gone { Err(Cause::Changed) } else { Ok(()) }
    }

    /// Notes a block that was read or written; `None` before it is written, when the card may hold either.
    pub(super) fn saw(&mut self, recorder: &Recorder, at: u32, block: Option<&[u8; 512]>) {
        for (seen, witness) in self.seen.iter_mut().zip(recorder.witnesses()) {
            if witness == at {
                *seen = block.map_or(Seen::default(), |block| Seen { at, sum: sum(block) });
            }
        }
    }

    /// A transfer failed: the card counts as gone until it proves to be the same. Returns whether it can: where no
    /// block would show what another system wrote meanwhile, it can't.
    pub(super) fn failed(&mut self, recorder: &Recorder) -> bool {
        self.is_gone = true;
        let can = recorder.has_witnesses();
        // Not `wrapping_add(can.into())`: from 1.88 to 1.97 at least, rustc adds nothing where a caller branches on the
        // result (https://github.com/rust-lang/rust/issues/158206).
        if can {
            self.transfers.retried = self.transfers.retried.wrapping_add(1);
        }
        can
    }

    /// The block that proves that the card is the same, and its sum.
    pub(super) fn witness(&self, i: usize) -> Option<(u32, u32)> {
        let seen = self.seen[i];
        (seen.at != NOTHING).then_some((seen.at, seen.sum))
    }

    /// The card proved to be the same.
    pub(super) fn is_back(&mut self) {
        self.is_gone = false;
    }

    /// The card failed again.
    pub(super) fn is_lost(&mut self) {
        self.is_gone = true;
    }
}
