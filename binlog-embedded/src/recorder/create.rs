//! Creating a log or its folder, extending a log, and letting a directory grow.

use super::bytes::{Block, put_u32};
use super::directory::{Place, SLOTS};
use super::entry::{ARCHIVE, DELETED, FOLDER, fat};
use super::mount::is_info;
use super::name::Name;
use super::note::{Note, Purpose};
use super::release::unused;
use super::{Goal, Log, Phase, Recorder, Stop};
use crate::sd_log::{Fault, Operation, Options};

/// Blocks of a folder on exFAT, which doesn't grow: 640 logs.
#[cfg(feature = "exfat")]
const EXFAT_FOLDER_BLOCKS: u32 = 128;

impl Recorder {
    /// Clusters that a new folder gets.
    pub(super) fn folder_clusters(&self) -> u32 {
        #[cfg(feature = "exfat")]
        if self.volume.is_exfat() {
            return (EXFAT_FOLDER_BLOCKS >> self.volume.shift).max(1);
        }
        1
    }

    /// Puts the slots that were never in use out of use, because those of the next block are needed.
    pub(super) fn pad(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let Place { block: at, slot } = self.cursor.position();
        if slot < SLOTS {
            self.need(at)?;
            let fill = unused(self.volume.is_exfat());
            for slot in slot..SLOTS {
                Place { block: at, slot }.of_mut(block)[0] = fill;
            }
            return Err(self.save(Phase::Survey));
        }
        Ok(Phase::Survey)
    }

    /// Writes the note of the run that was found, and in front of a new log or folder also the entry, out of use.
    pub(super) fn prepare(&mut self, block: &mut Block, options: &Options, date: u32) -> Result<Phase, Stop> {
        let fill = unused(self.volume.is_exfat());
        let (first, count) = (self.search.first, self.search.count);
        if self.goal == Goal::Extend {
            let Some(log) = self.log else { return Ok(Phase::Done) };
            self.need(log.place.block)?;
            self.new = Log { first, count, base: log.base + log.count, prev: log.end() - 1, linked: first, ..log };
        } else {
            let place = self.survey.entry.unwrap_or(Place::NONE);
            self.need(place.block)?;
            let folder = Name::folder(options.folder).map_err(Stop::Fault)?;
            let (name, attributes) = match (self.survey.number, folder) {
                (0, Some(folder)) => (folder, FOLDER),
                (number, _) => (Name::log(number, self.extension), ARCHIVE),
            };
            self.operation = if self.survey.number == 0 { Operation::OpenFolder } else { Operation::Create };
            let slots = place.of_mut(block);
            let was_used = slots[0] != 0;
            #[cfg(feature = "exfat")]
            let identity = if self.volume.is_exfat() {
                use super::entry::exfat;
                exfat::put(&mut slots[..32 * exfat::SLOTS], &name, attributes, first, date);
                exfat::identity(slots)
            } else {
                fat::put(&mut slots[..32], &name, attributes, first, date);
                fat::identity(slots)
            };
            #[cfg(not(feature = "exfat"))]
            let identity = {
                fat::put(&mut slots[..32], &name, attributes, first, date);
                fat::identity(slots)
            };
            if !was_used {
                // Nothing follows the first slot that was never in use.
                let length = if self.volume.is_exfat() { 96 } else { 32 };
                slots[length..].fill(0);
            }
            self.new = Log {
                number: self.survey.number,
                place,
                note: self.survey.note.slot,
                identity,
                first,
                count,
                linked: first,
                ..Log::NONE
            };
        }
        let Log { place, identity, base, prev, .. } = self.new;
        let note = Note { purpose: Purpose::File, slot: place.slot, identity, first, count, base, prev };
        note.put(&mut self.new.note().of_mut(block)[..32], fill);
        self.after_info = Phase::Mark;
        Err(self.save(Phase::InfoUnknown))
    }

    /// Says in FSInfo that the free clusters aren't known, before they change.
    pub(super) fn forget_info(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        if self.volume.info == 0 || self.is_info_unknown {
            return Ok(self.after_info);
        }
        self.write_info(block, u32::MAX, self.after_info)
    }

    /// Says in FSInfo how many clusters are free, if it is known.
    pub(super) fn save_info(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        if self.volume.info == 0 || !self.is_counted() || !self.is_info_unknown {
            return Ok(Phase::Done);
        }
        self.write_info(block, self.free, Phase::Done)
    }

    fn write_info(&mut self, block: &mut Block, free: u32, next: Phase) -> Result<Phase, Stop> {
        self.need(self.volume.info)?;
        if !is_info(block) {
            return Err(Stop::Changed);
        }
        put_u32(block, 488, free);
        put_u32(block, 492, self.next_free);
        self.is_info_unknown = free == u32::MAX;
        Err(self.save(next))
    }

    /// Fills the folder that is being created with slots that were never in use.
    pub(super) fn clear(&mut self, block: &mut Block, date: u32) -> Result<Phase, Stop> {
        let start = self.volume.block_of(self.new.first);
        let blocks = self.new.count << self.volume.shift;
        // `linked` counts the blocks from here on.
        let done = self.new.linked - self.new.first;
        if done == blocks {
            self.new.linked = self.new.first;
            return Ok(Phase::Publish);
        }
        self.new.linked += 1;
        block.fill(0);
        if done == 0 && !self.volume.is_exfat() {
            let parent = if self.folder.cluster == self.volume.root { 0 } else { self.folder.cluster };
            for (slot, name, cluster) in [(0, b".          ", self.new.first), (32, b"..         ", parent)] {
                let slot = &mut block[slot..slot + 32];
                fat::put(slot, &Name(*name), FOLDER, cluster, date);
                slot[0] = name[0];
            }
        }
        Err(self.put(start + done, Phase::Clear))
    }

