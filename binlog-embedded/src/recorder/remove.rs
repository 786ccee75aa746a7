//! Removing a whole log, however many pieces it has, in an order that a power cut may interrupt at any point.

use super::bytes::{Block, put_u32};
use super::chain::ChainWalk;
use super::directory::{Item, SLOTS, SlotPlace};
use super::entry::{DELETED, fat};
use super::note::Removal;
use super::release::{Owner, Release};
use super::volume::FileSystem;
use super::{Goal, Recorder, Stop, Task};
use crate::recorder::Operation;

impl Recorder {
    /// Begins to remove a log of the folder.
    pub(super) fn remove(&mut self, number: u32) -> Result<(), Stop> {
        self.operation = Operation::Remove;
        self.subject = number;
        #[cfg(feature = "mavlink")]
        self.forget_places();
        self.open_folder()?;
        self.task = Task::FindSubject;
        Ok(())
    }

    /// The number of the log that was removed; 0 if there was none.
    pub(crate) fn removed(&self) -> u32 {
        self.subject
    }

    pub(super) fn find_subject(&mut self, block: &Block) -> Result<(), Stop> {
        match self.next_item(block)? {
            Item::Entry if self.number_of_item() == self.subject => {
                if self.cursor.rewind() {
                    self.task = Task::LongName;
                } else {
                    self.remove_entry();
                }
                Ok(())
            }
            Item::Unused | Item::End => self.after_removal(),
            _ => Ok(()),
        }
    }

    /// Puts the slots of the long name before the entry out of use, forwards.
    pub(super) fn remove_long_name(&mut self, block: &mut Block) -> Result<(), Stop> {
        let entry = self.cursor.entry.place;
        if !self.cursor.skip_block_end(&mut self.disk, block)? || self.cursor.position() == entry {
            self.remove_entry();
            return Ok(());
        }
        let SlotPlace { block: at, slot } = self.cursor.position();
        self.disk.need(at)?;
        let end = if at == entry.block { entry.slot } else { SLOTS };
        for slot in slot..end {
            SlotPlace { block: at, slot }.of_mut(block)[0] = DELETED;
        }
        self.cursor.go_to(end);
        Err(Stop::Write)
    }

    /// Removes the log at the cursor.
    fn remove_entry(&mut self) {
        #[cfg(feature = "exfat")]
        if self.disk.volume.is_exfat() {
            self.task = Task::Unset;
            return;
        }
        self.begin_walk(None);
    }

    /// Walks along the log's chain from its first cluster. `given_back` is the first cluster of the piece that was
    /// given back last.
    pub(super) fn begin_walk(&mut self, given_back: Option<u32>) {
        let first = self.cursor.entry.first;
        if self.disk.volume.has(first) {
            self.task = Task::Walk(ChainWalk::new(first, 0, given_back));
        } else {
            // A log without clusters.
            self.release_piece(Removal { first: 2, count: 0 }, 0, false, true);
        }
    }

    /// Completes a removal that a power cut interrupted.
    pub(super) fn resume_removal(&mut self, block: &Block) {
        self.operation = Operation::Remove;
        self.subject = self.number_of_item();
        let slot = self.cursor.entry.place.of(block);
        if slot[0] == DELETED && !self.disk.volume.is_exfat() {
            // A short one with all clusters marked, and the entry out of use.
            let removal = Removal::read(slot).unwrap_or(Removal { first: 0, count: 0 });
            self.release_piece(removal, 0, false, true);
        } else {
            self.remove_entry();
        }
    }

    /// After a walk to the next piece that is given back, which is linked to `next`.
    pub(super) fn end_walk(&mut self, walk: ChainWalk, next: u32) {
        let piece = Removal { first: walk.first, count: walk.count };
        #[cfg(feature = "exfat")]
        if self.disk.volume.is_exfat() {
            return self.release_of_chain(piece, next, walk.seen);
        }
        // On FAT, that is the end of the chain.
        let _ = next;
        self.task = Task::Shrink { piece, before: walk.before, given_back: walk.given_back };
    }

    /// Notes the last piece in the entry, and says that the log is empty.
    pub(super) fn shrink(
        &mut self,
        piece: Removal,
        before: u32,
        given_back: Option<u32>,
        block: &mut Block,
    ) -> Result<(), Stop> {
        let entry = &self.cursor.entry;
        self.disk.need(entry.place.block)?;
        let slot = entry.place.of_mut(block);
        if slot[0] == DELETED || fat::cluster(slot, self.disk.volume.kind == FileSystem::Fat16) != entry.first {
            return Err(Stop::Changed);
        }
        let Removal { first, count } = piece;
        if given_back == Some(first) {
            // What was given back is there again.
            return Err(Stop::Changed);
        }
        match Removal::read(slot) {
            // This is the piece that was noted when the power failed, or what is left of its links.
            Some(noted) if noted.first == first && (count..=self.disk.volume.end() - first).contains(&noted.count) => {
                self.release_piece(noted, before, true, before == 0);
            }
            // That piece isn't linked any more.
            Some(noted) if noted.first != first && self.goal == Goal::Mount && given_back.is_none() => {
                self.release_piece(noted, 0, false, false);
            }
            _ => {
                put_u32(slot, 28, 0);
                piece.put(slot);
                return Err(Stop::Write);
            }
        }
        Ok(())
    }

    /// Gives a piece back. `is_linked` tells whether the chain leads to it, from `prev` or, where that is 0, from the
    /// entry.
    fn release_piece(&mut self, piece: Removal, prev: u32, is_linked: bool, is_last: bool) {
        let mut release = Release::new(piece.first, self.end_of(piece), self.cursor.entry.place);
        (release.owner, release.prev) = (Owner::Removed, prev);
        (release.is_owned, release.hides_entry) = (is_linked, is_last);
        self.task = Task::Release(release);
    }

    /// The number after a piece's last cluster; none of them is given back if some don't exist.
    pub(super) fn end_of(&self, piece: Removal) -> u32 {
        let is_valid = self.disk.volume.has(piece.first) && piece.count <= self.disk.volume.end() - piece.first;
        if is_valid { piece.first + piece.count } else { piece.first }
    }

    /// A log is removed: continues with what it was removed for.
    pub(super) fn after_removal(&mut self) -> Result<(), Stop> {
        match self.goal {
            Goal::Mount if self.is_in_root => self.task = Task::Root,
            Goal::Mount => self.task = Task::Folder,
            Goal::End | Goal::Remove => self.task = Task::SaveInfo,
            _ => return self.scan_again(),
        }
        Ok(())
    }

    /// Clusters are given back: continues with the rest of the log that they were a piece of, or else with what they
    /// were given back for.
    pub(super) fn after_release(&mut self, owner: Owner, is_last: bool, first: u32) -> Result<(), Stop> {
        match owner {
            Owner::Removed if !is_last => self.begin_walk(Some(first)),
            #[cfg(feature = "exfat")]
            Owner::RemovedChain { next, seen } if self.disk.volume.has(next) => {
                self.task = Task::Walk(ChainWalk::new(next, seen, None));
            }
            #[cfg(feature = "exfat")]
            Owner::RemovedChain { .. } => self.task = Task::ClearRemovalFlag,
            _ => return self.after_removal(),
        }
        Ok(())
    }
}
