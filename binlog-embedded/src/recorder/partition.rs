//! Where the file system begins: a partition table of the PC's BIOS (MBR), a GPT, or none.
//!
//! Sources: the UEFI specification 2.10, chapter 5, for both tables.

use super::bytes::{Block, u16_at, u32_at};
use super::{Loaded, Stop};
use crate::recorder::Flaw;
use crate::recorder::Unusable::{self, NotFat};
use binlog::__private::crc;

/// A part of the card, in blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockRange {
    pub(crate) start: u32,
    pub(crate) blocks: u32,
}

/// What the first block of a card says.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum PartitionTable {
    /// The partition is there.
    Partition(BlockRange),
    /// The card has a GPT; its header is in block 1, and a copy in the last block of the card, as the table says.
    Gpt { copy: u32 },
    /// The first block is a file system's boot sector.
    Unpartitioned,
}

const SIGNATURE: [u8; 2] = [0x55, 0xAA];

/// Reads the first block of the card. `partition` is 0 to 3.
pub(crate) fn first_block(first: &Block, partition: u8) -> Result<PartitionTable, Unusable> {
    if first[510..] != SIGNATURE {
        return Err(Unusable::Blank);
    }
    let row = |number: u8| {
        let row = 446 + 16 * usize::from(number & 3);
        (first[row], first[row + 4], u32_at(first, row + 8), u32_at(first, row + 12))
    };
    // The protective partition of a GPT is in any row, and begins with the GPT's header.
    for (status, kind, start, blocks) in (0..4).map(row) {
        if (status & 0x7F, kind, start) == (0, 0xEE, 1) {
            return Ok(PartitionTable::Gpt { copy: blocks });
        }
    }
    let (status, kind, start, blocks) = row(partition);
    if is_boot_sector(first) && (status & 0x7F != 0 || !is_known(kind) || start == 0) {
        return match partition {
            0 => Ok(PartitionTable::Unpartitioned),
            partition => Err(Unusable::NoPartition { partition }),
        };
    }
    if kind == 0 || start == 0 || blocks == 0 {
        return Err(Unusable::NoPartition { partition });
    }
    if status & 0x7F != 0 {
        return Err(NotFat(Flaw::PartitionTable));
    }
    match kind {
        0x01 => Err(NotFat(Flaw::Fat12)),
        kind if !is_known(kind) => Err(Unusable::PartitionType { found: kind }),
        _ => Ok(PartitionTable::Partition(BlockRange { start, blocks })),
    }
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

/// The entries of a GPT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entries {
    /// The first block.
    pub(crate) start: u32,
    /// Bytes of all entries.
    pub(crate) bytes: u32,
    /// Bytes of one.
    pub(crate) size: u32,
    /// Their checksum.
    pub(crate) sum: u32,
}

/// The entries of a GPT, while the checksum of all of them is compared with the header's.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntriesCheck {
    pub(super) entries: Entries,
    /// The block of the header's copy; 0 if that was tried.
    pub(super) copy: u32,
    /// Bytes of the entries that are in `sum`.
    checked: u32,
    /// The checksum so far.
    sum: u32,
}

impl EntriesCheck {
    pub(super) fn new(entries: Entries, copy: u32) -> Self {
        EntriesCheck { entries, copy, checked: 0, sum: crc::START }
    }

    /// Reads the entries, and returns whether they are whole.
    pub(super) fn go_on(&mut self, loaded: &mut Loaded, block: &Block) -> Result<bool, Stop> {
        while self.checked < self.entries.bytes {
            loaded.need(self.entries.block(self.checked))?;
            let bytes = (self.entries.bytes - self.checked).min(512);
            self.sum = crc::update(self.sum, &block[..bytes as usize]);
            self.checked += bytes;
        }
        Ok(!self.sum == self.entries.sum)
    }
}

impl Entries {
    /// The block with a byte of the entries.
    fn block(&self, byte: u32) -> u32 {
        self.start.saturating_add(byte / 512)
    }