    /// Writes a block that was made from nothing.
    fn put(&mut self, at: u32, next: Phase) -> Stop {
        self.loaded = at;
        self.save(next)
    }

    /// Puts the entry of the new log or folder in use. A log on exFAT waits for its first bytes.
    pub(super) fn publish(&mut self, block: &mut Block, options: &Options, date: u32) -> Result<Phase, Stop> {
        let is_folder = self.new.number == 0;
        let next = if is_folder { Phase::Unnote } else { Phase::Done };
        if self.volume.is_exfat() && !is_folder {
            return Ok(self.open_log(options));
        }
        self.need(self.new.place.block)?;
        #[cfg(feature = "exfat")]
        if self.volume.is_exfat() {
            use super::entry::exfat;
            let bytes = self.new.count << (self.volume.shift + 9);
            Note::put_size(&mut self.new.note().of_mut(block)[..32], bytes);
            exfat::publish(&mut self.new.place.of_mut(block)[..32 * exfat::SLOTS], bytes, date);
            return Err(self.save(next));
        }
        let _ = date;
        let name = match Name::folder(options.folder) {
            Ok(Some(folder)) if is_folder => folder,
            _ => Name::log(self.new.number, self.extension),
        };
        self.new.place.of_mut(block)[0] = name.0[0];
        if !is_folder {
            self.open_log(options);
        }
        Err(self.save(next))
    }

    /// Wipes the note of the folder that was created.
    pub(super) fn unnote(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let note = self.new.note();
        self.need(note.block)?;
        if Note::read(note.of(block), unused(self.volume.is_exfat())).is_some() {
            let slot = &mut note.of_mut(block)[..32];
            slot.fill(0);
            slot[0] = unused(self.volume.is_exfat());
            return Err(self.save(Phase::Unnote));
        }
        self.operation = Operation::Mount;
        self.find_created_folder()
    }

    /// Links the log's last cluster to the run that is marked for it.
    pub(super) fn link_run(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let (at, index) = self.volume.link_at(self.new.prev);
        self.need(at)?;
        if self.volume.link(block, index) != self.volume.mark() {
            return Err(Stop::Changed);
        }
        self.volume.set_value(block, index, self.new.first);
        self.log = Some(self.new);
        Err(self.save_table(Phase::Done))
    }

    /// Begins to add a cluster to the directory that has no place for another entry. The cursor is at its end.
    pub(super) fn grow(&mut self) -> Result<Phase, Stop> {
        let full = if self.is_fat16() && self.folder.cluster == 0 { Fault::DirectoryFull } else { Fault::Full };
        if self.volume.is_exfat() || full == Fault::DirectoryFull {
            self.operation = if self.survey.number == 0 { Operation::OpenFolder } else { Operation::Create };
            return Err(Stop::Fault(Fault::DirectoryFull));
        }
        if self.new.prev == self.cursor.cluster {
            // The directory has grown, and the cluster isn't there.
            return Err(Stop::Changed);
        }
        // The last of the directory, which the new cluster is linked to.
        self.new = Log { prev: self.cursor.cluster, number: self.survey.number, ..Log::NONE };
        Ok(self.search_for(1, Phase::GrowClear))
    }

    /// Fills the new cluster with slots that were never in use.
    pub(super) fn clear_growth(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        if self.new.linked == self.volume.cluster_blocks() {
            self.after_info = Phase::GrowNote;
            return Ok(Phase::InfoUnknown);
        }
        let at = self.volume.block_of(self.search.first) + self.new.linked;
        self.new.linked += 1;
        block.fill(0);
        Err(self.put(at, Phase::GrowClear))
    }

    /// Notes the cluster. A directory without any unused slot goes without: a power cut right after would lose it.
    pub(super) fn note_growth(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let Some(place) = self.survey.free else { return Ok(Phase::GrowMark) };
        self.need(place.block)?;
        let Log { prev, .. } = self.new;
        let first = self.search.first;
        let note = Note { purpose: Purpose::Growth, slot: 0, identity: 0, first, count: 1, base: 0, prev };
        note.put(&mut place.of_mut(block)[..32], DELETED);
        Err(self.save(Phase::GrowMark))
    }

    pub(super) fn mark_growth(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let (at, index) = self.volume.table_at(self.search.first);
        self.need(at)?;
        self.volume.set_value(block, index, self.volume.mark());
        self.adjust(self.search.first, false);
        Err(self.save_table(Phase::GrowLink))
    }

    pub(super) fn link_growth(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let (at, index) = self.volume.link_at(self.new.prev);
        self.need(at)?;
        self.volume.set_value(block, index, self.search.first);
        Err(self.save_table(Phase::GrowWipe))
    }

    pub(super) fn wipe_growth(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        if let Some(place) = self.survey.free {
            self.need(place.block)?;
            if Note::read(place.of(block), DELETED).is_some() {
                let slot = &mut place.of_mut(block)[..32];
                slot.fill(0);
                slot[0] = DELETED;
                return Err(self.save(Phase::GrowWipe));
            }
        }
        let number = self.survey.number;
        self.survey_for(number)
    }
}
