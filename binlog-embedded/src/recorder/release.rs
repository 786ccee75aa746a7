//! Giving clusters back, in an order that a power cut may come into anywhere.

use super::bytes::Block;
use super::directory::Place;
use super::entry::{DELETED, FOLDER, fat};
use super::note::{Note, Purpose};
use super::{Log, Phase, Recorder, Stop};

/// Clusters that are being given back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Release {
    /// The cluster that is linked to the first; 0 if none is.
    pub(super) prev: u32,
    pub(super) first: u32,
    /// The number after the last.
    pub(super) end: u32,
    /// The next cluster that the pass through the FAT comes to.
    pub(super) at: u32,
    /// Whether links from `at` on are the recorder's: the links lead there from a cluster that is.
    pub(super) is_owned: bool,
    /// Whether the entry comes out of use.
    pub(super) unpublish: bool,
    /// Whether the clusters are a directory's if `prev` is linked to them.
    pub(super) is_growth: bool,
    /// The entry.
    pub(super) place: Place,
    /// The slot of the note; that of the entry where there is none.
    pub(super) note: u8,
    pub(super) after: Phase,
}

impl Release {
    pub(crate) const NONE: Release = Release {
        prev: 0,
        first: 0,
        end: 0,
        at: 0,
        is_owned: false,
        unpublish: false,
        is_growth: false,
        place: Place::NONE,
        note: 0,
        after: Phase::Done,
    };
}

/// What a slot holds that isn't in use.
pub(super) const fn unused(is_exfat: bool) -> u8 {
    #[cfg(feature = "exfat")]
    if is_exfat {
        return super::entry::exfat::NOTE;
    }
    let _ = is_exfat;
    DELETED
}

impl Recorder {
    /// Begins to give back `first` to `end`, which `prev` is linked to.
    pub(super) fn release(&mut self, release: Release) -> Phase {
        self.release = Release { at: release.first, ..release };
        self.after_info = Phase::Probe;
        Phase::InfoUnknown
    }

    /// Completes what the note at the cursor tells of.
    pub(super) fn mend(&mut self, block: &mut Block, after: Phase) -> Result<Phase, Stop> {
        let place = self.cursor.place;
        self.need(place.block)?;
        let Some(note) = Note::read(place.of(block), unused(self.volume.is_exfat())) else { return Ok(after) };
        let entry = Place { block: place.block, slot: note.slot };
        let end = note.first.saturating_add(note.count);
        let mut release = Release { first: note.first, end, place: entry, note: place.slot, after, ..Release::NONE };
        if !self.volume.has(note.first) || note.count > self.volume.clusters || end > self.volume.end() {
            // Another volume's.
            release.end = note.first;
            return Ok(self.release_none(release));
        }
        if note.purpose == Purpose::Growth {
            (release.prev, release.is_growth) = (note.prev, true);
            return Ok(self.release(release));
        }
        #[cfg(feature = "exfat")]
        if self.volume.is_exfat() {
            return self.mend_set(block, note, release);
        }
        let slot = entry.of(block);
        let is_same = slot[0] != DELETED && slot[0] != 0 && fat::identity(slot) == note.identity;
        if is_same && slot[11] & FOLDER != 0 {
            return Ok(self.release_none(release));
        }
        if is_same {
            self.keep(super::bytes::u32_at(slot, 28), note.base, note.prev, &mut release);
        }
        Ok(self.release(release))
    }

    /// Leaves out of a run what so many bytes need.
    pub(super) fn keep(&self, bytes: u32, base: u32, prev: u32, release: &mut Release) {
        let total = self.volume.clusters_of(bytes);
        match total.checked_sub(base) {
            // The clusters up to the first mark belong to the entry, which nothing was written to.
            Some(0) if base == 0 => (release.is_owned, release.unpublish) = (true, true),
            Some(0) => release.prev = prev,
            Some(kept) => {
                release.first = release.first.saturating_add(kept).min(release.end);
                release.prev = release.first - 1;
            }
            // Another system shortened the file: only marks are certainly ours.
            None => {}
        }
    }

    /// Wipes the note, and gives nothing back.
    pub(super) fn release_none(&mut self, release: Release) -> Phase {
        self.release = release;
        Phase::Wipe
    }

