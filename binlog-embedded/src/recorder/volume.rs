//! Where the parts of a file system are, and reading and changing the entries of its FAT or bitmap.
//!
//! Sources: Microsoft's "FAT32 File System Specification" (fatgen103) and "exFAT file system specification".

use super::bytes::{Block, Slot, put_u16, put_u32, u16_at, u32_at};
use super::entry;
use super::partition::BlockRange;
use crate::recorder::Flaw;
use crate::recorder::Unusable::{self, NotFat};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileSystem {
    Fat16,
    Fat32,
    #[cfg(feature = "exfat")]
    Exfat,
}

/// A file system. Blocks are counted from the card's beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Volume {
    pub(crate) kind: FileSystem,
    /// Blocks of a cluster, as a power of two.
    pub(crate) shift: u8,
    /// Clusters that one block of the allocation table (the FAT, or exFAT's bitmap) describes, as a power of two.
    pub(crate) table_shift: u8,
    /// First block of the FAT in use.
    pub(crate) fat: u32,
    /// Blocks from there to its copy; 0 without a copy.
    pub(crate) mirror: u32,
    /// First block of the allocation table; 0 until exFAT's bitmap is found.
    pub(crate) table: u32,
    /// The value of a cluster that is owned and not linked: the mark in the FAT; on exFAT, a set bit.
    pub(crate) mark: u32,
    /// First block of cluster 2.
    pub(crate) data: u32,
    /// Clusters; their numbers begin at 2.
    pub(crate) clusters: u32,
    /// First cluster of the root directory; 0 on FAT16.
    pub(crate) root: u32,
    /// Blocks of FAT16's root directory, which ends at `data`.
    pub(crate) root_blocks: u32,
    /// FAT32's block of hints; 0 without one.
    pub(crate) info: u32,
    /// The boot sector.
    pub(crate) boot: u32,
    /// The volume's serial number.
    pub(crate) serial: u32,
}

/// An entry of the FAT that no other system writes, and which all take for the end of a chain.
const MARK_16: u32 = 0xFFFB;
const MARK_32: u32 = 0x0FFF_FFFB;

impl Volume {
    pub(crate) const NONE: Volume = Volume {
        kind: FileSystem::Fat16,
        shift: 0,
        table_shift: 0,
        fat: 0,
        mirror: 0,
        table: 0,
        mark: 0,
        data: 0,
        clusters: 0,
        root: 0,
        root_blocks: 0,
        info: 0,
        boot: 0,
        serial: 0,
    };

    /// From the partition and its first block. `card_blocks` is the size of the card.
    pub(crate) fn new(place: BlockRange, card_blocks: u32, boot: &Block) -> Result<Self, Unusable> {
        if boot[510..] != [0x55, 0xAA] {
            return Err(NotFat(Flaw::NoBootSector));
        }
        let Some(end) = place.start.checked_add(place.blocks) else {
            return Err(NotFat(Flaw::BeyondTable));
        };
        let end = end.min(card_blocks);
        if end <= place.start {
            return Err(NotFat(Flaw::BeyondCard));
        }
        let place = BlockRange { start: place.start, blocks: end - place.start };
        match &boot[3..11] {
            #[cfg(feature = "exfat")]
            b"EXFAT   " => Volume::exfat(place, boot),
            #[cfg(not(feature = "exfat"))]
            b"EXFAT   " => Err(NotFat(Flaw::WithoutExfat)),
            b"NTFS    " => Err(NotFat(Flaw::Ntfs)),
            _ => Volume::fat(place, boot),
        }
    }

