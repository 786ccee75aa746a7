//! Making the bytes that were written to the log part of its file.

use super::bytes::Block;
#[cfg(feature = "exfat")]
use super::entry::exfat;
use super::entry::{DELETED, fat};
#[cfg(feature = "exfat")]
use super::note::Note;
use super::{Goal, Recorder, Stop, Task};
use crate::recorder::Operation;

impl Recorder {
    /// Links the clusters that the size needs, and all others of the run that the same block of the FAT describes: so
    /// most flushes need no block of the FAT.
    pub(super) fn link_ahead(&mut self, block: &mut Block) -> Result<(), Stop> {
        self.operation = Operation::Flush;
        let (Some(log), Goal::Sync(bytes)) = (&mut self.log, self.goal) else { return self.end_task() };
        let last = log.first + self.disk.volume.clusters_of(bytes).saturating_sub(log.base + 1).min(log.count - 1);
        if self.disk.volume.is_exfat() || log.linked >= last {
            self.task = Task::SyncEntry;
            return Ok(());
        }
        let limit = log.first + log.count_on_card - 1;
        if log.linked == limit {
            self.task = Task::NoteRun { added: 0 };
            return Ok(());
        }
        self.disk.need_link(log.linked)?;
        let stop = self.disk.volume.table_next(log.linked).min(limit);
        for cluster in log.linked..stop {
            if self.disk.volume.link(block, cluster) != self.disk.volume.mark {
                return Err(Stop::Changed);
            }
            self.disk.volume.set_value(block, cluster, cluster + 1);
        }
        log.linked = stop;
        Err(Stop::WriteTable)
    }

    /// Writes the size into the entry, and the run into the note.
    pub(super) fn put_size(&mut self, block: &mut Block) -> Result<(), Stop> {
        let (Some(log), Goal::Sync(bytes)) = (&mut self.log, self.goal) else { return self.end_task() };
        self.disk.need(log.place.block)?;
        log.put_run(&self.disk.volume, block)?;
        #[cfg(feature = "exfat")]
        if self.disk.volume.is_exfat() {
            let set = log.place.set_of(block).filter(|set| exfat::identity(set) == log.identity);
            exfat::put_in_use(set.ok_or(Stop::Changed)?, bytes, self.date);
            Note::put_size(log.note().of_mut(block), bytes);
            self.task = Task::Done;
            return Err(Stop::Write);
        }
        let slot = log.place.of_mut(block);
        if fat::identity(slot) != log.identity || slot[0] == DELETED {
            return Err(Stop::Changed);
        }
        fat::put_size(slot, bytes, self.date);
        self.task = Task::Done;
        Err(Stop::Write)
    }
}
