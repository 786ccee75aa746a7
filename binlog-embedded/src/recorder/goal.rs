//! What the recorder is asked to do, and why a step stops.

use crate::recorder::{Damage, Fault, Unusable};

/// Why a step returned before it was complete. The step is called again after the transfer that it asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// Block [`Loaded::needed`](super::Loaded::needed) is needed.
    Read,
    /// The loaded block is to be written.
    Write,
    /// The loaded block of the FAT or the bitmap is to be written, and its copy.
    WriteTable,
    /// Contents are to be written.
    Data,
    /// The card is to be initialised, and its size to be found out. The recorder needs it before a mount.
    Size,
    /// The search continues at the next call, which may come later.
    Pause,
    /// The card isn't as it was.
    Changed,
    Fault(Fault),
}

impl Stop {
    pub(super) fn damaged(damage: Damage) -> Self {
        Stop::Fault(Fault::Damaged(damage))
    }
}

impl From<Unusable> for Stop {
    fn from(unusable: Unusable) -> Self {
        Stop::Fault(Fault::Unusable(unusable))
    }
}

// One register: what every step returns would otherwise go through memory.
const _: () = assert!(size_of::<Result<(), Stop>>() <= 4);

/// What the recorder is asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    None,
    Mount,
    Begin,
    /// More clusters for the open log: the next of its run are marked, or it gets another run.
    Extend,
    /// A longer run for the open log, if the clusters after it are free.
    Prepare,
    Sync(u32),
    End,
    Remove,
    Count,
}
