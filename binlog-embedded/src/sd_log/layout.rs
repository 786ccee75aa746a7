//! Where on the card the parts of the file system are, from its partition table and boot sector.
//!
//! embedded-sdmmc reads both itself, but trusts them: a boot sector of nonsense divides by zero there. Source of the
//! fields: Microsoft's "FAT32 File System Specification" (fatgen103), and the partition table of the PC BIOS.

use embedded_sdmmc::Block;

/// A FAT16 or FAT32 file system. Blocks are counted from the card's beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    pub(crate) kind: Kind,
    /// First block of the first FAT.
    pub(crate) fat: u32,
    /// Blocks of a FAT.
    pub(crate) fat_blocks: u32,
    /// How many FATs there are, one after the other: 1 or 2.
    pub(crate) fats: u32,
    /// FAT32's block of hints.
    pub(crate) info: Option<u32>,
    /// First block of cluster 2. Before it, on FAT16, is the root directory.
    pub(crate) data: u32,
    /// Clusters; their numbers begin at 2.
    pub(crate) clusters: u32,
    pub(crate) blocks_per_cluster: u32,
    /// First block behind the file system.
    pub(crate) end: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Fat16,
    Fat32,
}

/// What a block is part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Region {
    /// The first FAT.
    Fat,
    /// The second FAT.
    FatCopy,
    Info,
    /// FAT16's root directory, and clusters.
    Contents,
    /// The boot sector and what else is none of ours.
    Foreign,
}

/// Why a card can't be logged to as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Unusable {
    /// The first block has no signature: the card is blank or damaged.
    Blank,
    /// The first block is a file system's, not a partition table's.
    Unpartitioned,
    /// The partition table has nothing in this place, 0 to 3.
    NoPartition {
        /// The place that was looked at.
        partition: u8,
    },
    /// The partition is of a type other than FAT16 (4, 6, 0x0E) and FAT32 (0x0B, 0x0C).
    PartitionType {
        /// The type that the table gives.
        found: u8,
    },
    /// The partition's first block is no boot sector of FAT16 or FAT32, for the reason given.
    NotFat(&'static str),
}

impl core::fmt::Display for Unusable {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Unusable::Blank => {
                f.write_str("the card is blank or damaged: it has no partition table; format it as FAT32")
            }
            Unusable::Unpartitioned => {
                f.write_str("the card has a file system but no partition table; format it with one")
            }
            Unusable::NoPartition { partition } => {
                write!(f, "the card has no partition {partition}; set Options::partition, or format the card as FAT32")
            }
            Unusable::PartitionType { found } => {
                write!(f, "the partition is of type 0x{found:02X}, not FAT16 or FAT32; format the card as FAT32")
            }
            Unusable::NotFat(why) => write!(f, "the partition holds no usable FAT16 or FAT32: {why}"),
        }
    }
}

const SIGNATURE: [u8; 2] = [0x55, 0xAA];

fn u16_at(block: &Block, at: usize) -> u32 {
    u32::from(u16::from_le_bytes([block[at], block[at + 1]]))
}

fn u32_at(block: &Block, at: usize) -> u32 {
    u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
}

/// First block and length of a partition, from the card's first block.
pub(crate) fn partition(first: &Block, partition: u8) -> Result<(u32, u32), Unusable> {
    if first[510..] != SIGNATURE {
        return Err(Unusable::Blank);
    }
    let row = 446 + 16 * usize::from(partition & 3);
    let [status, kind] = [first[row], first[row + 4]];
    let (start, length) = (u32_at(first, row + 8), u32_at(first, row + 12));
    let boot_sector = matches!(first[0], 0xEB | 0xE9) && u16_at(first, 11) == 512;
    if boot_sector && (status & 0x7F != 0 || !is_fat(kind) || start == 0) {
        return Err(Unusable::Unpartitioned);
    }
    if kind == 0 || start == 0 || length == 0 {
        return Err(Unusable::NoPartition { partition });
    }
    // embedded-sdmmc refuses a status that is neither active nor inactive.
    if status & 0x7F != 0 {
        return Err(Unusable::NotFat("its row of the partition table is damaged"));
    }
    if !is_fat(kind) {
        return Err(Unusable::PartitionType { found: kind });
    }
    Ok((start, length))
}

fn is_fat(kind: u8) -> bool {
    matches!(kind, 0x04 | 0x06 | 0x0B | 0x0C | 0x0E)
}

