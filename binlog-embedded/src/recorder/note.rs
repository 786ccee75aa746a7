//! What the recorder writes into unused directory entries, to find after a power cut what it had begun.
//!
//! Blocks are written from their beginning, so a torn write leaves new words before old ones. Each record ends with a
//! checksum, so a torn one doesn't count.

#[cfg(feature = "exfat")]
use super::bytes::Block;
use super::bytes::{SEED, Slot, hash, put_u16, put_u32, u16_at, u32_at};

/// The clusters that a log owns in advance. It stands in an unused slot before the log's entry, in the same block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Note {
    pub(crate) purpose: Purpose,
    /// The slot of the entry in the block, 0 to 15.
    pub(crate) slot: u8,
    /// What is constant in the entry.
    pub(crate) identity: u16,
    /// First cluster of the run.
    pub(crate) first: u32,
    /// Clusters of the run that are marked. It isn't in the checksum, so that it can change: as a single word of the
    /// block, it is never torn.
    pub(crate) count: u32,
    /// Clusters of the file before the run.
    pub(crate) base: u32,
    /// The last cluster before the run; 0 if the run is the first.
    pub(crate) prev: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// A log or a folder, and its run.
    File = 1,
    /// A cluster for a directory. `prev` is the directory's last cluster.
    Growth = 2,
    /// The clusters of an entry that was never in use: all of them are taken on exFAT.
    #[cfg(feature = "exfat")]
    Unused = 3,
}

/// Where the count of the run is.
const COUNT: usize = 8;
/// The bit of it for [`Note::put_taken`]. A log has at most 2²³ clusters.
const TAKEN: u32 = 1 << 31;
/// What [`sign`] writes. The first byte is [`NOTE`](super::entry::exfat::NOTE).
#[cfg(feature = "exfat")]
const SIGNATURE: u32 = 0x5A06_B160;
/// Where the checksum of the run is.
const SUM: usize = 20;
/// Where the file's size is, and a checksum of all before that. On FAT, these are the clusters of the run, with those
/// that aren't marked yet.
const SIZE: usize = 24;
const SIZE_SUM: usize = 28;

impl Note {
    /// Writes the note into a slot. `unused` is the slot's first byte, which says that it isn't in use.
    #[inline(never)]
    pub(crate) fn put(&self, slot: &mut Slot, unused: u8) {
        slot.fill(0);
        (slot[0], slot[1]) = (unused, (self.purpose as u8) << 4 | self.slot);
        put_u16(slot, 2, self.identity.into());
        put_u32(slot, 4, self.first);
        put_u32(slot, COUNT, self.count);
        put_u32(slot, 12, self.base);
        put_u32(slot, 16, self.prev);
        let sum = Note::sum(slot);
        put_u32(slot, SUM, sum);
    }

    #[inline(never)]
    fn sum(slot: &Slot) -> u32 {
        hash(hash(SEED, &slot[..COUNT]), &slot[COUNT + 4..SUM])
    }

    /// Notes how many clusters of the run are marked.
    pub(crate) fn put_count(slot: &mut Slot, count: u32) {
        put_u32(slot, COUNT, count);
    }

    /// Notes how many clusters of the run were taken. exFAT needs it, whose bitmap doesn't say whose a cluster is:
    /// until this is noted, clusters of the run that are in use may be another's; afterwards, those that are free.
    pub(crate) fn put_taken(slot: &mut Slot, count: u32) {
        put_u32(slot, COUNT, count | TAKEN);
    }

    /// Whether the clusters of the run were taken.
    #[cfg(feature = "exfat")]
    pub(crate) fn is_taken(slot: &Slot) -> bool {
        u32_at(slot, COUNT) & TAKEN != 0
    }

    #[inline(never)]
    pub(crate) fn read(slot: &Slot, unused: u8) -> Option<Self> {
        if slot[0] != unused || u32_at(slot, SUM) != Note::sum(slot) {
            return None;
        }
        let purpose = match slot[1] >> 4 {
            1 => Purpose::File,
            2 => Purpose::Growth,
            #[cfg(feature = "exfat")]
            3 => Purpose::Unused,
            _ => return None,
        };
        Some(Note {
            purpose,
            slot: slot[1] & 15,
            identity: u16_at(slot, 2) as u16,
            first: u32_at(slot, 4),
            count: u32_at(slot, COUNT) & !TAKEN,
            base: u32_at(slot, 12),
            prev: u32_at(slot, 16),
        })
    }

    /// Notes the size that the entry is about to get in the same write; on FAT, the clusters of the run.
    #[inline(never)]
    pub(crate) fn put_size(slot: &mut Slot, bytes: u32) {
        put_u32(slot, SIZE, bytes);
        let sum = hash(SEED, &slot[..SIZE_SUM]);
        put_u32(slot, SIZE_SUM, sum);
    }

