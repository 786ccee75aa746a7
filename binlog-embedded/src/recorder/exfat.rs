//! exFAT: what differs because the allocation bitmap doesn't say which file a cluster belongs to.

use super::bytes::{Block, Slot};
use super::directory::{SLOTS, SlotPlace};
use super::entry::FOLDER;
use super::entry::exfat::{self, IN_USE, NOTE, REMOVAL, STREAM};
use super::note::{self, Note, Purpose};
use super::release::Release;
use super::{Phase, Recorder, Stop, bytes};
use core::ops::Range;

impl Recorder {
    /// Completes what a note tells of: the set, torn or not, and the clusters that it doesn't need.
    pub(super) fn mend_set(&mut self, block: &mut Block, note: Note) -> Result<Phase, Stop> {
        if note.purpose == Purpose::Unused {
            return Ok(self.release());
        }
        let size = Note::size(self.cursor.place.of(block));
        let is_taken = Note::is_taken(self.cursor.place.of(block));
        let place = self.release.place;
        let is_note = Note::read(place.of(block), NOTE).is_some();
        let Some(set) = place.set_of(block) else { return Ok(Phase::EraseNote) };
        if is_note || exfat::identity(set) != note.identity {
            // The clusters have a note of their own, or the set is another file's now. Of its clusters nothing is
            // known any more.
            return Ok(Phase::EraseNote);
        }
        if set[0] == NOTE {
            // That note was torn.
            return Ok(self.release_if_taken(is_taken));
        }
        let in_use = [0, 32, 64].map(|slot| set[slot] & IN_USE != 0);
        let is_whole =
            u32::from(exfat::checksum(set)) == bytes::u16_at(set, 2) && in_use.iter().all(|&slot| slot == in_use[0]);
        let bytes = match size {
            _ if is_whole => bytes::u32_at(set, 56),
            // Torn: the note was written before it.
            Some(size) => {
                let date = bytes::u32_at(set, 12);
                exfat::put_in_use(set, size, date);
                return Err(self.save(Phase::Mend));
            }
            None => return Ok(Phase::EraseNote),
        };
        if set[4] & FOLDER != 0 && in_use[0] {
            return Ok(Phase::EraseNote);
        }
        if bytes == 0 {
            return Ok(self.release_if_taken(is_taken));
        }
        self.keep(bytes, note.base, 0);
        // Nothing of the run was used, so it may be taken in part only or not at all, unless that is known.
        let is_doubtful = self.release.first == note.first && !is_taken;
        Ok(if is_doubtful { Phase::Signed } else { self.release() })
    }

    /// Gives back what was taken of a run that has no byte of its log. `is_taken` tells whether it is known that the
    /// clusters were taken.
    fn release_if_taken(&mut self, is_taken: bool) -> Phase {
        if is_taken { self.release_taken() } else { Phase::Signed }
    }

    /// Finds out whether the clusters of the run may have been taken for the log. Else another file may have them.
    pub(super) fn check_signature(&mut self, block: &Block) -> Result<Phase, Stop> {
        self.need(self.volume.block_of(self.release.first))?;
        Ok(if note::is_signed(block) { self.release_taken() } else { Phase::EraseNote })
    }

    /// Gives back what was taken for a log that never got a byte of it.
    pub(super) fn release_taken(&mut self) -> Phase {
        self.release.at = self.release.first;
        Phase::FindTaken
    }

