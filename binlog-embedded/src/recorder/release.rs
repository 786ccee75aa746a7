//! Giving clusters back, in an order that a power cut may interrupt at any point.

use super::bytes::{Block, u32_at};
use super::directory::SlotPlace;
use super::entry::{DELETED, FOLDER, fat};
use super::note::{Note, Purpose};
use super::{OpenFile, Phase, Recorder, Stop};

/// Clusters that are being given back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Release {
    /// The cluster that is linked to the first; 0 if none is.
    pub(super) prev: u32,
    pub(super) first: u32,
    /// The number after the last.
    pub(super) end: u32,
    /// The number after the last cluster that may be marked. Nothing is linked to those from `end` on.
    pub(super) marked_end: u32,
    /// The next cluster that the pass through the FAT comes to.
    pub(super) at: u32,
    /// Counted clusters that the block that is being written frees.
    pub(super) freed: u16,
    /// Whether links from `at` on are the recorder's: the links lead there from a cluster that is.
    pub(super) is_owned: bool,
    /// Whether the entry comes out of use.
    pub(super) hides_entry: bool,
    /// Whether the clusters are a directory's if `prev` is linked to them.
    pub(super) is_growth: bool,
    /// The entry.
    pub(super) place: SlotPlace,
    /// The slot of the note.
    pub(super) note: u8,
    /// Whether a log is being removed, piece by piece, without a note.
    pub(super) is_removal: bool,
    pub(super) after: Phase,
}

impl Release {
    pub(crate) const NONE: Release = Release {
        prev: 0,
        first: 0,
        end: 0,
        marked_end: 0,
        at: 0,
        freed: 0,
        is_owned: false,
        hides_entry: false,
        is_growth: false,
        place: SlotPlace::NONE,
        note: 0,
        is_removal: false,
        after: Phase::Done,
    };
}

impl Recorder {
    /// Begins to give back the clusters of [`Release`].
    pub(super) fn release(&mut self) -> Phase {
        self.release.at = self.release.first;
        self.release.marked_end = self.release.marked_end.max(self.release.end);
        self.after_info = Phase::Probe;
        Phase::InfoUnknown
    }

    /// Completes what the note at the cursor tells of.
    pub(super) fn mend(&mut self, block: &mut Block, after: Phase) -> Result<Phase, Stop> {
        let place = self.cursor.place;
        self.need(place.block)?;
        let Some(note) = Note::read(place.of(block), self.volume.unused()) else { return Ok(after) };
        let entry = SlotPlace { block: place.block, slot: note.slot };
        let end = note.first.saturating_add(note.count);
        let noted = if self.volume.is_exfat() { None } else { Note::size(place.of(block)) };
        let marked_end = noted.map_or(end, |noted| note.first.saturating_add(noted)).max(end);
        self.release =
            Release { first: note.first, end, marked_end, place: entry, note: place.slot, after, ..Release::NONE };
        let is_linked = note.prev == 0 || self.volume.has(note.prev);
        if !self.volume.has(note.first) || marked_end > self.volume.end() || !is_linked {
            // Another volume's.
            (self.release.end, self.release.marked_end) = (note.first, note.first);
            return Ok(Phase::EraseNote);
        }
        if note.purpose == Purpose::Growth {
            (self.release.prev, self.release.is_growth) = (note.prev, true);
            return Ok(self.release());
        }
        #[cfg(feature = "exfat")]
        if self.volume.is_exfat() {
            return self.mend_set(block, note);
        }
        let slot = entry.of(block);
        if slot[0] != DELETED && slot[0] != 0 && fat::identity(slot) == note.identity {
            if slot[11] & FOLDER != 0 {
                return Ok(Phase::EraseNote);
            }
            self.keep(u32_at(slot, 28), note.base, note.prev);
        }
        Ok(self.release())
    }

    /// Takes the clusters that `bytes` bytes need out of the run.
    pub(super) fn keep(&mut self, bytes: u32, base: u32, prev: u32) {
        let release = &mut self.release;
        match self.volume.clusters_of(bytes).checked_sub(base) {
            // The clusters up to the first mark belong to the entry, which nothing was written to.
            Some(0) if base == 0 => (release.is_owned, release.hides_entry) = (true, true),
            Some(0) => release.prev = prev,
            Some(kept) => {
                release.first = release.first.saturating_add(kept).min(release.end);
                release.prev = release.first - 1;
            }
            // Another system shortened the file: only marks are certainly ours.
            None => {}
        }
    }