    #[inline(never)]
    pub(crate) fn size(slot: &Slot) -> Option<u32> {
        (u32_at(slot, SIZE_SUM) == hash(SEED, &slot[..SIZE_SUM])).then(|| u32_at(slot, SIZE))
    }
}

/// Signs the first block of a run on exFAT, which is written before the note: whoever takes the cluster in between
/// writes other contents. The signature is a slot of a directory that isn't in use, because the run may be the
/// folder's.
#[cfg(feature = "exfat")]
pub(crate) fn sign(block: &mut Block) {
    put_u32(block, 0, SIGNATURE);
}

/// Whether nobody wrote to a run since it was [signed](sign).
#[cfg(feature = "exfat")]
pub(crate) fn is_signed(block: &Block) -> bool {
    u32_at(block, 0) == SIGNATURE
}

/// The clusters at the end of a log that is being removed from FAT, in the fields of its entry that hold dates. The
/// entry's size is 0 then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Removal {
    pub(crate) first: u32,
    /// At most 2²⁴ - 1: a file of 4 GiB has 2²³ clusters.
    pub(crate) count: u32,
}

impl Removal {
    pub(crate) fn put(self, entry: &mut Slot) {
        put_u32(entry, 14, self.first);
        entry[13] = self.count as u8;
        put_u16(entry, 18, self.count >> 8);
        let sum = Removal::sum(entry);
        put_u32(entry, 22, sum);
    }

    pub(crate) fn read(entry: &Slot) -> Option<Self> {
        let removal = Removal { first: u32_at(entry, 14), count: u32::from(entry[13]) | u16_at(entry, 18) << 8 };
        (u32_at(entry, 28) == 0 && u32_at(entry, 22) == Removal::sum(entry)).then_some(removal)
    }

    /// Over all that doesn't change when the entry's first byte says that it isn't in use any more.
    #[inline(never)]
    fn sum(entry: &Slot) -> u32 {
        hash(hash(hash(SEED, &entry[1..22]), &entry[26..28]), b"remove")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_note_does_not_count() {
        let old = Note { purpose: Purpose::File, slot: 3, identity: 77, first: 5, count: 600, base: 0, prev: 0 };
        let new = Note { first: 900, base: 600, prev: 604, ..old };
        let (mut a, mut b) = ([0; 32], [0; 32]);
        assert_eq!(Note::read(&a, 0), None);
        old.put(&mut a, 0xE5);
        new.put(&mut b, 0xE5);
        for torn in (0..=32).step_by(4) {
            let mut slot = a;
            slot[..torn].copy_from_slice(&b[..torn]);
            let expected = match torn {
                0..=4 => Some(old),
                24.. => Some(new),
                _ => None,
            };
            assert_eq!(Note::read(&slot, 0xE5), expected, "{torn}");
        }
    }

    #[test]
    fn a_count_changes_by_one_word() {
        let old = Note { purpose: Purpose::File, slot: 3, identity: 77, first: 5, count: 600, base: 0, prev: 0 };
        let mut slot = [0; 32];
        old.put(&mut slot, 0xE5);
        let before = slot;
        Note::put_count(&mut slot, 728);
        assert_eq!(Note::read(&slot, 0xE5), Some(Note { count: 728, ..old }));
        assert!((0..32).filter(|&at| slot[at] != before[at]).all(|at| (8..12).contains(&at)));
    }

    #[cfg(feature = "exfat")]
    #[test]
    fn that_clusters_were_taken_changes_one_word() {
        let old = Note { purpose: Purpose::File, slot: 3, identity: 77, first: 5, count: 600, base: 9, prev: 0 };
        let mut slot = [0; 32];
        old.put(&mut slot, 0x60);
        let before = slot;
        assert!(!Note::is_taken(&slot));
        Note::put_taken(&mut slot, 32);
        assert!(Note::is_taken(&slot));
        assert_eq!(Note::read(&slot, 0x60), Some(Note { count: 32, ..old }));
        assert!((0..32).filter(|&at| slot[at] != before[at]).all(|at| (8..12).contains(&at)));
    }

    #[test]
    fn a_removal_is_read_whether_or_not_the_entry_is_in_use() {
        let mut entry = *b"00000012BIN\x20\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\x07\0\0\0\0\0";
        assert_eq!(Removal::read(&entry), None);
        let removal = Removal { first: 0x0102_0304, count: 0xABCDEF };
        removal.put(&mut entry);
        assert_eq!(Removal::read(&entry), Some(removal));
        entry[0] = 0xE5;
        assert_eq!(Removal::read(&entry), Some(removal));
        assert_eq!(Removal::read(&[0; 32]), None);
    }
}