    fn fat(place: BlockRange, boot: &Block) -> Result<Self, Unusable> {
        let damaged = NotFat(Flaw::BootSector);
        match u16_at(boot, 11) {
            512 => {}
            bytes @ (1024 | 2048 | 4096) => return Err(Unusable::Sectors { bytes: bytes as u16 }),
            _ => return Err(damaged),
        }
        let per_cluster = u32::from(boot[13]);
        let reserved = u16_at(boot, 14);
        let fats = u32::from(boot[16]);
        let root_blocks = (u16_at(boot, 17) * 32).div_ceil(512);
        let or = |small: u32, large: u32| if small == 0 { large } else { small };
        let total = or(u16_at(boot, 19), u32_at(boot, 32));
        let fat_blocks = or(u16_at(boot, 22), u32_at(boot, 36));
        if !per_cluster.is_power_of_two() || reserved == 0 || fats == 0 {
            return Err(damaged);
        }
        if fats > 2 {
            return Err(NotFat(Flaw::Fats));
        }
        let before = fat_blocks.checked_mul(fats).and_then(|blocks| blocks.checked_add(reserved + root_blocks));
        let Some((before, data_blocks)) = before.and_then(|before| Some((before, total.checked_sub(before)?))) else {
            return Err(NotFat(Flaw::Tables));
        };
        let shift = per_cluster.trailing_zeros();
        let clusters = data_blocks >> shift;
        // The count alone decides on the kind; the two limits are Microsoft's.
        let (kind, table_shift, mark) = match clusters {
            0..4085 => return Err(NotFat(Flaw::Fat12)),
            4085..65525 => (FileSystem::Fat16, 8, MARK_16),
            // FAT32 has 28 bits, the last values of which are marks.
            65525..0x0FFF_FFF0 => (FileSystem::Fat32, 7, MARK_32),
            _ => return Err(NotFat(Flaw::Clusters)),
        };
        // Clusters 0 and 1 have entries, too.
        if (clusters + 1) >> table_shift >= fat_blocks {
            return Err(NotFat(Flaw::Clusters));
        }
        if before >= place.blocks {
            return Err(NotFat(Flaw::BeyondPartition));
        }
        let mut volume = Volume {
            kind,
            shift: shift as u8,
            table_shift,
            fat: place.start + reserved,
            table: place.start + reserved,
            mark,
            mirror: if fats == 2 { fat_blocks } else { 0 },
            data: place.start + before,
            // A partition that is shorter than its file system: the rest is another's.
            clusters: clusters.min((place.blocks - before) >> shift),
            root_blocks,
            serial: u32_at(boot, if kind == FileSystem::Fat16 { 39 } else { 67 }),
            boot: place.start,
            ..Volume::NONE
        };
        if kind == FileSystem::Fat16 {
            if root_blocks == 0 {
                return Err(NotFat(Flaw::FewClusters));
            }
            return Ok(volume);
        }
        if u16_at(boot, 42) != 0 {
            return Err(NotFat(Flaw::Version));
        }
        volume.root = u32_at(boot, 44);
        if root_blocks != 0 || !volume.has(volume.root) {
            return Err(NotFat(Flaw::Root));
        }
        // Mirroring may be off; then one FAT is in use, and the other is not to be touched.
        let flags = u16_at(boot, 40);
        if flags & 0x80 != 0 {
            let active = flags & 15;
            if active >= fats {
                return Err(NotFat(Flaw::ActiveFat));
            }
            volume.fat += active * fat_blocks;
            volume.table = volume.fat;
            volume.mirror = 0;
        }
        // A card without it isn't refused: FSInfo has hints only.
        volume.info = match u16_at(boot, 48) {
            info if info == 0 || info >= reserved => 0,
            info => place.start + info,
        };
        Ok(volume)
    }

    #[cfg(feature = "exfat")]
    fn exfat(place: BlockRange, boot: &Block) -> Result<Self, Unusable> {
        let damaged = NotFat(Flaw::BootSector);
        let [sector, shift, fats] = [boot[108], boot[109], boot[110]];
        if sector != 9 {
            return Err(match sector {
                10..=12 => Unusable::Sectors { bytes: 1 << sector },
                _ => damaged,
            });
        }
        if boot[105] != 1 {
            return Err(NotFat(Flaw::Version));
        }
        if fats != 1 {
            return Err(NotFat(Flaw::TexFat));
        }
        let (fat, fat_blocks, data) = (u32_at(boot, 80), u32_at(boot, 84), u32_at(boot, 88));
        let (clusters, root) = (u32_at(boot, 92), u32_at(boot, 96));
        // A cluster has at most 32 MiB.
        if shift > 16 || fat < 24 || data >= place.blocks || clusters == 0 || clusters > 0xFFFF_FFF5 {
            return Err(damaged);
        }
        if fat.checked_add(fat_blocks).is_none_or(|end| end > data) || (clusters + 1) / 128 >= fat_blocks {
            return Err(damaged);
        }
        let volume = Volume {
            kind: FileSystem::Exfat,
            shift,
            table_shift: 12,
            fat: place.start + fat,
            mark: 1,
            data: place.start + data,
            // A partition that is shorter than its file system: the rest is another's.
            clusters: clusters.min((place.blocks - data) >> shift),
            root,
            serial: u32_at(boot, 100),
            boot: place.start,
            ..Volume::NONE
        };
        if volume.has(root) { Ok(volume) } else { Err(damaged) }
    }

