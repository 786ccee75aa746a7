//! The file system on a card, read and checked by code that shares nothing with the recorder.
//!
//! Sources: Microsoft's "FAT32 File System Specification" (fatgen103) and "exFAT file system specification".

mod check;
mod computer;
mod directory;
mod format;
mod fsck;
mod regions;
mod tree;

pub use check::{Flaw, Report};
pub use computer::{Clusters, Computer};
pub use directory::set_sum;
pub use format::{Geometry, PartitionTable};
pub use fsck::{fsck, read_back};
pub use regions::{Region, Regions};
pub use tree::{Entry, Tree};

use crate::ram_card::{Block, RamCard};
use std::ops::Range;

/// The kinds of file systems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileSystem {
    /// FAT with 16-bit entries.
    Fat16,
    /// FAT with 32-bit entries.
    Fat32,
    /// exFAT.
    ExFat,
}

/// Where the parts of a card's file system are, from its partition table and boot sector. Blocks are counted from the
/// card's beginning.
#[derive(Clone)]
pub struct Volume {
    pub(crate) card: RamCard,
    /// What it is.
    pub kind: FileSystem,
    /// Its first block.
    pub start: u32,
    /// How many blocks it has.
    pub blocks: u32,
    /// First block of the first FAT.
    pub fat: u32,
    /// Blocks of one FAT.
    pub fat_blocks: u32,
    /// How many FATs there are, one after the other.
    pub fats: u32,
    /// The FAT that counts.
    pub active_fat: u32,
    /// Whether all FATs are kept equal.
    pub mirrored: bool,
    /// FAT32's block of hints.
    pub info: Option<u32>,
    /// First block and length of FAT16's root directory.
    pub root_blocks: Range<u32>,
    /// First cluster of the root directory elsewhere.
    pub root_cluster: u32,
    /// First block of cluster 2.
    pub data: u32,
    /// Blocks of a cluster.
    pub cluster_blocks: u32,
    /// How many clusters there are; their numbers begin at 2.
    pub clusters: u32,
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

impl Volume {
    /// The first file system of a card. Panics where there is none.
    pub fn of(card: &RamCard) -> Self {
        let first = card.block(0);
        let is_boot = |block: &Block| matches!(block[0], 0xEB | 0xE9) && block[510..] == [0x55, 0xAA];
        let start = if is_boot(&first) {
            0
        } else if first[450] == 0xEE {
            u32_at(&card.block(2), 32)
        } else {
            let rows = first[446..510].chunks(16);
            let row = rows.clone().find(|row| row[4] != 0).expect("the partition table has a row");
            u32_at(row, 8)
        };
        Volume::at(card, start)
    }

    /// The file system whose boot sector is in block `start`.
    pub fn at(card: &RamCard, start: u32) -> Self {
        let boot = card.block(start);
        if &boot[3..11] == b"EXFAT   " { Volume::exfat(card, start, &boot) } else { Volume::fat(card, start, &boot) }
    }

    fn fat(card: &RamCard, start: u32, boot: &Block) -> Self {
        let or = |small: u32, large: u32| if small == 0 { large } else { small };
        assert_eq!((u16_at(boot, 11), u16_at(boot, 510)), (512, 0xAA55), "no boot sector in block {start}");
        let (cluster_blocks, fats) = (u32::from(boot[13]), u32::from(boot[16]));
        let fat = start + u16_at(boot, 14);
        let blocks = or(u16_at(boot, 19), u32_at(boot, 32));
        let fat_blocks = or(u16_at(boot, 22), u32_at(boot, 36));
        let root = fat + fats * fat_blocks;
        let data = root + u16_at(boot, 17) * 32 / 512;
        let clusters = (start + blocks - data) / cluster_blocks;
        let kind = if clusters < 65525 { FileSystem::Fat16 } else { FileSystem::Fat32 };
        // Bit 7: only one FAT is kept, the one in bits 0 to 3.
        let flags = if kind == FileSystem::Fat32 { u16_at(boot, 40) } else { 0 };
        let mirrored = flags & 0x80 == 0;
        let active_fat = if mirrored { 0 } else { flags & 0xF };
        let (info, root_cluster) = match kind {
            FileSystem::Fat32 => (Some(start + u16_at(boot, 48)), u32_at(boot, 44)),
            _ => (None, 0),
        };
        let root_blocks = root..data;
        Volume {
            card: card.clone(),
            kind,
            start,
            blocks,
            fat,
            fat_blocks,
            fats,
            active_fat,
            mirrored,
            info,
            root_blocks,
            root_cluster,
            data,
            cluster_blocks,
            clusters,
        }
    }

