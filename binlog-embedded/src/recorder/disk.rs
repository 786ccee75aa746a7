//! What all steps work with: where the file system's parts are, the block that is loaded, and the free clusters.

use super::volume::Volume;
use super::{Loaded, NOTHING, Stop};

/// The file system of the card.
pub(crate) struct Disk {
    pub(crate) loaded: Loaded,
    pub(crate) volume: Volume,
    /// Free clusters with numbers below `counted`.
    pub(super) free: u32,
    pub(super) counted: u32,
    /// The cluster at which the next search begins.
    pub(super) next_free: u32,
    /// Whether `free` is FSInfo's count of all clusters, which may be wrong.
    pub(super) is_hint: bool,
    /// Whether FSInfo says that the count is unknown.
    pub(super) is_info_unknown: bool,
}

impl Disk {
    pub(super) const NONE: Disk = Disk {
        loaded: Loaded { at: NOTHING, needed: 0 },
        volume: Volume::NONE,
        free: 0,
        counted: 0,
        next_free: 2,
        is_hint: false,
        is_info_unknown: false,
    };

    /// Asks for a block unless it is loaded.
    pub(super) fn need(&mut self, at: u32) -> Result<(), Stop> {
        self.loaded.need(at)
    }

    /// Asks for the block of the FAT with a cluster's link, unless it is loaded.
    #[inline(never)]
    pub(super) fn need_link(&mut self, cluster: u32) -> Result<(), Stop> {
        self.loaded.need(self.volume.link_block(cluster))
    }

    /// Asks for the block of the table with a cluster's value, unless it is loaded.
    #[inline(never)]
    pub(super) fn need_value(&mut self, cluster: u32) -> Result<(), Stop> {
        self.loaded.need(self.volume.table_block(cluster))
    }

    /// Whether the free clusters are counted.
    pub(super) fn is_counted(&self) -> bool {
        self.counted == self.volume.end()
    }

    /// Takes a cluster that is about to be marked off the count.
    pub(super) fn take_off(&mut self, cluster: u32) {
        if cluster < self.counted {
            self.free = self.free.saturating_sub(1);
        }
    }
}
