//! The clusters that the open log owns in advance: marked, added to, and looked for before they are needed.
//!
//! On FAT, a run is marked block by block of the FAT, shortly before the log gets there. A longer run is prepared where
//! the clusters after it are free: then only the note changes, by one word that can't be torn.

use super::bytes::Block;
use super::note::Note;
use super::volume::Volume;
use super::{Goal, OpenFile, Recorder, Stop, Task};

/// Marking stays this many blocks of the FAT ahead, so that a flush links only clusters that the note lists.
const MARKED_AHEAD: u32 = 3;

/// A run is lengthened by this many blocks of the FAT once this many are left.
const PREPARED: u32 = 4;

impl Recorder {
    /// Whether the log may soon need more clusters of its run than are marked; `sooner` blocks of the FAT earlier than
    /// is necessary.
    pub(crate) fn is_marking_due(&self, bytes: u32, sooner: u32) -> bool {
        self.log.as_ref().is_some_and(|log| log.count < log.noted && self.is_near(log, bytes, MARKED_AHEAD + sooner))
    }

    /// Whether the run of the log is to be made longer.
    pub(crate) fn is_preparation_due(&self, bytes: u32) -> bool {
        // On exFAT, another extent takes few blocks. A run that is linked to its end would have to be linked there
        // again.
        let may_grow =
            |log: &OpenFile| log.count == log.noted && log.linked + 1 < log.end() && !self.disk.volume.is_exfat();
        self.log.as_ref().is_some_and(|log| may_grow(log) && !self.is_blocked && self.is_near(log, bytes, PREPARED))
    }

    /// Whether the unused marked clusters fit into `blocks` blocks of the FAT.
    fn is_near(&self, log: &OpenFile, bytes: u32, blocks: u32) -> bool {
        log.base + log.count <= self.disk.volume.clusters_of(bytes) + (blocks << self.disk.volume.table_shift)
    }

    /// Marks the clusters of the run that the next block of the FAT describes, or begins to look for another run.
    pub(super) fn begin_extension(&mut self) {
        let Some(log) = self.log else { return };
        if log.count == log.noted {
            self.folder_scan.begin(log.number);
            self.task = Task::MakeRoom;
            return;
        }
        self.new = OpenFile { count: self.marked_next(log.end(), log.first + log.noted) - log.first, ..log };
        self.task = Task::Mark { at: log.end() };
    }

    /// The number after the last cluster that is marked together with `from`, in a run that ends before `end`.
    pub(super) fn marked_next(&self, from: u32, end: u32) -> u32 {
        // On exFAT all, since the bitmap doesn't say whose a cluster is.
        if self.disk.volume.is_exfat() { end } else { self.disk.volume.table_next(from).min(end) }
    }

    /// Marks the clusters of the new run from `at` on.
    pub(super) fn mark(&mut self, at: u32, block: &mut Block) -> Result<(), Stop> {
        self.disk.forget_info(block)?;
        let end = self.new.end();
        if at < end {
            self.disk.need_value(at)?;
            let stop = self.disk.volume.table_next(at).min(end);
            for cluster in at..stop {
                if self.disk.volume.value(block, cluster) != 0 {
                    return Err(Stop::Changed);
                }
                self.disk.volume.set_value(block, cluster, self.disk.volume.mark);
                self.disk.take_off(cluster);
            }
            self.task = Task::Mark { at: stop };
            return Err(Stop::WriteTable);
        }
        let is_same_run = self.log.as_ref().is_some_and(|log| log.first == self.new.first);
        self.task = match self.goal {
            Goal::Extend if self.disk.volume.is_exfat() => Task::NoteRun { added: 0 },
            // Before the first flush, note the new marks at once; later flushes do it themselves.
            Goal::Extend if is_same_run && self.new.linked == self.new.first => Task::NoteRun { added: 0 },
            Goal::Extend if is_same_run => {
                // Not before the clusters are taken, because nothing asks for them after this.
                self.log = Some(self.new);
                Task::Done
            }
            _ if self.new.prev != 0 => Task::Link,
            _ => Task::ShowEntry,
        };
        Ok(())
    }

    /// Begins to look for free clusters after the run of the log.
    pub(super) fn begin_preparation(&mut self) {
        let allowed = if self.disk.is_counted() { self.disk.free.saturating_sub(self.spare()) } else { 0 };
        match self.wanted(allowed).min(PREPARED << self.disk.volume.table_shift) {
            0 => {}
            want => self.search_for(want),
        }
    }

    /// Writes into the note how many clusters the run has, `added` more than it had, and how many of them are marked.
    pub(super) fn note_run(&mut self, added: u32, block: &mut Block) -> Result<(), Stop> {
        let Some(log) = &self.log else { return self.end_task() };
        self.disk.need(log.place.block)?;
        if self.goal == Goal::Extend {
            self.log = Some(self.new);
        }
        let Some(log) = &mut self.log else { return self.end_task() };
        log.noted += added;
        log.put_run(&self.disk.volume, block)?;
        self.task = if let Goal::Sync(_) = self.goal { Task::SyncLink } else { Task::Done };
        Err(Stop::Write)
    }
}

impl OpenFile {
    /// Puts the run into the note.
    #[inline(never)]
    pub(super) fn put_run(&mut self, volume: &Volume, block: &mut Block) -> Result<(), Stop> {
        let slot = self.note().of_mut(block);
        let note = Note::read(slot, volume.unused());
        if note.is_none_or(|note| note.first != self.first || note.identity != self.identity) {
            return Err(Stop::Changed);
        }
        if volume.is_exfat() {
            Note::put_taken(slot, self.count);
        } else {
            Note::put_count(slot, self.count);
            Note::put_size(slot, self.noted);
        }
        self.count_on_card = self.count;
        Ok(())
    }
}
