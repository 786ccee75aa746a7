//! Chains of clusters in the FAT.

use super::Stop;
use super::bytes::Block;
use super::directory::Entry;
use super::disk::Disk;
use crate::recorder::Damage;
#[cfg(feature = "exfat")]
use crate::recorder::{Flaw, Unusable::NotFat};

/// Clusters of a file on FAT, which has less than 4 GiB in clusters of 512 bytes or more.
const MAX_CLUSTERS: u32 = 1 << 23;

/// A walk along the chain of a log that is being removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChainWalk {
    /// The piece that the walk is in: clusters that are linked each to the next number.
    pub(super) first: u32,
    pub(super) count: u32,
    /// The cluster that is linked to the piece; 0 if the entry is.
    pub(super) before: u32,
    /// Clusters of the chain so far.
    pub(super) seen: u32,
    /// One of them, to which a chain without an end comes back.
    tortoise: u32,
    /// The first cluster of the piece that was given back last, which the chain must not have any more.
    pub(super) given_back: Option<u32>,
}

impl ChainWalk {
    /// From the first cluster of a chain, or on exFAT from that of a piece, after `seen` clusters.
    pub(super) fn new(first: u32, seen: u32, given_back: Option<u32>) -> Self {
        ChainWalk { first, count: 1, before: 0, seen: seen + 1, tortoise: 0, given_back }
    }

    /// Walks to the last piece of the chain; on exFAT to the end of the first, and no further than the log's size says.
    /// Returns what the piece is linked to.
    pub(super) fn go_on(&mut self, disk: &mut Disk, entry: &Entry, block: &Block) -> Result<u32, Stop> {
        let is_exfat = disk.volume.is_exfat();
        loop {
            let last = self.first + self.count - 1;
            disk.need_link(last)?;
            let next = disk.volume.link(block, last);
            if is_exfat && self.seen >= disk.volume.clusters_of(entry.bytes) {
                return Ok(0);
            }
            if next == last + 1 && disk.volume.has(next) {
                self.count += 1;
            } else if disk.volume.has(next) && !is_exfat {
                (self.first, self.count, self.before) = (next, 1, last);
            } else {
                return Ok(next);
            }
            if (self.comes_back_to(next) || self.seen > MAX_CLUSTERS) && !is_exfat {
                return Err(Stop::damaged(Damage::Endless));
            }
        }
    }

    /// Counts the next cluster of the chain. Returns whether the chain had it before, which shows within three times
    /// the clusters that there are (Brent's algorithm).
    fn comes_back_to(&mut self, cluster: u32) -> bool {
        let is_again = cluster == self.tortoise;
        if self.seen.is_power_of_two() {
            self.tortoise = cluster;
        }
        self.seen += 1;
        is_again
    }
}

/// The chain of exFAT's bitmap in the FAT, which formatters make contiguous.
#[cfg(feature = "exfat")]
#[derive(Clone, Copy, Debug)]
pub(super) struct BitmapChain {
    pub(super) at: u32,
    /// Clusters from there on.
    pub(super) left: u32,
}

#[cfg(feature = "exfat")]
impl BitmapChain {
    pub(super) fn check(&mut self, disk: &mut Disk, block: &Block) -> Result<(), Stop> {
        while self.left > 1 {
            disk.need_link(self.at)?;
            let next = disk.volume.link(block, self.at);
            self.at += 1;
            self.left -= 1;
            if next != self.at || !disk.volume.has(self.at) {
                return Err(NotFat(Flaw::FragmentedBitmap).into());
            }
        }
        Ok(())
    }
}
