//! A search for free clusters, one block of the FAT or the bitmap after the other.

use super::Stop;
use super::bytes::Block;
use super::disk::Disk;

/// Blocks of the FAT that a search reads before it pauses.
pub(super) const PAUSE_AFTER: u32 = 32;

/// Clusters that follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Run {
    /// The number after the last.
    pub(super) fn end(self) -> u32 {
        self.first + self.count
    }
}

/// A search for a run of free clusters.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClusterSearch {
    /// The next cluster to look at.
    at: u32,
    /// Clusters that are left to look at.
    left: u32,
    /// Free clusters right before `at`.
    free_before: u32,
    /// The longest run so far.
    pub(super) found: Run,
    /// Clusters that are wanted.
    want: u32,
    /// Fewer are of no use.
    pub(super) least: u32,
    /// Blocks since the last pause.
    blocks: u32,
    /// Whether the run has to begin with the first cluster that is looked at.
    is_pinned: bool,
}

impl ClusterSearch {
    /// For `want` clusters, at least `least`, among the `left` ones from `at` on.
    pub(super) fn new(at: u32, left: u32, want: u32, least: u32, is_pinned: bool) -> Self {
        let found = Run { first: 0, count: 0 };
        ClusterSearch { at, left, free_before: 0, found, want, least, blocks: 0, is_pinned }
    }

    /// Looks for a run until it is long enough or there are no more clusters.
    pub(super) fn go_on(&mut self, disk: &mut Disk, block: &Block) -> Result<(), Stop> {
        let volume = &disk.volume;
        // Long enough to be worth no further look.
        let enough = volume.clusters_of(1 << 20).max(self.least).min(self.want);
        while self.left > 0 && self.found.count < self.want {
            let end = volume.table_next(self.at).min(volume.end()).min(self.at.saturating_add(self.left));
            disk.loaded.need(volume.table_block(self.at))?;
            let from = self.at;
            for cluster in from..end {
                (self.at, self.left) = (cluster + 1, self.left - 1);
                if volume.value(block, cluster) != 0 {
                    self.free_before = 0;
                    if self.is_pinned {
                        self.left = 0;
                        break;
                    }
                    continue;
                }
                self.free_before += 1;
                if self.free_before > self.found.count {
                    self.found = Run { first: cluster + 1 - self.free_before, count: self.free_before };
                    if self.found.count == self.want {
                        break;
                    }
                }
            }
            if self.at == volume.end() {
                (self.at, self.free_before) = (2, 0);
            }
            self.blocks += 1;
            if self.blocks >= PAUSE_AFTER {
                self.blocks = 0;
                if self.found.count >= enough {
                    break;
                }
                return Err(Stop::Pause);
            }
        }
        Ok(())
    }
}