    /// Finds out whether links lead to the clusters.
    pub(super) fn probe(&mut self, block: &Block) -> Result<Phase, Stop> {
        if self.release.first >= self.release.marked_end && !self.release.hides_entry {
            return Ok(Phase::EraseNote);
        }
        #[cfg(feature = "exfat")]
        if self.volume.is_exfat() {
            return Ok(Phase::SkipFreed);
        }
        if self.release.prev != 0 {
            self.need_link(self.release.prev)?;
            let link = self.volume.link(block, self.release.prev);
            self.release.is_owned = link == self.release.first;
            if self.release.is_growth {
                // The directory has the cluster, or it hasn't; the link is not to be undone.
                self.release.prev = 0;
                if self.release.is_owned {
                    // The copy of the FAT may lack the link.
                    return Err(self.save_table(Phase::EraseNote));
                }
            } else if link == 0 || (self.volume.has(link) && !self.release.is_owned) {
                // Another system's.
                self.release.prev = 0;
            }
        }
        // Without a link to them, all are marked, or not yet; others may have taken the latter.
        Ok(if self.release.is_owned { Phase::MarkLinked } else { Phase::EndChain })
    }

    /// Marks the clusters that are linked to the next.
    pub(super) fn mark_linked(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        while self.release.at < self.release.end {
            self.need_value(self.release.at)?;
            let stop = self.volume.table_next(self.release.at).min(self.release.end);
            let mut is_changed = false;
            for cluster in self.release.at..stop {
                let link = self.volume.link(block, cluster);
                if link == self.volume.mark {
                    continue;
                }
                self.release.is_owned &= link == cluster + 1 || self.is_last(cluster, link);
                if self.release.is_owned {
                    self.volume.set_value(block, cluster, self.volume.mark);
                    is_changed = true;
                }
            }
            self.release.at = stop;
            if is_changed {
                return Err(self.save_table(Phase::MarkLinked));
            }
        }
        self.release.at = self.release.first;
        Ok(Phase::EndChain)
    }

    /// Whether a link ends the chain of a log that is being removed, as a computer may have written it.
    fn is_last(&self, cluster: u32, link: u32) -> bool {
        self.release.is_removal && cluster + 1 == self.release.end && link != 0 && !self.volume.has(link)
    }

    /// Ends the chain that leads to the clusters, in both FATs.
    pub(super) fn end_chain(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        if self.release.prev == 0 {
            return Ok(Phase::HideEntry);
        }
        self.need_link(self.release.prev)?;
        self.volume.set_value(block, self.release.prev, self.volume.mark);
        Err(self.save_table(Phase::HideEntry))
    }

    /// Takes the entry out of use.
    pub(super) fn hide_entry(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        if !self.release.hides_entry {
            return Ok(Phase::FreeMarked);
        }
        self.need(self.release.place.block)?;
        let slot = self.release.place.of_mut(block);
        slot[0] = DELETED;
        Err(self.save(Phase::FreeMarked))
    }

    /// Frees the marked clusters, in both FATs.
    pub(super) fn free_marked(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        self.free += u32::from(core::mem::take(&mut self.release.freed));
        if self.release.at < self.release.marked_end {
            self.need_value(self.release.at)?;
            let stop = self.volume.table_next(self.release.at).min(self.release.marked_end);
            for cluster in self.release.at..stop {
                if self.volume.value(block, cluster) == self.volume.mark {
                    self.volume.set_value(block, cluster, 0);
                    self.release.freed += u16::from(cluster < self.counted);
                }
            }
            self.release.at = stop;
            return Err(self.save_table(Phase::FreeMarked));
        }
        if self.volume.has(self.release.first) && self.release.first < self.release.marked_end {
            self.next_free = self.next_free.min(self.release.first);
        }
        Ok(Phase::EraseNote)
    }

    /// Erases the note, and the entry if it came out of use. A note that is left would free another file's clusters.
    pub(super) fn erase_note(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let Release { place, note, is_removal, hides_entry, after, .. } = self.release;
        if is_removal && !hides_entry {
            // A piece of a log is gone; the rest follows.
            return Ok(after);
        }
        self.need(place.block)?;
        let fill = self.volume.unused();
        for (slot, is_wiped) in [(note, !is_removal), (place.slot, hides_entry)] {
            if is_wiped {
                SlotPlace { slot, ..place }.wipe(block, fill);
            }
        }
        Err(self.save(after))
    }

    /// Ends the open log, of which all is flushed.
    pub(super) fn end_log(&mut self) -> Phase {
        let Some(log) = self.log.take() else { return Phase::Done };
        let OpenFile { first, place, note, .. } = log;
        self.release = Release { first, end: log.end(), place, note, after: Phase::InfoKnown, ..Release::NONE };
        #[cfg(feature = "exfat")]
        if self.volume.is_exfat() && log.bytes == 0 {
            return self.release_taken();
        }
        self.keep(log.bytes, log.base, log.prev);
        self.release()
    }
}