    pub(crate) fn is_exfat(&self) -> bool {
        #[cfg(feature = "exfat")]
        return self.kind == FileSystem::Exfat;
        #[cfg(not(feature = "exfat"))]
        false
    }

    /// The first byte of a directory's slot that isn't in use.
    pub(crate) fn unused(&self) -> u8 {
        #[cfg(feature = "exfat")]
        if self.is_exfat() {
            return entry::exfat::NOTE;
        }
        entry::DELETED
    }

    /// Whether a directory's slot isn't in use.
    #[inline(never)]
    pub(crate) fn is_unused(&self, slot: &Slot) -> bool {
        if self.is_exfat() { slot[0] & 0x80 == 0 } else { slot[0] == 0 || slot[0] == entry::DELETED }
    }

    /// Whether a cluster exists.
    pub(crate) fn has(&self, cluster: u32) -> bool {
        cluster >= 2 && cluster - 2 < self.clusters
    }

    /// The number after the last cluster's.
    pub(crate) fn end(&self) -> u32 {
        self.clusters + 2
    }

    /// First block of a cluster that exists.
    pub(crate) fn block_of(&self, cluster: u32) -> u32 {
        self.data + ((cluster - 2) << self.shift)
    }

    pub(crate) fn cluster_blocks(&self) -> u32 {
        1 << self.shift
    }

    /// Clusters that this number of bytes takes.
    #[inline(never)]
    pub(crate) fn clusters_of(&self, bytes: u32) -> u32 {
        self.clusters_of_blocks(bytes.div_ceil(512))
    }

    /// Clusters that this number of blocks takes.
    #[inline(never)]
    pub(crate) fn clusters_of_blocks(&self, blocks: u32) -> u32 {
        blocks.saturating_add(self.cluster_blocks() - 1) >> self.shift
    }

    /// The block of the FAT with a cluster's link.
    #[inline(never)]
    pub(crate) fn link_block(&self, cluster: u32) -> u32 {
        self.fat + (cluster >> if self.is_exfat() { 7 } else { self.table_shift })
    }

    /// Where a cluster's chain continues: a cluster, or anything else at its end. `block` is the block of the link.
    #[inline(never)]
    pub(crate) fn link(&self, block: &Block, cluster: u32) -> u32 {
        let index = cluster as usize;
        match self.kind {
            FileSystem::Fat16 => u16_at(block, index % 256 * 2),
            // The upper four bits are reserved.
            FileSystem::Fat32 => u32_at(block, index % 128 * 4) & 0x0FFF_FFFF,
            #[cfg(feature = "exfat")]
            FileSystem::Exfat => u32_at(block, index % 128 * 4),
        }
    }

    /// The cluster that the table begins with.
    fn table_origin(&self) -> u32 {
        if self.is_exfat() { 2 } else { 0 }
    }

    /// The block of the table with a cluster's value.
    #[inline(never)]
    pub(crate) fn table_block(&self, cluster: u32) -> u32 {
        self.table + ((cluster - self.table_origin()) >> self.table_shift)
    }

    /// The first cluster after `cluster` that is in another block of the table.
    #[inline(never)]
    pub(crate) fn table_next(&self, cluster: u32) -> u32 {
        let (origin, shift) = (self.table_origin(), self.table_shift);
        ((((cluster - origin) >> shift) + 1) << shift) + origin
    }

    /// A cluster's value in the table: 0 if it is free. `block` is the block of the value.
    pub(crate) fn value(&self, block: &Block, cluster: u32) -> u32 {
        match self.kind {
            #[cfg(feature = "exfat")]
            FileSystem::Exfat => {
                let bit = (cluster - 2) as usize;
                u32::from(block[bit / 8 % 512] >> (bit % 8) & 1)
            }
            _ => self.link(block, cluster),
        }
    }

    /// Changes a cluster's value in the table. `block` is the block of the value.
    #[inline(never)]
    pub(crate) fn set_value(&self, block: &mut Block, cluster: u32, value: u32) {
        let index = cluster as usize;
        match self.kind {
            FileSystem::Fat16 => put_u16(block, index % 256 * 2, value),
            FileSystem::Fat32 => {
                let reserved = u32_at(block, index % 128 * 4) & 0xF000_0000;
                put_u32(block, index % 128 * 4, reserved | value);
            }
            #[cfg(feature = "exfat")]
            FileSystem::Exfat => {
                let byte = &mut block[(index - 2) / 8 % 512];
                let bit = 1 << ((index - 2) % 8);
                *byte = if value == 0 { *byte & !bit } else { *byte | bit };
            }
        }
    }
}
