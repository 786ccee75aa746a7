//! Making the bytes that were written to the log part of its file.

use super::bytes::Block;
#[cfg(feature = "exfat")]
use super::entry::exfat;
use super::entry::{DELETED, fat};
#[cfg(feature = "exfat")]
use super::note::Note;
use super::{Goal, Phase, Recorder, Stop};
use crate::recorder::Operation;

impl Recorder {
    /// Links the clusters that the size needs, and all others of the run that the same block of the FAT describes: so
    /// most flushes need no block of the FAT.
    pub(super) fn link_ahead(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        self.operation = Operation::Flush;
        let (Some(log), Goal::Sync(bytes)) = (&mut self.log, self.goal) else { return Ok(Phase::Done) };
        let last = log.first + self.volume.clusters_of(bytes).saturating_sub(log.base + 1).min(log.count - 1);
        if self.volume.is_exfat() || log.linked >= last {
            return Ok(Phase::SyncEntry);
        }
        let limit = log.first + log.count_on_card - 1;
        if log.linked == limit {
            return Ok(Phase::NoteRun);
        }
        self.loaded.need(self.volume.link_block(log.linked))?;
        let stop = self.volume.table_next(log.linked).min(limit);
        for cluster in log.linked..stop {
            if self.volume.link(block, cluster) != self.volume.mark {
                return Err(Stop::Changed);
            }
            self.volume.set_value(block, cluster, cluster + 1);
        }
        log.linked = stop;
        Err(self.save_table(Phase::SyncLink))
    }

    /// Writes the size into the entry, and the run into the note.
    pub(super) fn put_size(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let (Some(log), Goal::Sync(bytes)) = (&mut self.log, self.goal) else { return Ok(Phase::Done) };
        self.loaded.need(log.place.block)?;
        log.put_run(&self.volume, block)?;
        #[cfg(feature = "exfat")]
        if self.volume.is_exfat() {
            let set = log.place.set_of(block).filter(|set| exfat::identity(set) == log.identity);
            exfat::put_in_use(set.ok_or(Stop::Changed)?, bytes, self.date);
            Note::put_size(log.note().of_mut(block), bytes);
            return Err(self.save(Phase::Done));
        }
        let slot = log.place.of_mut(block);
        if fat::identity(slot) != log.identity || slot[0] == DELETED {
            return Err(Stop::Changed);
        }
        fat::put_size(slot, bytes, self.date);
        Err(self.save(Phase::Done))
    }
}
