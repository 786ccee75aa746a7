//! A pass over a directory, slot by slot.

use super::Stop;
use super::bytes::{Block, Slot, u16_at, u32_at};
use super::disk::Disk;
use super::entry::{self, DELETED, LONG_NAME, VOLUME, fat};
use super::name::Name;
use super::note::{Note, Removal};
use super::volume::{FileSystem, Volume};
use crate::recorder::Damage;

/// Where a directory is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Directory {
    /// The first cluster; 0 for FAT16's root directory.
    pub(crate) cluster: u32,
    /// Clusters, if they are contiguous and the FAT has no chain of them; otherwise 0.
    pub(crate) contiguous: u32,
}

/// Slots of a block.
pub(crate) const SLOTS: u8 = 16;

/// Blocks that a directory has at most: FAT allows 65,536 entries of 32 bytes, exFAT 256 MB (exFAT specification, 7.1).
fn max_blocks(volume: &Volume) -> u32 {
    if volume.is_exfat() { 256 << 11 } else { 4096 }
}

/// A place in a directory: a block of the card, and a slot in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SlotPlace {
    pub(crate) block: u32,
    pub(crate) slot: u8,
}

impl SlotPlace {
    pub(crate) const NONE: SlotPlace = SlotPlace { block: 0, slot: 0 };

    /// The slot.
    pub(crate) fn of(self, block: &Block) -> &Slot {
        &block.as_chunks().0[usize::from(self.slot % SLOTS)]
    }

    pub(crate) fn of_mut(self, block: &mut Block) -> &mut Slot {
        &mut block.as_chunks_mut().0[usize::from(self.slot % SLOTS)]
    }

    /// The slot and all that follow in the block.
    pub(crate) fn rest_of(self, block: &mut Block) -> &mut [u8] {
        &mut block[usize::from(self.slot % SLOTS) * 32..]
    }

    /// The set of an entry of exFAT that begins in the slot; `None` if the block ends before it.
    #[cfg(feature = "exfat")]
    pub(crate) fn set_of(self, block: &mut Block) -> Option<&mut entry::exfat::Set> {
        self.rest_of(block).first_chunk_mut()
    }

    /// Empties the slot, except its first byte.
    #[inline(never)]
    pub(crate) fn wipe(self, block: &mut Block, first: u8) {
        let slot = self.of_mut(block);
        slot.fill(0);
        slot[0] = first;
    }
}

/// An entry of a file or a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) place: SlotPlace,
    /// The block of the last slot of a set, which other systems begin anywhere.
    #[cfg(feature = "exfat")]
    pub(crate) last_block: u32,
    pub(crate) first: u32,
    /// The size; `u32::MAX` for all above.
    pub(crate) bytes: u32,
    /// The bytes that were written; those after them read as zeros. `u32::MAX` for all above.
    #[cfg(feature = "exfat")]
    pub(crate) valid: u32,
    pub(crate) date: u32,
    pub(crate) attributes: u8,
    /// Whether the clusters are contiguous and the FAT has no chain of them.
    pub(crate) is_contiguous: bool,
    pub(crate) name: Name,
}

impl Entry {
    pub(crate) const NONE: Entry = Entry {
        place: SlotPlace::NONE,
        #[cfg(feature = "exfat")]
        last_block: 0,
        first: 0,
        bytes: 0,
        #[cfg(feature = "exfat")]
        valid: u32::MAX,
        date: 0,
        attributes: 0,
        is_contiguous: false,
        name: Name([0; 11]),
    };

    pub(crate) fn is_read_only(&self) -> bool {
        self.attributes & entry::READ_ONLY != 0
    }

    pub(crate) fn is_folder(&self) -> bool {
        self.attributes & entry::FOLDER != 0
    }
}

/// What the cursor came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// Another block, before its slots.
    Block,
    /// A note in the slot at [`Cursor::place`].
    Note,
    /// An entry that is in use: [`Cursor::entry`].
    Entry,
    /// An entry out of use whose clusters are still to be freed: [`Cursor::entry`].
    Removal,
    /// exFAT's entry of the allocation bitmap: [`Cursor::entry`].
    #[cfg(feature = "exfat")]
    Bitmap,
    /// No further slot was ever in use; the next is at [`Cursor::place`].
    Unused,
    /// The directory's last cluster ends here; the cursor's cluster is that one.
    End,
}

/// A place in a directory on the way from its first slot to its last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    pub(crate) entry: Entry,
    pub(crate) place: SlotPlace,
    /// The next slot.
    next: u8,
    /// Whether the block was announced.
    is_entered: bool,
    block: u32,
    /// Blocks of the cluster that are left.
    left: u32,
    pub(crate) cluster: u32,
    contiguous: u32,
    visited: u32,
    /// The first slot of the long name before the entry, the blocks that are left there, and the cluster.
    long: Option<(SlotPlace, u32, u32)>,
    /// Whether the entry was passed that the long name belongs to.
    is_named: bool,
    #[cfg(feature = "exfat")]
    set: Set,
}

