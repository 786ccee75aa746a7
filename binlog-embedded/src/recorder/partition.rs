//! Where the file system begins: a partition table of the PC's BIOS (MBR), a GPT, or none.
//!
//! Sources: the UEFI specification 2.10, chapter 5, for both tables.

use super::bytes::{Block, u16_at, u32_at};
use crate::sd_log::Flaw;
use crate::sd_log::Unusable::{self, NotFat};

/// A part of the card, in blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    pub(crate) start: u32,
    pub(crate) blocks: u32,
}

/// What the first block of a card says.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Table {
    /// The partition is there.
    Partition(Extent),
    /// The card has a GPT; its header is in block 1.
    Gpt,
    /// The first block is a file system's boot sector.
    Unpartitioned,
}

const SIGNATURE: [u8; 2] = [0x55, 0xAA];

/// Reads the first block of the card. `partition` is 0 to 3.
pub(crate) fn first_block(first: &Block, partition: u8) -> Result<Table, Unusable> {
    if first[510..] != SIGNATURE {
        return Err(Unusable::Blank);
    }
    let row = 446 + 16 * usize::from(partition & 3);
    let (status, kind) = (first[row], first[row + 4]);
    let (start, blocks) = (u32_at(first, row + 8), u32_at(first, row + 12));
    // The protective partition of a GPT is the first.
    if first[446 + 4] == 0xEE {
        return Ok(Table::Gpt);
    }
    if is_boot_sector(first) && (status & 0x7F != 0 || !is_known(kind) || start == 0) {
        return match partition {
            0 => Ok(Table::Unpartitioned),
            partition => Err(Unusable::NoPartition { partition }),
        };
    }
    if kind == 0 || start == 0 || blocks == 0 {
        return Err(Unusable::NoPartition { partition });
    }
    if status & 0x7F != 0 {
        return Err(NotFat(Flaw::PartitionTable));
    }
    if !is_known(kind) {
        return Err(Unusable::PartitionType { found: kind });
    }
    Ok(Table::Partition(Extent { start, blocks }))
}

/// Whether a block begins as the boot sectors of FAT and exFAT do. The code of a boot manager may begin with the same
/// jump, but has no sector size in its place.
fn is_boot_sector(block: &Block) -> bool {
    let sector = u16_at(block, 11);
    matches!(block[0], 0xEB | 0xE9)
        && (&block[3..11] == b"EXFAT   " || (matches!(sector, 512 | 1024 | 2048 | 4096) && block[16] != 0))
}

fn is_known(kind: u8) -> bool {
    matches!(kind, 0x04 | 0x06 | 0x07 | 0x0B | 0x0C | 0x0E)
}

/// From the header of a GPT: the block that holds the entry of a partition, and the entry's offset in it.
pub(crate) fn gpt_entry(header: &Block, partition: u8) -> Result<(u32, usize), Unusable> {
    let bad = NotFat(Flaw::Gpt);
    let size = u32_at(header, 84);
    // Entries have 128 bytes times a power of two; all other sizes are from the future.
    if &header[..8] != b"EFI PART" || u32_at(header, 76) != 0 || !matches!(size, 128 | 256 | 512) {
        return Err(bad);
    }
    if u32::from(partition) >= u32_at(header, 80) {
        return Err(Unusable::NoPartition { partition });
    }
    let offset = u32::from(partition) * size;
    let block = u32_at(header, 72).checked_add(offset / 512).ok_or(bad)?;
    Ok((block, offset as usize % 512))
}

/// From an entry of a GPT.
pub(crate) fn gpt_partition(block: &Block, offset: usize, partition: u8) -> Result<Extent, Unusable> {
    // An entry has 128 bytes at least, and begins at a multiple of that.
    let offset = offset % 512 / 128 * 128;
    if block[offset..offset + 16] == [0; 16] {
        return Err(Unusable::NoPartition { partition });
    }
    let (start, last) = (u32_at(block, offset + 32), u32_at(block, offset + 40));
    if u32_at(block, offset + 36) != 0 || u32_at(block, offset + 44) != 0 || start == 0 || last < start {
        return Err(NotFat(Flaw::Gpt));
    }
    Ok(Extent { start, blocks: last - start + 1 })
}
