//! Directory entries of logs and folders: one slot of 32 bytes on FAT, a set of three on exFAT.

use super::bytes::{SEED, Slot, hash, put_u16, put_u32, u16_at};
use super::name::Name;

/// Attributes of FAT and exFAT.
pub(crate) const READ_ONLY: u8 = 0x01;
pub(crate) const VOLUME: u8 = 0x08;
pub(crate) const FOLDER: u8 = 0x10;
pub(crate) const ARCHIVE: u8 = 0x20;
pub(crate) const LONG_NAME: u8 = 0x0F;

/// The first byte of a slot that isn't in use any more.
pub(crate) const DELETED: u8 = 0xE5;

pub(crate) mod fat {
    use super::*;

    /// Fills a slot, which stays out of use.
    #[inline(never)]
    pub(crate) fn put(slot: &mut Slot, name: &Name, attributes: u8, cluster: u32, date: u32) {
        slot.fill(0);
        slot[..11].copy_from_slice(&name.0);
        (slot[0], slot[11]) = (DELETED, attributes);
        put_u32(slot, 14, date);
        put_u16(slot, 18, date >> 16);
        put_u16(slot, 20, cluster >> 16);
        put_u32(slot, 22, date);
        put_u16(slot, 26, cluster);
    }

    /// Gives a file its size.
    pub(crate) fn put_size(slot: &mut Slot, bytes: u32, date: u32) {
        put_u16(slot, 22, date);
        put_u16(slot, 24, date >> 16);
        put_u32(slot, 28, bytes);
    }

    pub(crate) fn cluster(slot: &Slot, is_fat16: bool) -> u32 {
        // FAT16 has no upper half: other systems use these bytes for something else.
        let high = if is_fat16 { 0 } else { u16_at(slot, 20) };
        high << 16 | u16_at(slot, 26)
    }

    /// What stays the same in an entry while its file grows and when it is deleted.
    #[inline(never)]
    pub(crate) fn identity(slot: &Slot) -> u16 {
        let sum = hash(hash(hash(SEED, &slot[1..11]), &slot[20..22]), &slot[26..28]);
        (sum ^ sum >> 16) as u16
    }
}

#[cfg(feature = "exfat")]
pub(crate) mod exfat {
    use super::*;

    /// Types of the slots of a set that is in use; otherwise the upper bit is clear.
    pub(crate) const FILE: u8 = 0x85;
    pub(crate) const STREAM: u8 = 0xC0;
    pub(crate) const NAME: u8 = 0xC1;
    pub(crate) const BITMAP: u8 = 0x81;
    pub(crate) const IN_USE: u8 = 0x80;
    /// The type of a note. It isn't in use. Of deleted entries, only a vendor's extension becomes this type, and isn't
    /// a note by its checksum.
    pub(crate) const NOTE: u8 = 0x60;
    /// Slots of a set.
    pub(crate) const SLOTS: usize = 3;
    /// The slots of a log or a folder.
    pub(crate) type Set = [u8; 32 * SLOTS];
    /// What the checksum of a set differs by while its file is being removed.
    pub(crate) const REMOVAL: u16 = 0x5AC3;
    /// The clusters are contiguous, and the FAT has no chain of them.
    pub(crate) const CONTIGUOUS: u8 = 0x02;

    /// Fills the slots of a set, which stays out of use.
    pub(crate) fn put(set: &mut Set, name: &Name, attributes: u8, cluster: u32, date: u32) {
        set.fill(0);
        (set[0], set[32], set[64]) = (FILE & !IN_USE, STREAM & !IN_USE, NAME & !IN_USE);
        (set[1], set[4]) = (SLOTS as u8 - 1, attributes);
        put_u32(set, 8, date);
        put_u32(set, 12, date);
        put_u32(set, 16, date);
        // The allocation is possible, and contiguous.
        set[33] = 0x01 | CONTIGUOUS;
        let mut name_hash = 0u16;
        let mut length = 0usize;
        for (i, &character) in name.0.iter().enumerate().filter(|&(_, &character)| character != b' ') {
            let dot: &[u8] = if i == 8 { b"." } else { b"" };
            for &character in dot.iter().chain(&[character]) {
                // Upper-case ASCII is the same in every up-case table.
                for byte in [character, 0] {
                    name_hash = name_hash.rotate_right(1).wrapping_add(byte.into());
                }
                if let Some(place) = set.get_mut(66 + 2 * length) {
                    *place = character;
                }
                length += 1;
            }
        }
        set[35] = length as u8;
        put_u16(set, 36, name_hash.into());
        put_u32(set, 52, cluster);
        seal(set);
    }

    /// Puts a set in use, with the size of its file.
    #[inline(never)]
    pub(crate) fn put_in_use(set: &mut Set, bytes: u32, date: u32) {
        put_u32(set, 12, date);
        put_u32(set, 40, bytes);
        put_u32(set, 56, bytes);
        for slot in set.as_chunks_mut::<32>().0 {
            slot[0] |= IN_USE;
        }
        seal(set);
    }

    fn seal(set: &mut Set) {
        let sum = checksum(set);
        put_u16(set, 2, sum.into());
    }

    /// The checksum of a set, as if it were in use.
    #[inline(never)]
    pub(crate) fn checksum(set: &Set) -> u16 {
        let [file, rest @ ..] = set.as_chunks().0 else { return 0 };
        rest.iter().fold(add(0, file, true), |sum, slot| add(sum, slot, false))
    }

    /// Adds a slot to the checksum of its set, as if it were in use.
    #[inline(never)]
    pub(crate) fn add(sum: u16, slot: &Slot, is_first: bool) -> u16 {
        slot.iter().enumerate().fold(sum, |sum, (i, &byte)| match i {
            2 | 3 if is_first => sum,
            0 => sum.rotate_right(1).wrapping_add((byte | IN_USE).into()),
            _ => sum.rotate_right(1).wrapping_add(byte.into()),
        })
    }

    #[inline(never)]
    pub(crate) fn identity(set: &Set) -> u16 {
        let sum = hash(hash(SEED, &set[36..38]), &set[52..56]);
        (sum ^ sum >> 16) as u16
    }
}
