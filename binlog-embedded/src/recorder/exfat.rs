//! exFAT: what differs because the allocation bitmap doesn't say which file a cluster belongs to.

use super::bytes::{Block, Slot};
use super::directory::{SLOTS, SlotPlace};
use super::disk::Disk;
use super::entry::FOLDER;
use super::entry::exfat::{self, IN_USE, NOTE, REMOVAL, STREAM};
use super::note::{self, Note, Purpose, Removal};
use super::release::{Owner, Release, ReleaseStep};
use super::{Recorder, Stop, Task, bytes};
use core::ops::Range;

impl Recorder {
    /// Completes what a note tells of: the set, torn or not. Decides with which step its run is given back, and which
    /// of its clusters the set needs.
    pub(super) fn mend_set(&mut self, release: &mut Release, note: &Note, block: &mut Block) -> Result<(), Stop> {
        if note.purpose == Purpose::Unused {
            return Ok(());
        }
        let slot = self.cursor.place.of(block);
        let (size, is_taken) = (Note::size(slot), Note::is_taken(slot));
        let place = release.place;
        let is_note = Note::read(place.of(block), NOTE).is_some();
        // What is done unless it is known whose the clusters are.
        release.step = ReleaseStep::EraseNote;
        let Some(set) = place.set_of(block) else { return Ok(()) };
        if is_note || exfat::identity(set) != note.identity {
            // The clusters have a note of their own, or the set is another file's now. Of its clusters nothing is
            // known any more.
            return Ok(());
        }
        let in_use = set.as_chunks::<32>().0.iter().filter(|slot| slot[0] & IN_USE != 0).count();
        let is_whole =
            u32::from(exfat::checksum(set)) == bytes::u16_at(set, 2) && (in_use == 0 || in_use == exfat::SLOTS);
        let bytes = match size {
            // A note in place of the set was torn.
            _ if set[0] == NOTE => 0,
            _ if is_whole => bytes::u32_at(set, 56),
            // Torn: the note was written before it.
            Some(size) => {
                let date = bytes::u32_at(set, 12);
                exfat::put_in_use(set, size, date);
                // The cursor comes to the note once more.
                self.cursor.go_to(self.cursor.place.slot);
                return Err(Stop::Write);
            }
            None => return Ok(()),
        };
        if set[0] & IN_USE != 0 && set[4] & FOLDER != 0 {
            return Ok(());
        }
        if bytes != 0 {
            release.keep(self.disk.volume.clusters_of(bytes), note.base, 0);
        }
        release.step = if bytes != 0 && (is_taken || release.first != note.first) {
            ReleaseStep::Probe
        } else if is_taken {
            ReleaseStep::FindTaken
        } else {
            // Nothing of the run was used, so it may be taken in part only or not at all.
            ReleaseStep::CheckSignature
        };
        Ok(())
    }

    /// Puts the set of a log that is removed out of use, and sets its removal flag.
    pub(super) fn unset(&mut self, block: &mut Block) -> Result<(), Stop> {
        let place = self.cursor.entry.place;
        self.disk.need(place.block)?;
        let file = place.of_mut(block);
        if file[0] & IN_USE != 0 {
            turn_removal_flag(file);
            file[0] &= !IN_USE;
        }
        put_out_of_use(block, place.slot + 1..SLOTS.min(place.slot + exfat::SLOTS as u8));
        self.task = Task::UnsetRest;
        Err(Stop::Write)
    }

    /// Puts the slots of the set out of use that are in the next block. If the block has none, it is written again:
    /// a card that loses one of its last blocks has the other, and so no log in use with clusters that are free.
    pub(super) fn unset_rest(&mut self, block: &mut Block) -> Result<(), Stop> {
        let entry = &self.cursor.entry;
        self.disk.need(entry.last_block)?;
        put_out_of_use(block, 0..(entry.place.slot + exfat::SLOTS as u8).saturating_sub(SLOTS));
        if entry.is_contiguous || entry.bytes == 0 {
            let piece = Removal { first: entry.first, count: self.disk.volume.clusters_of(entry.bytes) };
            self.release_of_chain(piece, 0, 0);
        } else {
            self.begin_walk(None);
        }
        Err(Stop::Write)
    }

