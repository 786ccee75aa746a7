//! Giving clusters back, in an order that a power cut may interrupt at any point.

use super::Stop;
use super::bytes::Block;
use super::directory::SlotPlace;
use super::disk::Disk;
use super::entry::DELETED;

/// Clusters that are being given back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Release {
    pub(super) step: ReleaseStep,
    pub(super) owner: Owner,
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
    freed: u16,
    /// Whether links from `at` on are the recorder's: the links lead there from a cluster that is.
    pub(super) is_owned: bool,
    /// Whether the entry comes out of use.
    pub(super) hides_entry: bool,
    /// The entry.
    pub(super) place: SlotPlace,
    /// The slot of the note in the same block, if the owner has one.
    pub(super) note: u8,
}

/// Whose the clusters are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// A log or a folder that had them in advance, as a note says.
    Run,
    /// A directory, if `prev` is linked to them, as a note says.
    Directory,
    /// A log that is being removed from FAT, piece by piece.
    Removed,
    /// A log that is being removed from exFAT: the chain continues with `next` after `seen` clusters.
    #[cfg(feature = "exfat")]
    RemovedChain { next: u32, seen: u32 },
}

/// What is done next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReleaseStep {
    #[cfg(feature = "exfat")]
    CheckSignature,
    #[cfg(feature = "exfat")]
    FindTaken,
    #[cfg(feature = "exfat")]
    EraseLogNote,
    Probe,
    #[cfg(feature = "exfat")]
    SkipFreed,
    MarkLinked,
    EndChain,
    HideEntry,
    FreeMarked,
    EraseNote,
    Done,
}

impl Release {
    /// A run without links to it, whose entry stays.
    pub(super) fn new(first: u32, end: u32, place: SlotPlace) -> Self {
        Release {
            step: ReleaseStep::Probe,
            owner: Owner::Run,
            prev: 0,
            first,
            end,
            marked_end: end,
            at: first,
            freed: 0,
            is_owned: false,
            hides_entry: false,
            place,
            note: 0,
        }
    }

    /// Takes the clusters that the entry needs out of the run.
    #[inline(never)]
    pub(super) fn keep(&mut self, needed: u32, base: u32, prev: u32) {
        match needed.checked_sub(base) {
            // The clusters up to the first mark belong to the entry, which nothing was written to.
            Some(0) if base == 0 => (self.is_owned, self.hides_entry) = (true, true),
            Some(0) => self.prev = prev,
            Some(kept) => {
                self.first = self.first.saturating_add(kept).min(self.end);
                self.prev = self.first - 1;
            }
            // Another system shortened the file: only marks are certainly ours.
            None => {}
        }
    }

    /// Gives the clusters back.
    pub(super) fn go_on(&mut self, disk: &mut Disk, block: &mut Block) -> Result<(), Stop> {
        loop {
            self.step = match self.step {
                #[cfg(feature = "exfat")]
                ReleaseStep::CheckSignature => self.check_signature(disk, block)?,
                #[cfg(feature = "exfat")]
                ReleaseStep::FindTaken => self.find_taken(disk, block)?,
                #[cfg(feature = "exfat")]
                ReleaseStep::EraseLogNote => self.erase_log_note(disk, block)?,
                ReleaseStep::Probe => self.probe(disk, block)?,
                #[cfg(feature = "exfat")]
                ReleaseStep::SkipFreed => self.skip_freed(disk, block)?,
                ReleaseStep::MarkLinked => self.mark_linked(disk, block)?,
                ReleaseStep::EndChain => self.end_chain(disk, block)?,
                ReleaseStep::HideEntry => self.hide_entry(disk, block)?,
                ReleaseStep::FreeMarked => self.free_marked(disk, block)?,
                ReleaseStep::EraseNote => self.erase_note(disk, block)?,
                ReleaseStep::Done => return Ok(()),
            }
        }
    }

    /// Writes the loaded block, then continues with `next`.
    pub(super) fn save(&mut self, next: ReleaseStep) -> Stop {
        self.step = next;
        Stop::Write
    }

    /// Writes the loaded block of the FAT or the bitmap, and the FAT's copy, then continues with `next`.
    fn save_table(&mut self, next: ReleaseStep) -> Stop {
        self.step = next;
        Stop::WriteTable
    }