    /// Finds out whether links lead to the clusters.
    pub(super) fn probe(&mut self, block: &Block) -> Result<Phase, Stop> {
        if self.release.first >= self.release.end && !self.release.unpublish {
            return Ok(Phase::Wipe);
        }
        #[cfg(feature = "exfat")]
        if self.volume.is_exfat() {
            return Ok(Phase::Trail);
        }
        if self.release.prev != 0 {
            let (at, index) = self.volume.link_at(self.release.prev);
            self.need(at)?;
            let link = self.volume.link(block, index);
            self.release.is_owned = link == self.release.first;
            if self.release.is_growth {
                // The directory has the cluster, or it hasn't; the link is not to be undone.
                self.release.prev = 0;
                if self.release.is_owned {
                    return Ok(Phase::Wipe);
                }
            } else if link == 0 || (self.volume.has(link) && !self.release.is_owned) {
                // Another system's.
                self.release.prev = 0;
            }
        }
        // Without a link to them, all are marked, or not yet; others may have taken the latter.
        Ok(if self.release.is_owned { Phase::Cut } else { Phase::Unlink })
    }

    /// Marks the clusters that are linked to the next.
    pub(super) fn cut(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        while self.release.at < self.release.end {
            let (at, index) = self.volume.table_at(self.release.at);
            self.need(at)?;
            let stop = self.volume.table_next(self.release.at).min(self.release.end);
            let mut is_changed = false;
            for (index, cluster) in (index..).zip(self.release.at..stop) {
                let link = self.volume.link(block, index);
                if link == self.volume.mark() {
                    continue;
                }
                self.release.is_owned &= link == cluster + 1 || self.is_last(cluster, link);
                if self.release.is_owned {
                    self.volume.set_value(block, index, self.volume.mark());
                    is_changed = true;
                }
            }
            self.release.at = stop;
            if is_changed {
                return Err(self.save_table(Phase::Cut));
            }
        }
        self.release.at = self.release.first;
        Ok(Phase::Unlink)
    }

    /// Whether a link ends the chain of a log that is being removed, as a computer may have written it.
    fn is_last(&self, cluster: u32, link: u32) -> bool {
        let is_removal = self.release.note == self.release.place.slot;
        is_removal && cluster + 1 == self.release.end && link != 0 && !self.volume.has(link)
    }

    /// Ends the chain that leads to the clusters, in both FATs.
    pub(super) fn unlink(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        if self.release.prev == 0 {
            return Ok(Phase::Unpublish);
        }
        let (at, index) = self.volume.link_at(self.release.prev);
        self.need(at)?;
        self.volume.set_value(block, index, self.volume.mark());
        Err(self.save_table(Phase::Unpublish))
    }

    /// Takes the entry out of use.
    pub(super) fn unpublish(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        if !self.release.unpublish {
            return Ok(Phase::Free);
        }
        self.need(self.release.place.block)?;
        let slot = self.release.place.of_mut(block);
        slot[0] = DELETED;
        Err(self.save(Phase::Free))
    }

    /// Frees the marked clusters, in both FATs.
    pub(super) fn free_marked(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        if self.release.at < self.release.end {
            let (at, index) = self.volume.table_at(self.release.at);
            self.need(at)?;
            let stop = self.volume.table_next(self.release.at).min(self.release.end);
            for (index, cluster) in (index..).zip(self.release.at..stop) {
                if self.volume.value(block, index) == self.volume.mark() {
                    self.volume.set_value(block, index, 0);
                    self.adjust(cluster, true);
                }
            }
            self.release.at = stop;
            return Err(self.save_table(Phase::Free));
        }
        if self.volume.has(self.release.first) && self.release.first < self.release.end {
            self.next_free = self.next_free.min(self.release.first);
        }
        Ok(Phase::Wipe)
    }

    /// Wipes the note, and the entry if it came out of use. A note that is left would free another file's clusters.
    pub(super) fn wipe(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let Release { place, note, unpublish, after, .. } = self.release;
        let is_removal = note == place.slot;
        if is_removal && !unpublish {
            // A piece of a log is gone; the rest follows.
            return Ok(after);
        }
        self.need(place.block)?;
        let fill = unused(self.volume.is_exfat());
        for (slot, is_wiped) in [(note, true), (place.slot, unpublish)] {
            if is_wiped {
                let slot = &mut Place { slot, ..place }.of_mut(block)[..32];
                slot.fill(0);
                slot[0] = fill;
            }
        }
        Err(self.save(after))
    }

    /// Ends the open log, of which all is flushed.
    pub(super) fn end_log(&mut self) -> Phase {
        let Some(log) = self.log.take() else { return Phase::Done };
        let Log { first, place, note, .. } = log;
        let mut release = Release { first, end: log.end(), place, note, after: Phase::InfoKnown, ..Release::NONE };
        #[cfg(feature = "exfat")]
        if self.volume.is_exfat() && log.bytes == 0 {
            return self.release_taken(release);
        }
        self.keep(log.bytes, log.base, log.prev, &mut release);
        self.release(release)
    }
}