    /// Gives a piece back on exFAT. The chain continues with `next` after `seen` clusters.
    pub(super) fn release_of_chain(&mut self, piece: Removal, next: u32, seen: u32) {
        let mut release = Release::new(piece.first, self.end_of(piece), SlotPlace::NONE);
        release.owner = Owner::RemovedChain { next, seen };
        self.task = Task::Release(release);
    }

    /// After the last piece of a removed log.
    pub(super) fn clear_removal_flag(&mut self, block: &mut Block) -> Result<(), Stop> {
        let place = self.cursor.entry.place;
        self.disk.need(place.block)?;
        turn_removal_flag(place.of_mut(block));
        self.task = Task::Removed;
        Err(Stop::Write)
    }
}

impl Release {
    /// Finds out whether the clusters of the run may have been taken for the log. Else another file may have them.
    pub(super) fn check_signature(&mut self, disk: &mut Disk, block: &Block) -> Result<ReleaseStep, Stop> {
        disk.need(disk.volume.block_of(self.first))?;
        Ok(if note::is_signed(block) { ReleaseStep::FindTaken } else { ReleaseStep::EraseNote })
    }

    /// Counts the clusters that were taken for a log that never got a byte of them, from the first one up to one that
    /// is free: clusters after that may be another file's, and so may those right before it in the same word of the
    /// bitmap, because words aren't torn. Notes the count in the word of the log's note that can't be torn, or in place
    /// of the log's set, if that isn't in use.
    pub(super) fn find_taken(&mut self, disk: &mut Disk, block: &mut Block) -> Result<ReleaseStep, Stop> {
        while self.at < self.end {
            disk.need_value(self.at)?;
            if disk.volume.value(block, self.at) == 0 {
                let word = ((self.at - 2) & !31) + 2;
                self.end = word.max(self.first);
            } else {
                self.at += 1;
            }
        }
        let Release { place, note, first, end, .. } = *self;
        disk.need(place.block)?;
        self.marked_end = end;
        if place.of(block)[0] & IN_USE != 0 {
            Note::put_taken(SlotPlace { slot: note, ..place }.of_mut(block), end - first);
            return Err(self.save(ReleaseStep::Probe));
        }
        let unused =
            Note { purpose: Purpose::Unused, slot: note, identity: 0, first, count: end - first, base: 0, prev: 0 };
        unused.put(place.of_mut(block), NOTE);
        Err(self.save(ReleaseStep::EraseLogNote))
    }

    /// Erases the note of the log; that of its clusters is in place of the set now.
    pub(super) fn erase_log_note(&mut self, disk: &mut Disk, block: &mut Block) -> Result<ReleaseStep, Stop> {
        let Release { place, note, .. } = *self;
        disk.need(place.block)?;
        SlotPlace { slot: note, ..place }.wipe(block, NOTE);
        (self.note, self.place.slot) = (place.slot, note);
        Err(self.save(ReleaseStep::Probe))
    }

    /// Leaves out all clusters up to the last free one: another system freed it, and may have given those before it to
    /// other files.
    pub(super) fn skip_freed(&mut self, disk: &mut Disk, block: &Block) -> Result<ReleaseStep, Stop> {
        while self.at < self.end {
            disk.need_value(self.at)?;
            let stop = disk.volume.table_next(self.at).min(self.end);
            for cluster in self.at..stop {
                if disk.volume.value(block, cluster) == 0 {
                    self.first = cluster + 1;
                }
            }
            self.at = stop;
        }
        self.at = self.first;
        Ok(ReleaseStep::FreeMarked)
    }
}

/// Sets the removal flag of a set, which is a changed checksum, or clears it.
fn turn_removal_flag(file: &mut Slot) {
    let sum = bytes::u16_at(file, 2) ^ u32::from(REMOVAL);
    bytes::put_u16(file, 2, sum);
}

/// Puts slots out of use, if they belong to a set.
fn put_out_of_use(block: &mut Block, slots: Range<u8>) {
    for slot in slots {
        let kind = &mut SlotPlace { block: 0, slot }.of_mut(block)[0];
        if *kind & STREAM == STREAM {
            *kind &= !IN_USE;
        }
    }
}
