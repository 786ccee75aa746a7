//! What is different on exFAT, whose bitmap doesn't say whose a cluster is.

use super::bytes::Block;
use super::directory::Place;
use super::entry::exfat::{self, IN_USE, NOTE, REMOVAL, SLOTS, STREAM};
use super::entry::{FOLDER, exfat::add};
use super::note::{Note, Purpose};
use super::release::Release;
use super::{Phase, Recorder, Stop, bytes};

impl Recorder {
    /// Completes what a note tells of: the set, torn or not, and the clusters that it doesn't need.
    pub(super) fn mend_set(&mut self, block: &mut Block, note: Note, mut release: Release) -> Result<Phase, Stop> {
        if note.purpose == Purpose::Unused {
            return Ok(self.release(release));
        }
        let size = Note::size(&self.cursor.place.of(block)[..32]);
        let place = release.place;
        let Some(set) = place.of_mut(block).get_mut(..32 * SLOTS) else { return Ok(self.release_none(release)) };
        if Note::read(&set[..32], NOTE).is_some() || exfat::identity(set) != note.identity {
            // The clusters have a note of their own, or the set is another file's now. Of its clusters nothing is
            // known any more.
            return Ok(self.release_none(release));
        }
        if set[0] == NOTE {
            // That note was torn.
            return Ok(self.release_taken(release));
        }
        let in_use = [0, 32, 64].map(|slot| set[slot] & IN_USE != 0);
        let sum = set.chunks_exact(32).fold((0, true), |(sum, is_first), slot| (add(sum, slot, is_first), false)).0;
        let is_whole = u32::from(sum) == bytes::u16_at(set, 2) && in_use.iter().all(|&slot| slot == in_use[0]);
        let bytes = match size {
            _ if is_whole => bytes::u32_at(set, 56),
            // Torn: the note was written before it.
            Some(size) => {
                let date = bytes::u32_at(set, 12);
                exfat::publish(set, size, date);
                self.release.after = release.after;
                return Err(self.save(Phase::Mend));
            }
            None => return Ok(self.release_none(release)),
        };
        if set[4] & FOLDER != 0 && in_use[0] {
            return Ok(self.release_none(release));
        }
        if bytes == 0 {
            return Ok(self.release_taken(release));
        }
        self.keep(bytes, note.base, 0, &mut release);
        Ok(self.release(release))
    }

    /// Gives back what was taken for a log that never got a byte.
    pub(super) fn release_taken(&mut self, release: Release) -> Phase {
        self.release = Release { at: release.first, ..release };
        Phase::Lead
    }

    /// Counts the clusters that were taken for a log that never got a byte, from the first one up to one that is free:
    /// clusters after that may be another file's. Notes them in place of the log's set.
    pub(super) fn find_taken(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let Release { place, note, .. } = self.release;
        while self.release.at < self.release.end {
            let (at, index) = self.volume.table_at(self.release.at);
            self.need(at)?;
            if self.volume.value(block, index) == 0 {
                self.release.end = self.release.at;
            } else {
                self.release.at += 1;
            }
        }
        self.need(place.block)?;
        let Release { first, end, .. } = self.release;
        let unused =
            Note { purpose: Purpose::Unused, slot: note, identity: 0, first, count: end - first, base: 0, prev: 0 };
        unused.put(&mut place.of_mut(block)[..32], NOTE);
        Err(self.save(Phase::LeadWipe))
    }

    /// Wipes the note of the log; that of its clusters is in place of the set now.
    pub(super) fn wipe_first_note(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let Release { place, note, .. } = self.release;
        self.need(place.block)?;
        let slot = &mut Place { slot: note, ..place }.of_mut(block)[..32];
        slot.fill(0);
        slot[0] = NOTE;
        self.release = Release { note: place.slot, place: Place { slot: note, ..place }, ..self.release };
        let next = self.release(self.release);
        Err(self.save(next))
    }

    /// Leaves out all clusters up to the last free one: another system freed it, and may have given those before it to
    /// other files.
    pub(super) fn find_trail(&mut self, block: &Block) -> Result<Phase, Stop> {
        while self.release.at < self.release.end {
            let (at, index) = self.volume.table_at(self.release.at);
            self.need(at)?;
            let stop = self.volume.table_next(self.release.at).min(self.release.end);
            for (index, cluster) in (index..).zip(self.release.at..stop) {
                if self.volume.value(block, index) == 0 {
                    self.release.first = cluster + 1;
                }
            }
            self.release.at = stop;
        }
        self.release.at = self.release.first;
        Ok(Phase::Free)
    }

    /// Puts the set of a log that is removed out of use, with a sign in its checksum.
    pub(super) fn unset(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let place = self.cursor.entry.place;
        self.need(place.block)?;
        let slots = place.of_mut(block);
        if slots[0] & IN_USE != 0 {
            let sum = bytes::u16_at(slots, 2) as u16 ^ REMOVAL;
            bytes::put_u16(slots, 2, sum.into());
            slots[0] &= !IN_USE;
        }
        put_out_of_use(&mut slots[32..], SLOTS - 1);
        Err(self.save(Phase::UnsetRest))
    }

    /// Puts the slots of the set out of use that are in the next block.
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
        if entry.last_block == entry.place.block {
            return Ok(next);
        }
        put_out_of_use(block, SLOTS - usize::from(super::directory::SLOTS - entry.place.slot).min(SLOTS));
        Err(self.save(next))
    }

    /// Frees the clusters of one piece of a removed log, then looks for the next piece.
    pub(super) fn release_chained(&mut self) -> Phase {
        let place = self.cursor.entry.place;
        let (first, count) = (self.search.first, self.search.count);
        let is_valid = self.volume.has(first) && count <= self.volume.end() - first;
        let end = if is_valid { first + count } else { first };
        self.release(Release { first, end, place, note: place.slot, after: Phase::Unsign, ..Release::NONE })
    }

    /// Goes on with the next piece; after the last, takes the sign away.
    pub(super) fn unsign(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let next = self.search.want;
        if self.volume.has(next) {
            self.search.go_on(next, 0);
            self.search.left += 1;
            return Ok(Phase::Walk);
        }
        let place = self.cursor.entry.place;
        self.need(place.block)?;
        let slot = place.of_mut(block);
        let sum = bytes::u16_at(slot, 2) as u16 ^ REMOVAL;
        bytes::put_u16(slot, 2, sum.into());
        let next = self.after_removal();
        Err(self.save(next))
    }
}

/// Puts the first slots out of use, if they belong to a set.
fn put_out_of_use(slots: &mut [u8], count: usize) {
    for slot in slots.chunks_exact_mut(32).take(count) {
        if slot[0] & STREAM == STREAM {
            slot[0] &= !IN_USE;
        }
    }
}