/// The set that the cursor is in.
#[cfg(feature = "exfat")]
#[derive(Clone, Copy, Debug)]
struct Set {
    /// Slots that follow.
    left: u8,
    in_use: bool,
    length: u8,
    sum: u16,
    expected: u16,
}

impl Cursor {
    pub(crate) const NONE: Cursor = Cursor {
        entry: Entry::NONE,
        place: SlotPlace::NONE,
        next: 0,
        is_entered: false,
        block: 0,
        left: 0,
        cluster: 0,
        contiguous: 0,
        visited: 0,
        long: None,
        is_named: false,
        #[cfg(feature = "exfat")]
        set: Set { left: 0, in_use: false, length: 0, sum: 0, expected: 0 },
    };

    /// Goes to the beginning of a directory.
    pub(crate) fn open(&mut self, volume: &Volume, directory: Directory) -> Result<(), Stop> {
        (self.cluster, self.contiguous) = (directory.cluster, directory.contiguous);
        (self.next, self.is_entered, self.visited) = (0, false, 0);
        (self.long, self.is_named) = (None, false);
        #[cfg(feature = "exfat")]
        {
            self.set.left = 0;
        }
        if directory.cluster == 0 {
            (self.block, self.left) = (volume.data - volume.root_blocks, volume.root_blocks);
            return Ok(());
        }
        self.enter(volume, directory.cluster)
    }

    fn enter(&mut self, volume: &Volume, cluster: u32) -> Result<(), Stop> {
        if !volume.has(cluster) {
            return Err(Stop::damaged(Damage::Outside));
        }
        (self.cluster, self.block, self.left) = (cluster, volume.block_of(cluster), volume.cluster_blocks());
        Ok(())
    }

    /// Goes to the next cluster; false at the end of the directory.
    fn turn(&mut self, disk: &mut Disk, block: &Block) -> Result<bool, Stop> {
        if self.cluster == 0 || self.contiguous == 1 {
            return Ok(false);
        }
        if self.contiguous > 1 {
            self.contiguous -= 1;
            return self.enter(&disk.volume, self.cluster + 1).map(|()| true);
        }
        disk.need_link(self.cluster)?;
        let next = disk.volume.link(block, self.cluster);
        if !disk.volume.has(next) {
            return Ok(false);
        }
        self.enter(&disk.volume, next).map(|()| true)
    }

    /// Whether the directory, at whose end the cursor is, may have another cluster.
    pub(crate) fn may_grow(&self, volume: &Volume) -> bool {
        self.visited + volume.cluster_blocks() <= max_blocks(volume)
    }

    /// Goes to the next block at the end of one; false at the end of the directory.
    pub(crate) fn skip_block_end(&mut self, disk: &mut Disk, block: &Block) -> Result<bool, Stop> {
        if self.next == SLOTS {
            (self.next, self.is_entered) = (0, false);
            self.block += 1;
            self.left -= 1;
            self.visited += 1;
            if self.visited > max_blocks(&disk.volume) {
                return Err(Stop::damaged(Damage::Endless));
            }
        }
        Ok(self.left > 0 || self.turn(disk, block)?)
    }

    /// Goes to the next item. `block` is the block that is loaded.
    #[inline(never)]
    pub(crate) fn next(&mut self, disk: &mut Disk, block: &Block) -> Result<Item, Stop> {
        loop {
            if !self.skip_block_end(disk, block)? {
                return Ok(Item::End);
            }
            disk.need(self.block)?;
            if !self.is_entered {
                self.is_entered = true;
                self.place = SlotPlace { block: self.block, slot: 0 };
                return Ok(Item::Block);
            }
            self.place = SlotPlace { block: self.block, slot: self.next };
            let slot = self.place.of(block);
            if slot[0] == 0 {
                return Ok(Item::Unused);
            }
            self.next += 1;
            let item = if disk.volume.is_exfat() { self.exfat(slot) } else { self.fat(&disk.volume, slot) };
            if let Some(item) = item {
                return Ok(item);
            }
        }
    }