    /// The block with the entry of a partition, and its place there.
    pub(super) fn place(&self, partition: u8) -> (u32, usize) {
        let byte = u32::from(partition) * self.size;
        (self.block(byte), (byte % 512) as usize)
    }
}

/// The most entries that are read; a table has 128.
const MAX_ENTRIES: u32 = 1024;

/// From the header of a GPT in block `at`; `None` if it is damaged.
pub(crate) fn gpt_entries(header: &Block, at: u32) -> Option<Entries> {
    // The checksum counts as zeros in itself.
    let before = crc::update(crc::update(crc::START, &header[..16]), &[0; 4]);
    let sum = !crc::update(before, &header[20..92]);
    let (count, size) = (u32_at(header, 80), u32_at(header, 84));
    // A header has 92 bytes, and entries have 128 bytes times a power of two; all other sizes are from the future.
    let is_known = u32_at(header, 12) == 92 && matches!(size, 128 | 256 | 512) && count <= MAX_ENTRIES;
    let is_whole = &header[..8] == b"EFI PART" && sum == u32_at(header, 16) && u32_at(header, 24) == at;
    if !is_known || !is_whole || u32_at(header, 76) != 0 {
        return None;
    }
    Some(Entries { start: u32_at(header, 72), bytes: count * size, size, sum: u32_at(header, 88) })
}