    fn exfat(card: &RamCard, start: u32, boot: &Block) -> Self {
        Volume {
            card: card.clone(),
            kind: FileSystem::ExFat,
            start,
            blocks: u64_at(boot, 72) as u32,
            fat: start + u32_at(boot, 80),
            fat_blocks: u32_at(boot, 84),
            fats: u32::from(boot[110]),
            active_fat: 0,
            mirrored: true,
            info: None,
            root_blocks: 0..0,
            root_cluster: u32_at(boot, 96),
            data: start + u32_at(boot, 88),
            cluster_blocks: 1 << boot[109],
            clusters: u32_at(boot, 92),
        }
    }

    /// The card.
    pub fn card(&self) -> &RamCard {
        &self.card
    }

    /// Bytes of a cluster.
    pub fn cluster_bytes(&self) -> u64 {
        u64::from(self.cluster_blocks) * 512
    }

    /// Numbers of all clusters.
    pub fn all_clusters(&self) -> Range<u32> {
        2..self.clusters + 2
    }

    /// Blocks of a cluster.
    pub fn blocks_of(&self, cluster: u32) -> Range<u32> {
        let first = self.data + (cluster - 2) * self.cluster_blocks;
        first..first + self.cluster_blocks
    }

    fn entries_per_block(&self) -> u32 {
        if self.kind == FileSystem::Fat16 { 256 } else { 128 }
    }

    /// The block of the active FAT and the byte in it that hold a cluster's entry.
    pub fn place_of(&self, cluster: u32) -> (u32, usize) {
        let per_block = self.entries_per_block();
        let at = self.fat + self.active_fat * self.fat_blocks + cluster / per_block;
        (at, (cluster % per_block * (512 / per_block)) as usize)
    }

    /// A cluster's entry in the FAT.
    pub fn entry(&self, cluster: u32) -> u32 {
        let (at, offset) = self.place_of(cluster);
        self.entry_in(&self.card.block(at), offset)
    }

    fn entry_in(&self, block: &Block, offset: usize) -> u32 {
        match self.kind {
            FileSystem::Fat16 => u16_at(block, offset),
            // The four upper bits are reserved.
            FileSystem::Fat32 => u32_at(block, offset) & 0x0FFF_FFFF,
            FileSystem::ExFat => u32_at(block, offset),
        }
    }

    /// Entries from here on end a chain.
    pub fn end_mark(&self) -> u32 {
        match self.kind {
            FileSystem::Fat16 => 0xFFF8,
            FileSystem::Fat32 => 0x0FFF_FFF8,
            FileSystem::ExFat => 0xFFFF_FFF8,
        }
    }

    /// The entry of a cluster that can't be used.
    pub fn bad_mark(&self) -> u32 {
        self.end_mark() - 1
    }

    /// All clusters whose entries aren't zero, with their entries, in order.
    pub fn used_entries(&self) -> Vec<(u32, u32)> {
        let per_block = self.entries_per_block();
        let size = (512 / per_block) as usize;
        let mut used = Vec::new();
        for number in 0..(self.clusters + 2).div_ceil(per_block) {
            let block = self.card.block(self.fat + self.active_fat * self.fat_blocks + number);
            if block == [0; 512] {
                continue;
            }
            for (offset, cluster) in (0..512).step_by(size).zip(number * per_block..) {
                let entry = self.entry_in(&block, offset);
                if entry != 0 && self.all_clusters().contains(&cluster) {
                    used.push((cluster, entry));
                }
            }
        }
        used
    }

