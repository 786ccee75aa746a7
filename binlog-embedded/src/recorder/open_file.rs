//! What is known of the file that is being written or created.

use super::directory::SlotPlace;

/// The log that is being written, or the log, folder or part of a directory that is being created.
///
/// On FAT, the clusters of its run come in this order: linked, marked, free. On exFAT, all are marked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenFile {
    /// The number; 0 for the folder.
    pub(crate) number: u32,
    pub(super) place: SlotPlace,
    /// The slot of the note in the same block.
    pub(super) note: u8,
    pub(super) identity: u16,
    /// The first letter of the name.
    pub(super) initial: u8,
    /// First cluster of the run.
    pub(super) first: u32,
    /// Clusters of the run that are marked.
    pub(super) count: u32,
    /// Marked clusters according to the note on the card; only these may be linked.
    pub(super) count_on_card: u32,
    /// Clusters of the run, with those that are still free.
    pub(super) noted: u32,
    /// Clusters before the run.
    pub(super) base: u32,
    /// The last cluster before the run; 0 if the run is the first.
    pub(super) prev: u32,
    /// All clusters of the run before this one are linked to the next.
    pub(super) linked: u32,
    /// The size that the entry has.
    pub(crate) bytes: u32,
}

impl OpenFile {
    pub(crate) const NONE: OpenFile = OpenFile {
        number: 0,
        place: SlotPlace::NONE,
        note: 0,
        identity: 0,
        initial: 0,
        first: 0,
        count: 0,
        count_on_card: 0,
        noted: 0,
        base: 0,
        prev: 0,
        linked: 0,
        bytes: 0,
    };

    /// The place of the note.
    pub(super) fn note(&self) -> SlotPlace {
        SlotPlace { block: self.place.block, slot: self.note }
    }

    /// The number after the last marked cluster's.
    pub(super) fn end(&self) -> u32 {
        self.first + self.count
    }
}