    /// Counts the clusters that were taken for a log that never got a byte of them, from the first one up to one that
    /// is free: clusters after that may be another file's, and so may those right before it in the same word of the
    /// bitmap, because words aren't torn. Notes the count in the word of the log's note that can't be torn, or in place
    /// of the log's set, if that isn't in use.
    pub(super) fn find_taken(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let Release { place, note, .. } = self.release;
        while self.release.at < self.release.end {
            self.need_value(self.release.at)?;
            if self.volume.value(block, self.release.at) == 0 {
                let word = ((self.release.at - 2) & !31) + 2;
                self.release.end = word.max(self.release.first);
            } else {
                self.release.at += 1;
            }
        }
        self.need(place.block)?;
        let Release { first, end, .. } = self.release;
        self.release.marked_end = end;
        if place.of(block)[0] & IN_USE != 0 {
            Note::put_taken(SlotPlace { slot: note, ..place }.of_mut(block), end - first);
            let next = self.release();
            return Err(self.save(next));
        }
        let unused =
            Note { purpose: Purpose::Unused, slot: note, identity: 0, first, count: end - first, base: 0, prev: 0 };
        unused.put(place.of_mut(block), NOTE);
        Err(self.save(Phase::EraseLogNote))
    }

    /// Erases the note of the log; that of its clusters is in place of the set now.
    pub(super) fn erase_log_note(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let Release { place, note, .. } = self.release;
        self.need(place.block)?;
        SlotPlace { slot: note, ..place }.wipe(block, NOTE);
        (self.release.note, self.release.place.slot) = (place.slot, note);
        let next = self.release();
        Err(self.save(next))
    }

    /// Leaves out all clusters up to the last free one: another system freed it, and may have given those before it to
    /// other files.
    pub(super) fn skip_freed(&mut self, block: &Block) -> Result<Phase, Stop> {
        while self.release.at < self.release.end {
            self.need_value(self.release.at)?;
            let stop = self.volume.table_next(self.release.at).min(self.release.end);
            for cluster in self.release.at..stop {
                if self.volume.value(block, cluster) == 0 {
                    self.release.first = cluster + 1;
                }
            }
            self.release.at = stop;
        }
        self.release.at = self.release.first;
        Ok(Phase::FreeMarked)
    }

    /// Puts the set of a log that is removed out of use, and sets its removal flag.
    pub(super) fn unset(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let place = self.cursor.entry.place;
        self.need(place.block)?;
        let file = place.of_mut(block);
        if file[0] & IN_USE != 0 {
            turn_removal_flag(file);
            file[0] &= !IN_USE;
        }
        put_out_of_use(block, place.slot + 1..SLOTS.min(place.slot + exfat::SLOTS as u8));
        Err(self.save(Phase::UnsetRest))
    }

    /// Puts the slots of the set out of use that are in the next block. If the block has none, it is written again:
    /// a card that loses one of its last blocks has the other, and so no log in use with clusters that are free.
    pub(super) fn unset_rest(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let entry = self.cursor.entry;
        self.need(entry.last_block)?;
        self.search.walk(entry.first);
        let next = if entry.is_contiguous || entry.bytes == 0 {
            (self.search.count, self.search.want) = (self.volume.clusters_of(entry.bytes), 0);
            self.release_chained()
        } else {
            Phase::Walk
        };
        put_out_of_use(block, 0..(entry.place.slot + exfat::SLOTS as u8).saturating_sub(SLOTS));
        Err(self.save(next))
    }

    /// Frees the clusters of one piece of a removed log, then looks for the next piece.
    pub(super) fn release_chained(&mut self) -> Phase {
        let (first, count) = (self.search.first, self.search.count);
        let is_valid = self.volume.has(first) && count <= self.volume.end() - first;
        let end = if is_valid { first + count } else { first };
        self.release = Release { first, end, is_removal: true, after: Phase::ClearRemovalFlag, ..Release::NONE };
        self.release()
    }

    /// Continues with the next piece; after the last, clears the removal flag.
    pub(super) fn clear_removal_flag(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let next = self.search.want;
        if self.volume.has(next) {
            self.search.go_on(next, 0);
            self.search.left += 1;
            return Ok(Phase::Walk);
        }
        let place = self.cursor.entry.place;
        self.need(place.block)?;
        turn_removal_flag(place.of_mut(block));
        let next = self.after_removal();
        Err(self.save(next))
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