/// From an entry of a GPT.
pub(crate) fn gpt_partition(block: &Block, offset: usize, partition: u8) -> Result<BlockRange, Unusable> {
    // An entry has 128 bytes at least, and begins at a multiple of that.
    let offset = offset % 512 / 128 * 128;
    if block[offset..offset + 16] == [0; 16] {
        return Err(Unusable::NoPartition { partition });
    }
    let (start, last) = (u32_at(block, offset + 32), u32_at(block, offset + 40));
    if u32_at(block, offset + 36) != 0 || u32_at(block, offset + 44) != 0 || start == 0 || last < start {
        return Err(NotFat(Flaw::Gpt));
    }
    Ok(BlockRange { start, blocks: last - start + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(block: &mut Block, at: usize, bytes: &[u8]) {
        block[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// A partition table with one row, of FAT32.
    fn table(row: usize, status: u8, kind: u8, start: u32, blocks: u32) -> Block {
        let mut block = [0; 512];
        put(&mut block, 510, &SIGNATURE);
        let row = 446 + 16 * row;
        (block[row], block[row + 4]) = (status, kind);
        put(&mut block, row + 8, &start.to_le_bytes());
        put(&mut block, row + 12, &blocks.to_le_bytes());
        block
    }

    #[test]
    fn each_row_of_a_table_is_a_partition() {
        for row in 0..4 {
            let block = table(row.into(), 0x80, 0x0C, 2048, 9000);
            assert_eq!(
                first_block(&block, row),
                Ok(PartitionTable::Partition(BlockRange { start: 2048, blocks: 9000 }))
            );
            let other = (row + 1) % 4;
            assert_eq!(first_block(&block, other), Err(Unusable::NoPartition { partition: other }));
        }
        for (start, blocks) in [(0, 9000), (2048, 0)] {
            assert_eq!(first_block(&table(0, 0, 0x0C, start, blocks), 0), Err(Unusable::NoPartition { partition: 0 }));
        }
        assert_eq!(first_block(&table(0, 1, 0x0C, 1, 1), 0), Err(NotFat(Flaw::PartitionTable)));
        assert_eq!(first_block(&table(0, 0, 0x83, 1, 1), 0), Err(Unusable::PartitionType { found: 0x83 }));
        assert_eq!(first_block(&table(0, 0, 0x01, 1, 1), 0), Err(NotFat(Flaw::Fat12)));
        assert_eq!(first_block(&[0; 512], 0), Err(Unusable::Blank));
    }

    /// The place of the table is program code in a boot sector: one unlikely byte says that it is not a table.
    #[test]
    fn a_boot_sector_is_no_table() {
        for (status, kind, start) in [(0x12, 0x0C, 2048), (0, 0x83, 2048), (0, 0x0C, 0)] {
            let mut block = table(0, status, kind, start, 9000);
            put(&mut block, 0, &[0xEB, 0x58, 0x90]);
            put(&mut block, 11, &512_u16.to_le_bytes());
            block[16] = 2;
            assert_eq!(first_block(&block, 0), Ok(PartitionTable::Unpartitioned), "{status:#x}, {kind:#x}, {start}");
        }
    }

    #[test]
    fn each_row_may_be_the_protective_partition_of_a_gpt() {
        for row in 0..4 {
            let mut block = table(row, 0, 0xEE, 1, 9000);
            assert_eq!(first_block(&block, 0), Ok(PartitionTable::Gpt { copy: 9000 }));
            // Beside another partition, which the GPT has, too.
            let other = 446 + 16 * ((row + 1) % 4);
            block[other + 4] = 0x0C;
            put(&mut block, other + 8, &[0, 8, 0, 0, 0, 8, 0, 0]);
            assert_eq!(first_block(&block, 0), Ok(PartitionTable::Gpt { copy: 9000 }));
            // It begins in block 1.
            let block = table(row, 0, 0xEE, 2, 9000);
            assert_ne!(first_block(&block, 0), Ok(PartitionTable::Gpt { copy: 9000 }));
        }
    }

    #[test]
    fn the_header_of_a_gpt_counts_with_its_checksum_only() {
        let mut header = [0; 512];
        put(&mut header, 0, b"EFI PART\0\0\x01\0\x5C");
        for (at, value) in [(24, 1), (72, 2), (80, 128), (84, 128), (88, 0x1234_5678)] {
            put(&mut header, at, &u32::to_le_bytes(value));
        }
        let sealed = |mut header: Block| {
            put(&mut header, 16, &[0; 4]);
            let sum = !crc::update(crc::START, &header[..92]);
            put(&mut header, 16, &sum.to_le_bytes());
            header
        };
        let entries = Entries { start: 2, bytes: 16_384, size: 128, sum: 0x1234_5678 };
        let whole = sealed(header);
        assert_eq!(gpt_entries(&whole, 1), Some(entries));
        assert_eq!(gpt_entries(&whole, 9000), None, "it is another block's");
        for at in 0..92 {
            let mut damaged = whole;
            damaged[at] ^= 1;
            assert_eq!(gpt_entries(&damaged, 1), None, "{at}");
        }
        // Its length, entries beyond 2 TB, their number and size.
        for (at, value) in [(12, 91), (12, 93), (76, 1), (80, u32::MAX), (80, 1025), (84, 0), (84, 64)] {
            let mut other = header;
            put(&mut other, at, &u32::to_le_bytes(value));
            assert_eq!(gpt_entries(&sealed(other), 1), None, "{at}: {value}");
        }
    }

    #[test]
    fn each_entry_of_a_gpt_is_a_partition() {
        let mut block = [0; 512];
        for entry in 0..4_u32 {
            let at = entry as usize * 128;
            block[at] = 1;
            put(&mut block, at + 32, &(1000 * (entry + 1)).to_le_bytes());
            put(&mut block, at + 40, &(1000 * (entry + 1) + 499).to_le_bytes());
        }
        for entry in 0..4_u8 {
            let start = 1000 * (u32::from(entry) + 1);
            let found = gpt_partition(&block, usize::from(entry) * 128, entry);
            assert_eq!(found, Ok(BlockRange { start, blocks: 500 }));
        }
        block[128..144].fill(0);
        assert_eq!(gpt_partition(&block, 128, 1), Err(Unusable::NoPartition { partition: 1 }));
        // Blocks beyond 32 bits, and an end before the start.
        for (at, byte) in [(36, 1), (44, 1), (33, 0xFF)] {
            let mut block = block;
            block[at] = byte;
            assert_eq!(gpt_partition(&block, 0, 0), Err(NotFat(Flaw::Gpt)), "{at}");
        }
    }
}