    fn fat(&mut self, volume: &Volume, slot: &Slot) -> Option<Item> {
        let attributes = slot[11];
        if core::mem::take(&mut self.is_named) {
            self.long = None;
        }
        if slot[0] != DELETED && attributes & 0x3F == LONG_NAME {
            if self.long.is_none() || slot[0] & 0x40 != 0 {
                self.long = Some((self.place, self.left, self.cluster));
            }
            return None;
        }
        let item = match slot[0] {
            DELETED if Note::read(slot, DELETED).is_some() => Some(Item::Note),
            DELETED if Removal::read(slot).is_some() => Some(Item::Removal),
            DELETED => None,
            _ if attributes & VOLUME != 0 => None,
            _ => Some(Item::Entry),
        };
        self.is_named = true;
        self.entry = Entry {
            place: self.place,
            first: fat::cluster(slot, volume.kind == FileSystem::Fat16),
            bytes: u32_at(slot, 28),
            date: u32_at(slot, 22) & 0xFFFF | u16_at(slot, 24) << 16,
            attributes,
            ..Entry::NONE
        };
        self.entry.name.0.copy_from_slice(&slot[..11]);
        item
    }

    /// Goes back to the first slot of the long name of the entry; false if it has none.
    pub(crate) fn rewind(&mut self) -> bool {
        let Some((place, left, cluster)) = self.long.take() else { return false };
        (self.block, self.next, self.left, self.cluster) = (place.block, place.slot, left, cluster);
        self.is_entered = true;
        true
    }

    /// The block that the cursor is in, and the next slot in it.
    pub(crate) fn position(&self) -> SlotPlace {
        SlotPlace { block: self.block, slot: self.next }
    }

    /// Goes to a slot of the block, or to its end.
    pub(crate) fn go_to(&mut self, slot: u8) {
        self.next = slot;
    }

    #[cfg(feature = "exfat")]
    fn exfat(&mut self, slot: &Slot) -> Option<Item> {
        use entry::exfat::{BITMAP, CONTIGUOUS, FILE, IN_USE, NAME, NOTE, REMOVAL, STREAM, add};
        if Note::read(slot, NOTE).is_some() {
            // Also in what is left of another system's set, of which it took a slot.
            self.set.left = 0;
            return Some(Item::Note);
        }
        let kind = slot[0] | IN_USE;
        if kind == FILE {
            self.set = Set {
                left: slot[1],
                in_use: slot[0] & IN_USE != 0,
                length: 0,
                sum: add(0, slot, true),
                expected: u16_at(slot, 2) as u16,
            };
            // Further slots are another system's, and may have clusters of their own.
            let is_ours = usize::from(slot[1]) < entry::exfat::SLOTS;
            let attributes = if is_ours { slot[4] } else { slot[4] | entry::READ_ONLY };
            self.entry = Entry { place: self.place, attributes, date: u32_at(slot, 12), ..Entry::NONE };
            return None;
        }
        if self.set.left > 0 && slot[0] & 0x40 != 0 {
            self.set.left -= 1;
            self.set.sum = add(self.set.sum, slot, false);
            match kind {
                STREAM => {
                    self.entry.first = u32_at(slot, 20);
                    let saturated = |at| if u32_at(slot, at + 4) == 0 { u32_at(slot, at) } else { u32::MAX };
                    (self.entry.bytes, self.entry.valid) = (saturated(24), saturated(8));
                    self.entry.is_contiguous = slot[1] & CONTIGUOUS != 0;
                    self.set.length = slot[3];
                }
                NAME if self.set.length <= 12 => self.entry.name = name_of(&slot[2..26], self.set.length),
                _ => {}
            }
            self.entry.last_block = self.place.block;
            if self.set.left > 0 {
                return None;
            }
            let is_removed = !self.set.in_use && self.set.sum ^ self.set.expected == REMOVAL;
            return match self.set.in_use && self.set.sum == self.set.expected {
                true => Some(Item::Entry),
                false => is_removed.then_some(Item::Removal),
            };
        }
        self.set.left = 0;
        match slot[0] {
            // The other bitmap is that of a second FAT.
            BITMAP if slot[1] & 1 == 0 => {
                self.entry = Entry { first: u32_at(slot, 20), bytes: u32_at(slot, 24), ..Entry::NONE };
                Some(Item::Bitmap)
            }
            _ => None,
        }
    }

    #[cfg(not(feature = "exfat"))]
    fn exfat(&mut self, _slot: &Slot) -> Option<Item> {
        None
    }
}

/// A name of exFAT as FAT would have it; an impossible one where FAT can't have it.
#[cfg(feature = "exfat")]
fn name_of(characters: &[u8], length: u8) -> Name {
    let (mut name, mut at, mut end) = (*b"           ", 0, 8);
    for character in characters.chunks_exact(2).take(length.into()) {
        if character == [b'.', 0] && end == 8 {
            (at, end) = (8, 11);
            continue;
        }
        let Some(place) = name[..end].get_mut(at).filter(|_| character[1] == 0) else { return Name([0; 11]) };
        *place = character[0].to_ascii_uppercase();
        at += 1;
    }
    Name(name)
}
