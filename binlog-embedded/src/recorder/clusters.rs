//! Free clusters: counted and searched for, one block of the FAT or the bitmap after the other.

use super::bytes::Block;
use super::search::{ClusterSearch, PAUSE_AFTER, Run};
use super::{Goal, Recorder, Stop, Task};
use crate::recorder::Fault;

/// Blocks of the FAT that a run may take, which bounds the time to mark it.
const RUN_BLOCKS: u32 = 16;

impl Recorder {
    /// Clusters of the next run, given how many may be taken.
    pub(super) fn wanted(&self, allowed: u32) -> u32 {
        let table = match self.disk.volume.is_exfat() {
            true => 1 << self.disk.volume.table_shift,
            false => RUN_BLOCKS << self.disk.volume.table_shift,
        };
        self.disk.volume.clusters_of(self.options.extent_bytes).min(table).max(1).min(allowed)
    }

    /// Whether only the clusters right after the open log count: a log on exFAT grows in place, and so does one that is
    /// prepared to.
    pub(super) fn is_pinned(&self) -> bool {
        self.goal == Goal::Prepare || (self.goal == Goal::Extend && self.disk.volume.is_exfat())
    }

    /// Begins a search for `want` clusters.
    pub(super) fn search_for(&mut self, want: u32) {
        let (volume, is_pinned) = (&self.disk.volume, self.is_pinned());
        let (at, left) = match (&self.log, self.goal) {
            (Some(log), _) if is_pinned => {
                let end = log.end();
                (end, want.min(volume.end() - end))
            }
            (Some(log), Goal::Extend) if volume.has(log.end()) => (log.end(), volume.clusters),
            _ if volume.has(self.disk.next_free) => (self.disk.next_free, volume.clusters),
            _ => (2, volume.clusters),
        };
        let least = match self.goal {
            #[cfg(feature = "exfat")]
            Goal::Begin if volume.is_exfat() => volume.clusters_of(self.least_bytes).max(1).min(want),
            _ => 1,
        };
        self.task = Task::Search(ClusterSearch::new(at, left, want, least, is_pinned));
    }

    /// After a search for at least `least` clusters.
    pub(super) fn end_search(&mut self, found: Run, least: u32) -> Result<(), Stop> {
        if found.count < least {
            return self.found_too_little();
        }
        self.use_run(found);
        Ok(())
    }

    /// No run is long enough. A preparation is given up, a log on exFAT that can't grow in place is blocked, and
    /// otherwise the card is full.
    fn found_too_little(&mut self) -> Result<(), Stop> {
        if self.goal == Goal::Prepare {
            self.is_blocked = true;
            self.task = Task::Done;
            return Ok(());
        }
        if self.is_pinned() {
            return Err(Stop::Fault(Fault::Blocked));
        }
        // The count may have been wrong.
        (self.disk.free, self.disk.counted, self.disk.is_hint) = (0, self.disk.volume.end(), false);
        if self.goal == Goal::Mount {
            return Err(Stop::Fault(Fault::Full));
        }
        self.task = Task::MakeRoom;
        Ok(())
    }

    /// Takes the run that was found for what it is for.
    fn use_run(&mut self, mut run: Run) {
        let volume = &self.disk.volume;
        let is_for_log = self.goal != Goal::Mount && self.goal != Goal::Prepare && !self.is_growth();
        if is_for_log && !volume.is_exfat() {
            // The first flush is to link clusters of one block of the FAT only.
            let here = volume.table_next(run.first) - run.first;
            if here <= volume.clusters_of(self.options.flush_bytes) && here < 1 << volume.table_shift {
                run = if run.count > 2 * here {
                    Run { first: run.first + here, count: run.count - here }
                } else {
                    Run { count: run.count.min(here), ..run }
                };
            }
        }
        self.disk.next_free = run.end();
        self.task = match self.goal {
            Goal::Prepare => Task::NoteRun { added: run.count },
            _ if !is_for_log => Task::Clear { run, done: 0 },
            #[cfg(feature = "exfat")]
            _ if self.disk.volume.is_exfat() => Task::Sign(run),
            _ => Task::PutNote(run),
        };
    }

    /// Begins to count the free clusters, or continues.
    pub(super) fn begin_count(&mut self) {
        if self.disk.is_hint {
            (self.disk.free, self.disk.counted, self.disk.is_hint) = (0, 2, false);
        }
        self.task = Task::Count;
    }

    pub(super) fn count(&mut self, block: &Block) -> Result<(), Stop> {
        let disk = &mut self.disk;
        while disk.counted < disk.volume.end() {
            disk.need_value(disk.counted)?;
            let end = disk.volume.table_next(disk.counted).min(disk.volume.end());
            let is_free = |&cluster: &u32| disk.volume.value(block, cluster) == 0;
            disk.free += (disk.counted..end).filter(is_free).count() as u32;
            disk.counted = end;
            if end < disk.volume.end() && (end >> disk.volume.table_shift).is_multiple_of(PAUSE_AFTER) {
                return Err(Stop::Pause);
            }
        }
        self.task = if self.goal == Goal::Count { Task::Done } else { Task::MakeRoom };
        Ok(())
    }

    /// Whether a count takes so little that it needn't wait.
    pub(super) fn is_small(&self) -> bool {
        self.disk.volume.clusters >> self.disk.volume.table_shift < 256
    }
}
