//! Transfers, tried twice where the card is certain to be the same.

use super::{Cause, Dates, Result, SdLog, Slot, Transfers};
use crate::recorder::{NOTHING, Recorder, Stop, sum};

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

/// The state of transfers: counts, the one in progress, and what proves that the card is the same.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Port {
    pub(super) transfers: Transfers,
    /// Whether the card in the slot was initialised and its size is known.
    pub(super) is_sized: bool,
    /// The transfer that began and did not end: of a future that was dropped.
    #[cfg(feature = "async")]
    pub(super) unfinished: Option<Io>,
    /// The [witnesses](Recorder::witnesses): blocks that show whether the card is the same.
    pub(super) seen: [Seen; 3],
    /// Whether the card that was mounted is gone. Nothing more is written to the card that is there now.
    is_gone: bool,
}

/// A block as it was seen last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// The block; [`NOTHING`] for none.
    pub(super) at: u32,
    sum: u32,
}

impl Default for Seen {
    fn default() -> Self {
        Seen { at: NOTHING, sum: 0 }
    }
}

impl Port {
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
    pub(super) fn check<E: core::error::Error>(&self) -> core::result::Result<(), Cause<E>> {
        if self.is_gone { Err(Cause::Changed) } else { Ok(()) }
    }

    /// Notes a block that was read or written.
    fn saw(&mut self, recorder: &Recorder, at: u32, block: &[u8; 512]) {
        for (seen, witness) in self.seen.iter_mut().zip(recorder.witnesses(at)) {
            if witness == at {
                *seen = Seen { at, sum: sum(block) };
            }
        }
    }

    /// A transfer failed: the card counts as gone until it proves to be the same. Returns whether it can: once FSInfo,
    /// which shows what another system wrote meanwhile, was read, all witnesses are known.
    pub(super) fn begin_retry(&mut self, recorder: &Recorder) -> bool {
        self.is_gone = true;
        let [_, info, _] = self.seen;
        let can = recorder.has_info() && info.at != NOTHING;
        // Not `wrapping_add(can.into())`: from 1.88 to 1.97 at least, rustc adds nothing where a caller branches on the
        // result (https://github.com/rust-lang/rust/issues/158206).
        if can {
            self.transfers.retried = self.transfers.retried.wrapping_add(1);
        }
        can
    }

    /// The card proved to be the same.
    pub(super) fn card_returned(&mut self) {
        self.is_gone = false;
    }
}

impl<C: Slot, D: Dates, const BLOCKS: usize> SdLog<C, D, BLOCKS> {
    /// What a stop asks for: a transfer, or `None` for a pause.
    pub(super) fn next_transfer(&mut self, stop: Stop) -> Result<Option<Io>, C> {
        match stop {
            Stop::Read => Ok(Some(Io::Read(self.recorder.disk.loaded.needed))),
            Stop::Write => Ok(Some(Io::Write { at: self.recorder.disk.loaded.at, mirror: 0 })),
            Stop::WriteTable => {
                Ok(Some(Io::Write { at: self.recorder.disk.loaded.at, mirror: self.recorder.mirror() }))
            }
            Stop::Data => Ok(Some(self.contents_on_the_way())),
            Stop::Size => Ok(Some(Io::Size)),
            Stop::Pause => Ok(None),
            Stop::Changed => Err(self.fail(Cause::Changed)),
            Stop::Fault(fault) => Err(self.fail(Cause::Fault(fault))),
        }
    }

    pub(super) fn begin_transfer(&mut self, io: Io) -> core::result::Result<(), Cause<C::Error>> {
        self.port.check()?;
        if let Io::Read(_) = io {
            self.recorder.disk.loaded.at = NOTHING;
        }
        self.port.note_transfer(Some(io));
        Ok(())
    }

    pub(super) fn end_transfer(&mut self, io: Io) {
        self.port.note_transfer(None);
        let Transfers { read, written, .. } = &mut self.port.transfers;
        match io {
            Io::Read(at) => {
                *read = read.wrapping_add(1);
                self.recorder.disk.loaded.at = at;
                self.port.saw(&self.recorder, at, &self.block[0]);
            }
            Io::Write { at, mirror } => {
                *written = written.wrapping_add(1 + u32::from(mirror != 0));
                self.port.saw(&self.recorder, at, &self.block[0]);
            }
            Io::Data { count, .. } => *written = written.wrapping_add(count as u32),
            Io::Size => self.port.is_sized = true,
        }
    }

    /// Whether a block of the card is as it was seen last. The one that `io` was to write may be there already.
    #[inline(never)]
    pub(super) fn is_as_seen(&self, io: Io, seen: Seen, block: &[u8; 512]) -> bool {
        let found = sum(block);
        found == seen.sum || (matches!(io, Io::Write { at, .. } if at == seen.at) && found == sum(&self.block[0]))
    }
}
