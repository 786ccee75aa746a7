//! Partition tables.

use super::Geometry;
use crate::ram_card::{Block, RamCard};
use crate::volume::FileSystem;

/// How a card names its partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartitionTable {
    /// It has no partition table: the file system begins in the first block.
    None,
    /// By a row of the first block, 0 to 3.
    Mbr {
        /// Which.
        row: u8,
    },
    /// By the first entry of a GUID partition table.
    Gpt,
}

/// The type of partitions with data for any system, as it is stored.
const BASIC_DATA: [u8; 16] =
    [0xA2, 0xA0, 0xD0, 0xEB, 0xE5, 0xB9, 0x33, 0x44, 0x87, 0xC0, 0x68, 0xB6, 0xB7, 0x26, 0x99, 0xC7];

impl PartitionTable {
    pub(super) fn write(self, card: &RamCard, geometry: &Geometry) {
        let (start, blocks) = (geometry.start, geometry.blocks());
        let kind = match geometry.kind {
            FileSystem::Fat16 => 0x0E,
            FileSystem::Fat32 => 0x0C,
            FileSystem::ExFat => 0x07,
        };
        match self {
            PartitionTable::None => assert_eq!(start, 0),
            PartitionTable::Mbr { row } => card.set_block(0, mbr(row, kind, start, blocks)),
            PartitionTable::Gpt => {
                card.set_block(0, mbr(0, 0xEE, 1, card.blocks() - 1));
                let mut entries = [[0; 512]; 32];
                entries[0][..16].copy_from_slice(&BASIC_DATA);
                entries[0][16..32].copy_from_slice(&[0x11; 16]);
                put64(&mut entries[0], 32, start);
                put64(&mut entries[0], 40, start + blocks - 1);
                let sum = crc32(entries.as_flattened());
                let last = card.blocks() - 1;
                for (header, other, first_entry) in [(1, last, 2), (last, 1, last - 32)] {
                    for (at, block) in (first_entry..).zip(entries) {
                        card.set_block(at, block);
                    }
                    card.set_block(header, gpt_header(header, other, first_entry, last, sum));
                }
            }
        }
    }
}

fn put64(block: &mut Block, at: usize, value: u32) {
    block[at..at + 8].copy_from_slice(&u64::from(value).to_le_bytes());
}

fn mbr(row: u8, kind: u8, start: u32, blocks: u32) -> Block {
    let mut table = [0; 512];
    let at = 446 + 16 * usize::from(row);
    table[at + 4] = kind;
    table[at + 8..at + 12].copy_from_slice(&start.to_le_bytes());
    table[at + 12..at + 16].copy_from_slice(&blocks.to_le_bytes());
    table[510..].copy_from_slice(&[0x55, 0xAA]);
    table
}

/// Source: UEFI specification, "GUID Partition Table (GPT) Disk Layout".
fn gpt_header(at: u32, other: u32, entries: u32, last: u32, entries_sum: u32) -> Block {
    let mut header = [0; 512];
    header[..8].copy_from_slice(b"EFI PART");
    header[8..12].copy_from_slice(&0x0001_0000u32.to_le_bytes());
    header[12..16].copy_from_slice(&92u32.to_le_bytes());
    put64(&mut header, 24, at);
    put64(&mut header, 32, other);
    put64(&mut header, 40, 34);
    put64(&mut header, 48, last - 33);
    header[56..72].copy_from_slice(&[0x22; 16]);
    put64(&mut header, 72, entries);
    header[80..84].copy_from_slice(&128u32.to_le_bytes());
    header[84..88].copy_from_slice(&128u32.to_le_bytes());
    header[88..92].copy_from_slice(&entries_sum.to_le_bytes());
    let sum = crc32(&header[..92]);
    header[16..20].copy_from_slice(&sum.to_le_bytes());
    header
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, &byte: &u8| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| if sum & 1 != 0 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 })
    };
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_is_that_of_the_specification() {
        assert_eq!(super::crc32(b"123456789"), 0xCBF4_3926);
    }
}