    /// The first block in which a FAT differs from the active one, where all are to be equal.
    pub fn differing_fat_block(&self) -> Option<u32> {
        if !self.mirrored || self.kind == FileSystem::ExFat {
            return None;
        }
        let copies = (1..self.fats).flat_map(|copy| (0..self.fat_blocks).map(move |i| (copy * self.fat_blocks, i)));
        copies
            .map(|(copy, i)| (self.fat + i, self.fat + copy + i))
            .find(|&(first, second)| self.card.block(first) != self.card.block(second))
            .map(|(_, second)| second)
    }

    /// The clusters of exFAT's bitmap.
    pub(crate) fn bitmap_clusters(&self) -> Vec<u32> {
        let root = self.chain(self.root_cluster).0;
        let entry = root
            .iter()
            .flat_map(|&cluster| self.blocks_of(cluster))
            .find_map(|at| self.card.block(at).chunks(32).find(|entry| entry[0] == 0x81).map(<[u8]>::to_vec))
            .expect("the root directory names the bitmap");
        self.chain(u32_at(&entry, 20)).0
    }

    /// exFAT's bitmap: whether each cluster, from number 2 on, is in use.
    pub(crate) fn bitmap(&self) -> Vec<u8> {
        let blocks = self.bitmap_clusters().into_iter().flat_map(|cluster| self.blocks_of(cluster));
        let mut bytes: Vec<u8> = blocks.flat_map(|at| self.card.block(at)).collect();
        bytes.truncate(self.clusters.div_ceil(8) as usize);
        bytes
    }

    /// The clusters that nothing uses, in order.
    pub fn free(&self) -> Box<dyn Iterator<Item = u32>> {
        let all = self.all_clusters();
        if self.kind == FileSystem::ExFat {
            let bitmap = self.bitmap();
            return Box::new(all.filter(move |cluster| {
                let bit = cluster - 2;
                bitmap[(bit / 8) as usize] >> (bit % 8) & 1 == 0
            }));
        }
        let used: std::collections::BTreeSet<u32> =
            self.used_entries().into_iter().map(|(cluster, _)| cluster).collect();
        Box::new(all.filter(move |cluster| !used.contains(cluster)))
    }

    /// How many clusters nothing uses.
    pub fn free_clusters(&self) -> u32 {
        if self.kind == FileSystem::ExFat {
            let used: u32 = self.bitmap().iter().map(|byte| byte.count_ones()).sum();
            return self.clusters - used;
        }
        self.clusters - self.used_entries().len() as u32
    }

    /// A chain of clusters from its first, up to its end or to the cluster where it breaks, and why it breaks there.
    pub(crate) fn chain(&self, first: u32) -> (Vec<u32>, Option<&'static str>) {
        let mut clusters = Vec::new();
        let mut cluster = first;
        let mut read = (u32::MAX, [0; 512]);
        loop {
            if !self.all_clusters().contains(&cluster) {
                return (clusters, Some("leads to a cluster that doesn't exist"));
            }
            if clusters.len() as u32 >= self.clusters {
                return (clusters, Some("has no end"));
            }
            clusters.push(cluster);
            let (at, offset) = self.place_of(cluster);
            if read.0 != at {
                read = (at, self.card.block(at));
            }
            match self.entry_in(&read.1, offset) {
                0 => return (clusters, Some("leads to a free cluster")),
                bad if bad == self.bad_mark() => return (clusters, Some("leads to a bad cluster")),
                end if end >= self.end_mark() => return (clusters, None),
                next => cluster = next,
            }
        }
    }
}
