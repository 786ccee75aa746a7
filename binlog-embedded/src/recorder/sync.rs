//! Making the bytes that were written to the log part of its file.

use super::bytes::{Block, put_u16, put_u32};
use super::entry::{DELETED, fat};
use super::note::Note;
use super::release::unused;
use super::{Goal, Log, Phase, Recorder, Stop};
use crate::sd_log::Operation;

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
        let (at, index) = self.volume.link_at(log.linked);
        Stop::unless(self.loaded, at)?;
        let stop = self.volume.table_next(log.linked).min(log.first + log.count - 1);
        for (index, cluster) in (index..).zip(log.linked..stop) {
            if self.volume.link(block, index) != self.volume.mark() {
                return Err(Stop::Changed);
            }
            self.volume.set_value(block, index, cluster + 1);
        }
        log.linked = stop;
        Err(self.save_table(Phase::SyncLink))
    }

    /// Writes the size into the entry.
    pub(super) fn put_size(&mut self, block: &mut Block, date: u32) -> Result<Phase, Stop> {
        let (Some(log), Goal::Sync(bytes)) = (self.log, self.goal) else { return Ok(Phase::Done) };
        self.need(log.place.block)?;
        let is_exfat = self.volume.is_exfat();
        let note = Note::read(log.note().of(block), unused(is_exfat));
        let is_known = note.is_some_and(|note| note.first == log.first && note.identity == log.identity);
        let slot = log.place.of_mut(block);
        #[cfg(feature = "exfat")]
        if is_exfat {
            use super::entry::exfat;
            if !is_known || exfat::identity(slot) != log.identity {
                return Err(Stop::Changed);
            }
            exfat::publish(&mut slot[..32 * exfat::SLOTS], bytes, date);
            Note::put_size(&mut log.note().of_mut(block)[..32], bytes);
        } else {
            put_fat_size(slot, is_known, &log, bytes, date)?;
        }
        #[cfg(not(feature = "exfat"))]
        put_fat_size(slot, is_known, &log, bytes, date)?;
        if let Some(log) = &mut self.log {
            log.bytes = bytes;
        }
        Err(self.save(Phase::Done))
    }
}

fn put_fat_size(slot: &mut [u8], is_known: bool, log: &Log, bytes: u32, date: u32) -> Result<(), Stop> {
    if !is_known || fat::identity(slot) != log.identity || slot[0] == DELETED {
        return Err(Stop::Changed);
    }
    put_u16(slot, 22, date);
    put_u16(slot, 24, date >> 16);
    put_u32(slot, 28, bytes);
    Ok(())
}