impl Layout {
    /// From the partition's place and its first block.
    pub(crate) fn new(start: u32, length: u32, boot: &Block) -> Result<Self, Unusable> {
        let not = Unusable::NotFat;
        if boot[510..] != SIGNATURE {
            return Err(not("its boot sector has no signature"));
        }
        if u16_at(boot, 11) != 512 {
            return Err(not("its blocks are not of 512 bytes"));
        }
        let blocks_per_cluster = u32::from(boot[13]);
        let reserved = u16_at(boot, 14);
        let fats = u32::from(boot[16]);
        let root_blocks = (u16_at(boot, 17) * 32).div_ceil(512);
        let or = |small: u32, large: u32| if small == 0 { large } else { small };
        let total = or(u16_at(boot, 19), u32_at(boot, 32));
        let fat_blocks = or(u16_at(boot, 22), u32_at(boot, 36));
        if !blocks_per_cluster.is_power_of_two() || reserved == 0 || !(1..=2).contains(&fats) {
            return Err(not("its boot sector is damaged"));
        }
        let before = u64::from(reserved) + u64::from(fats) * u64::from(fat_blocks) + u64::from(root_blocks);
        let Some(data_blocks) = u64::from(total).checked_sub(before) else {
            return Err(not("its boot sector is damaged: the file system has no room for its own tables"));
        };
        let clusters = data_blocks as u32 / blocks_per_cluster;
        // The count alone decides on the kind; the two limits are Microsoft's.
        let kind = match clusters {
            0..4085 => return Err(not("it is FAT12; a card of 16 MB or more can be FAT16 or FAT32")),
            4085..65525 => Kind::Fat16,
            // FAT32 has 28 bits, the last values of which are marks.
            65525..0x0FFF_FFF0 => Kind::Fat32,
            _ => return Err(not("its boot sector is damaged: there can't be so many clusters")),
        };
        let entries = u64::from(fat_blocks) * u64::from(kind.entries_per_block());
        if entries < u64::from(clusters) + 2 {
            return Err(not("its boot sector is damaged: the FAT is too small for the clusters"));
        }
        let Some(end) = start.checked_add(total.min(length)) else {
            return Err(not("it ends beyond the 2 TB that a partition table can say"));
        };
        let info = match kind {
            Kind::Fat16 => None,
            Kind::Fat32 if u16_at(boot, 42) != 0 => return Err(not("its FAT32 is of an unknown version")),
            Kind::Fat32 => match u16_at(boot, 48) {
                info if info == 0 || info >= reserved => return Err(not("it has no FSInfo block")),
                info => Some(start + info),
            },
        };
        let root = u32_at(boot, 44);
        if kind == Kind::Fat32 && !(2..clusters + 2).contains(&root) {
            return Err(not("its boot sector is damaged: the root directory has no place"));
        }
        if u64::from(start) + before >= u64::from(end) {
            return Err(not("its boot sector says more blocks than the partition has"));
        }
        // Both are smaller than `end` now.
        let fat = start + reserved;
        let data = fat + fats * fat_blocks + root_blocks;
        // A partition that is shorter than its file system: the rest is another's.
        let clusters = clusters.min((end - data) / blocks_per_cluster);
        Ok(Layout { kind, fat, fat_blocks, fats, info, data, clusters, blocks_per_cluster, end })
    }

    pub(crate) fn region(&self, block: u32) -> Region {
        match block {
            _ if Some(block) == self.info => Region::Info,
            _ if block < self.fat || block >= self.end => Region::Foreign,
            _ if block < self.fat + self.fat_blocks => Region::Fat,
            _ if block < self.fat + self.fats * self.fat_blocks => Region::FatCopy,
            _ => Region::Contents,
        }
    }

    /// Bytes at the front of a block of the FAT that are entries of clusters (or the two reserved ones). Behind them,
    /// in the last block, is nothing that may be used.
    pub(crate) fn entry_bytes(&self, block: u32) -> usize {
        let first = u64::from(block - self.fat) * u64::from(self.kind.entries_per_block());
        let entries = (u64::from(self.clusters) + 2).saturating_sub(first);
        entries.min(self.kind.entries_per_block().into()) as usize * self.kind.entry_size()
    }

    pub(crate) fn bytes_per_cluster(&self) -> u32 {
        self.blocks_per_cluster * 512
    }

    /// Where a cluster is; `None` for what is no cluster.
    pub(crate) fn blocks_of(&self, cluster: u32) -> Option<core::ops::Range<u32>> {
        self.entry(cluster)?;
        let start = self.data + (cluster - 2) * self.blocks_per_cluster;
        Some(start..start + self.blocks_per_cluster)
    }

    /// Block of the FAT and offset in it of a cluster's entry; `None` for what is no cluster.
    pub(crate) fn entry(&self, cluster: u32) -> Option<(u32, usize)> {
        let known = cluster >= 2 && cluster - 2 < self.clusters;
        let per_block = self.kind.entries_per_block();
        known.then(|| (self.fat + cluster / per_block, (cluster % per_block) as usize * self.kind.entry_size()))
    }
}

impl Kind {
    pub(crate) fn entry_size(self) -> usize {
        match self {
            Kind::Fat16 => 2,
            Kind::Fat32 => 4,
        }
    }

    fn entries_per_block(self) -> u32 {
        512 / self.entry_size() as u32
    }

    /// An entry's value: 0 free, a cluster's number, or a mark.
    pub(crate) fn value(self, entry: &[u8]) -> u32 {
        match (self, entry) {
            (Kind::Fat16, &[a, b]) => u16::from_le_bytes([a, b]).into(),
            // The upper four bits are reserved.
            (Kind::Fat32, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]) & 0x0FFF_FFFF,
            _ => u32::MAX,
        }
    }

    /// Whether a value says that the chain ends, that the cluster is bad, or something else that is no cluster.
    pub(crate) fn is_mark(self, value: u32) -> bool {
        match self {
            Kind::Fat16 => value >= 0xFFF0,
            Kind::Fat32 => value >= 0x0FFF_FFF0,
        }
    }
}
