//! Cards of any geometry.

mod exfat;
mod fat;
mod table;

pub use table::PartitionTable;

use super::{FileSystem, Volume};
use crate::ram_card::RamCard;

/// A card with one file system. All of the card that the file system doesn't define holds old contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// The file system.
    pub kind: FileSystem,
    /// Blocks of a cluster, a power of two.
    pub cluster_blocks: u32,
    /// Clusters: 4,085 to 65,524 make a FAT16, more a FAT32.
    pub clusters: u32,
    /// How many FATs there are.
    pub fats: u32,
    /// FAT32: the only FAT that is kept, if they aren't mirrored.
    pub only_fat: Option<u32>,
    /// Blocks before the first FAT.
    pub reserved: u32,
    /// Blocks of a FAT beyond those that its clusters need.
    pub spare_fat_blocks: u32,
    /// Blocks after the last cluster, fewer than a cluster.
    pub spare_blocks: u32,
    /// Entries of FAT16's root directory, a multiple of 16.
    pub root_entries: u32,
    /// exFAT: the bitmap's clusters don't follow each other, if it has several.
    pub scattered_bitmap: bool,
    /// How the card names the partition.
    pub table: PartitionTable,
    /// The partition's first block; 0 without a partition table.
    pub start: u32,
}

impl Geometry {
    /// A small FAT16.
    pub const FAT16: Self = Geometry {
        kind: FileSystem::Fat16,
        cluster_blocks: 4,
        clusters: 4_100,
        fats: 2,
        only_fat: None,
        reserved: 1,
        spare_fat_blocks: 0,
        spare_blocks: 0,
        root_entries: 512,
        scattered_bitmap: false,
        table: PartitionTable::Mbr { row: 0 },
        start: 2048,
    };
    /// The smallest FAT32.
    pub const FAT32: Self = Geometry {
        kind: FileSystem::Fat32,
        cluster_blocks: 1,
        clusters: 65_600,
        reserved: 32,
        root_entries: 0,
        ..Self::FAT16
    };
    /// A small exFAT.
    pub const EXFAT: Self = Geometry {
        kind: FileSystem::ExFat,
        cluster_blocks: 8,
        clusters: 5_000,
        fats: 1,
        reserved: 32,
        root_entries: 0,
        ..Self::FAT16
    };

    /// The blocks that one FAT takes.
    fn fat_blocks(&self) -> u32 {
        let per_block = if self.kind == FileSystem::Fat16 { 256 } else { 128 };
        (self.clusters + 2).div_ceil(per_block) + self.spare_fat_blocks
    }

    /// The blocks between the partition's beginning and cluster 2.
    fn blocks_before_data(&self) -> u32 {
        self.reserved + self.fats * self.fat_blocks() + self.root_entries / 16
    }

    /// The blocks of the file system.
    pub fn blocks(&self) -> u32 {
        self.blocks_before_data() + self.clusters * self.cluster_blocks + self.spare_blocks
    }

    /// The number of the partition for the recorder's options.
    pub fn partition(&self) -> u8 {
        if let PartitionTable::Mbr { row } = self.table { row } else { 0 }
    }

    /// A card of this geometry, followed by 1,000 blocks that belong to nobody.
    pub fn format(&self) -> RamCard {
        assert!(self.spare_blocks < self.cluster_blocks);
        let card = RamCard::blank(self.start + self.blocks() + 1000);
        card.fill_with_junk(0);
        self.table.write(&card, self);
        match self.kind {
            FileSystem::ExFat => exfat::format(&card, self),
            FileSystem::Fat16 | FileSystem::Fat32 => fat::format(&card, self),
        }
        let volume = Volume::of(&card);
        assert_eq!((volume.kind, volume.clusters, volume.start), (self.kind, self.clusters, self.start));
        card
    }
}