    /// Finds out whether links lead to the clusters.
    fn probe(&mut self, disk: &mut Disk, block: &mut Block) -> Result<ReleaseStep, Stop> {
        disk.forget_info(block)?;
        if self.first >= self.marked_end && !self.hides_entry {
            return Ok(ReleaseStep::EraseNote);
        }
        self.at = self.first;
        #[cfg(feature = "exfat")]
        if disk.volume.is_exfat() {
            return Ok(ReleaseStep::SkipFreed);
        }
        if self.prev != 0 {
            disk.need_link(self.prev)?;
            let link = disk.volume.link(block, self.prev);
            self.is_owned = link == self.first;
            if self.owner == Owner::Directory {
                // The directory has the cluster, or it hasn't; the link is not to be undone.
                self.prev = 0;
                if self.is_owned {
                    // The copy of the FAT may lack the link.
                    return Err(self.save_table(ReleaseStep::EraseNote));
                }
            } else if link == 0 || (disk.volume.has(link) && !self.is_owned) {
                // Another system's.
                self.prev = 0;
            }
        }
        // Without a link to them, all are marked, or not yet; others may have taken the latter.
        Ok(if self.is_owned { ReleaseStep::MarkLinked } else { ReleaseStep::EndChain })
    }

    /// Marks the clusters that are linked to the next.
    fn mark_linked(&mut self, disk: &mut Disk, block: &mut Block) -> Result<ReleaseStep, Stop> {
        while self.at < self.end {
            disk.need_value(self.at)?;
            let stop = disk.volume.table_next(self.at).min(self.end);
            let mut is_changed = false;
            for cluster in self.at..stop {
                let link = disk.volume.link(block, cluster);
                if link == disk.volume.mark {
                    continue;
                }
                // A computer may have ended the chain of a log that is being removed with another value.
                let is_last =
                    self.owner == Owner::Removed && cluster + 1 == self.end && link != 0 && !disk.volume.has(link);
                self.is_owned &= link == cluster + 1 || is_last;
                if self.is_owned {
                    disk.volume.set_value(block, cluster, disk.volume.mark);
                    is_changed = true;
                }
            }
            self.at = stop;
            if is_changed {
                return Err(self.save_table(ReleaseStep::MarkLinked));
            }
        }
        self.at = self.first;
        Ok(ReleaseStep::EndChain)
    }

    /// Ends the chain that leads to the clusters, in both FATs.
    fn end_chain(&mut self, disk: &mut Disk, block: &mut Block) -> Result<ReleaseStep, Stop> {
        if self.prev == 0 {
            return Ok(ReleaseStep::HideEntry);
        }
        disk.need_link(self.prev)?;
        disk.volume.set_value(block, self.prev, disk.volume.mark);
        Err(self.save_table(ReleaseStep::HideEntry))
    }

    /// Takes the entry out of use.
    fn hide_entry(&mut self, disk: &mut Disk, block: &mut Block) -> Result<ReleaseStep, Stop> {
        if !self.hides_entry {
            return Ok(ReleaseStep::FreeMarked);
        }
        disk.need(self.place.block)?;
        self.place.of_mut(block)[0] = DELETED;
        Err(self.save(ReleaseStep::FreeMarked))
    }

    /// Frees the marked clusters, in both FATs.
    fn free_marked(&mut self, disk: &mut Disk, block: &mut Block) -> Result<ReleaseStep, Stop> {
        disk.free += u32::from(core::mem::take(&mut self.freed));
        if self.at < self.marked_end {
            disk.need_value(self.at)?;
            let stop = disk.volume.table_next(self.at).min(self.marked_end);
            for cluster in self.at..stop {
                if disk.volume.value(block, cluster) == disk.volume.mark {
                    disk.volume.set_value(block, cluster, 0);
                    self.freed += u16::from(cluster < disk.counted);
                }
            }
            self.at = stop;
            return Err(self.save_table(ReleaseStep::FreeMarked));
        }
        if disk.volume.has(self.first) && self.first < self.marked_end {
            disk.next_free = disk.next_free.min(self.first);
        }
        Ok(ReleaseStep::EraseNote)
    }

    /// Erases the note, and the entry if it came out of use. A note that is left would free another file's clusters.
    fn erase_note(&mut self, disk: &mut Disk, block: &mut Block) -> Result<ReleaseStep, Stop> {
        let has_note = matches!(self.owner, Owner::Run | Owner::Directory);
        if !has_note && !self.hides_entry {
            // A piece of a log is gone; the rest follows.
            return Ok(ReleaseStep::Done);
        }
        disk.need(self.place.block)?;
        let fill = disk.volume.unused();
        if has_note {
            SlotPlace { slot: self.note, ..self.place }.wipe(block, fill);
        }
        if self.hides_entry {
            self.place.wipe(block, fill);
        }
        Err(self.save(ReleaseStep::Done))
    }
}
