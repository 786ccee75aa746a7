//! Removing a whole log, however many pieces it has, in an order that a power cut may interrupt at any point.

use super::bytes::{Block, put_u32};
use super::directory::{Item, SLOTS, SlotPlace};
use super::entry::{DELETED, fat};
use super::note::Removal;
use super::release::Release;
use super::volume::FileSystem;
use super::{Goal, Phase, Recorder, Stop};
use crate::recorder::{Damage, Operation};

/// Clusters of a file on FAT, which has less than 4 GiB in clusters of 512 bytes or more.
const MAX_CLUSTERS: u32 = 1 << 23;

impl Recorder {
    /// Begins to remove a log of the folder.
    pub(super) fn remove(&mut self, number: u32) -> Result<Phase, Stop> {
        self.operation = Operation::Remove;
        self.subject = number;
        #[cfg(feature = "mavlink")]
        self.forget_places();
        self.open_folder()?;
        Ok(Phase::FindSubject)
    }

    /// The number of the log that was removed; 0 if there was none.
    pub(crate) fn removed(&self) -> u32 {
        self.subject
    }

    pub(super) fn find_subject(&mut self, block: &Block) -> Result<Phase, Stop> {
        loop {
            match self.next_item(block)? {
                Item::Entry if self.number_of_item() == self.subject => {
                    return Ok(if self.cursor.rewind() { Phase::LongName } else { self.begin_removal() });
                }
                Item::Unused | Item::End => return Ok(self.after_removal()),
                _ => {}
            }
        }
    }

    /// Puts the slots of the long name before the entry out of use, forwards.
    pub(super) fn remove_long_name(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let entry = self.cursor.entry.place;
        if !self.cursor.skip_block_end(&self.volume, &mut self.loaded, block)? || self.cursor.position() == entry {
            return Ok(self.begin_removal());
        }
        let SlotPlace { block: at, slot } = self.cursor.position();
        self.need(at)?;
        let end = if at == entry.block { entry.slot } else { SLOTS };
        for slot in slot..end {
            SlotPlace { block: at, slot }.of_mut(block)[0] = DELETED;
        }
        self.cursor.go_to(end);
        Err(self.save(Phase::LongName))
    }

    /// Removes the log at the cursor.
    fn begin_removal(&mut self) -> Phase {
        #[cfg(feature = "exfat")]
        if self.volume.is_exfat() {
            return Phase::Unset;
        }
        self.begin_walk()
    }

    /// Completes a removal that a power cut interrupted.
    pub(super) fn resume_removal(&mut self, block: &Block) -> Phase {
        self.operation = Operation::Remove;
        self.subject = self.number_of_item();
        #[cfg(feature = "exfat")]
        if self.volume.is_exfat() {
            return Phase::Unset;
        }
        // A short one with all clusters marked, and the entry out of use.
        let entry = self.cursor.entry;
        let slot = entry.place.of(block);
        if slot[0] == DELETED {
            let removal = Removal::read(slot).unwrap_or(Removal { first: 0, count: 0 });
            return self.release_piece(removal, 0, false, true);
        }
        self.begin_walk()
    }

    pub(super) fn begin_walk(&mut self) -> Phase {
        let first = self.cursor.entry.first;
        self.search.walk(first);
        Phase::Walk
    }

    /// Walks once more, after a piece was given back.
    pub(super) fn walk_again(&mut self) -> Phase {
        let phase = self.begin_walk();
        self.search.is_again = true;
        phase
    }

    /// Walks to the last piece of the log: clusters that are linked each to the next number. On exFAT to the end of the
    /// first, and no further than the log's size says.
    pub(super) fn walk(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        if !self.volume.has(self.search.first) {
            // A log without clusters.
            return Ok(self.release_piece(Removal { first: 2, count: 0 }, 0, false, true));
        }
        let is_exfat = self.volume.is_exfat();
        loop {
            let last = self.search.first + self.search.count - 1;
            self.need_link(last)?;
            let next = self.volume.link(block, last);
            if is_exfat && self.search.left >= self.volume.clusters_of(self.cursor.entry.bytes) {
                self.search.want = 0;
                break;
            } else if next == last + 1 && self.volume.has(next) {
                self.search.count += 1;
            } else if self.volume.has(next) && !is_exfat {
                self.search.go_on(next, last);
            } else {
                self.search.want = next;
                break;
            }
            if (self.search.comes_back_to(next) || self.search.left > MAX_CLUSTERS) && !is_exfat {
                return Err(Stop::damaged(Damage::Endless));
            }
        }
        #[cfg(feature = "exfat")]
        if is_exfat {
            return Ok(self.release_chained());
        }
        Ok(Phase::Shrink)
    }

    /// Notes the last piece in the entry, and says that the log is empty.
    pub(super) fn shrink(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let entry = self.cursor.entry;
        self.need(entry.place.block)?;
        let slot = entry.place.of_mut(block);
        if slot[0] == DELETED || fat::cluster(slot, self.volume.kind == FileSystem::Fat16) != entry.first {
            return Err(Stop::Changed);
        }
        let (first, count, prev) = (self.search.first, self.search.count, self.search.at);
        if self.search.is_again && self.release.first == first {
            // What was given back is there again.
            return Err(Stop::Changed);
        }
        match Removal::read(slot) {
            // This is the piece that was noted when the power failed, or what is left of its links.
            Some(noted) if noted.first == first && (count..=self.volume.end() - first).contains(&noted.count) => {
                Ok(self.release_piece(noted, prev, true, prev == 0))
            }
            // That piece isn't linked any more.
            Some(noted) if noted.first != first && self.goal == Goal::Mount && !self.search.is_again => {
                Ok(self.release_piece(noted, 0, false, false))
            }
            _ => {
                put_u32(slot, 28, 0);
                Removal { first, count }.put(slot);
                Err(self.save(Phase::Shrink))
            }
        }
    }

    /// Gives a piece back. `is_linked` tells whether the chain leads to it, from `prev` or, where that is 0, from the
    /// entry.
    fn release_piece(&mut self, piece: Removal, prev: u32, is_linked: bool, is_last: bool) -> Phase {
        let place = self.cursor.entry.place;
        let is_valid = self.volume.has(piece.first) && piece.count <= self.volume.end() - piece.first;
        let end = if is_valid { piece.first + piece.count } else { piece.first };
        self.release = Release {
            prev,
            first: piece.first,
            end,
            is_owned: is_linked,
            hides_entry: is_last,
            place,
            is_removal: true,
            after: if is_last { self.after_removal() } else { Phase::WalkAgain },
            ..Release::NONE
        };
        self.release()
    }

    /// What a removal was for.
    pub(super) fn after_removal(&self) -> Phase {
        match self.goal {
            Goal::Mount => Phase::Folder,
            Goal::Remove => Phase::InfoKnown,
            _ => Phase::ScanAgain,
        }
    }
}
