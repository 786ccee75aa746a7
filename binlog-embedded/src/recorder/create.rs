//! Creating a log or its folder, extending a log, and letting a directory grow.

use super::bytes::Block;
use super::directory::{SLOTS, SlotPlace};
#[cfg(feature = "exfat")]
use super::entry::exfat;
use super::entry::{ARCHIVE, FOLDER, fat};
use super::name::Name;
#[cfg(feature = "exfat")]
use super::note;
use super::note::{Note, Purpose};
use super::search::Run;
use super::{Goal, OpenFile, Recorder, Stop, Task};
use crate::recorder::{Fault, Operation};

/// Blocks of a folder on exFAT, which doesn't grow: 640 logs.
#[cfg(feature = "exfat")]
const EXFAT_FOLDER_BLOCKS: u32 = 128;

impl Recorder {
    /// Clusters that a new folder gets.
    pub(super) fn folder_clusters(&self) -> u32 {
        #[cfg(feature = "exfat")]
        if self.disk.volume.is_exfat() {
            return (EXFAT_FOLDER_BLOCKS >> self.disk.volume.shift).max(1);
        }
        1
    }

    /// Puts the slots that were never in use out of use, because those of the next block are needed.
    pub(super) fn fill_slots(&mut self, block: &mut Block) -> Result<(), Stop> {
        let SlotPlace { block: at, slot } = self.cursor.position();
        if slot < SLOTS {
            self.disk.need(at)?;
        }
        self.task = Task::LookAround;
        if slot == SLOTS {
            return Ok(());
        }
        let fill = self.disk.volume.unused();
        for slot in slot..SLOTS {
            SlotPlace { block: at, slot }.of_mut(block)[0] = fill;
        }
        Err(Stop::Write)
    }

    /// Whether the run is for the directory itself, which has no place for another entry.
    #[inline(never)]
    pub(super) fn is_growth(&self) -> bool {
        self.goal != Goal::Extend && self.folder_scan.entry == SlotPlace::NONE
    }

    /// Writes the note of the run that was found, and in front of a new log or folder also the entry, out of use.
    pub(super) fn put_note(&mut self, run: Run, block: &mut Block) -> Result<(), Stop> {
        let Run { first, count: noted } = run;
        let count = self.marked_next(first, run.end()) - first;
        let run = OpenFile { first, count, count_on_card: count, noted, linked: first, ..OpenFile::NONE };
        let mut purpose = Purpose::File;
        match self.log {
            Some(log) if self.goal == Goal::Extend => {
                self.disk.need(log.place.block)?;
                let (base, prev) = (log.base + log.count, log.end() - 1);
                let OpenFile { number, place, note, identity, bytes, .. } = log;
                self.new = OpenFile { number, place, note, identity, bytes, base, prev, ..run };
            }
            _ if !self.is_growth() => {
                let place = self.folder_scan.entry;
                self.disk.need(place.block)?;
                self.new = OpenFile { number: self.folder_scan.number, place, note: self.folder_scan.note, ..run };
                self.create_entry(block)?;
            }
            _ => {
                // The directory's last cluster, where the cursor is, will be linked to it.
                self.new = OpenFile { prev: self.cursor.cluster, ..run };
                // A directory without any unused slot goes without a note: a power cut right after would lose the
                // cluster.
                let place = self.folder_scan.free;
                if place == SlotPlace::NONE {
                    self.task = Task::Mark { at: first };
                    return Ok(());
                }
                self.disk.need(place.block)?;
                (self.new.place, self.new.note) = (place, place.slot);
                purpose = Purpose::Growth;
            }
        }
        let OpenFile { place, identity, base, prev, .. } = self.new;
        let note = Note { purpose, slot: place.slot, identity, first, count, base, prev };
        let slot = self.new.note().of_mut(block);
        note.put(slot, self.disk.volume.unused());
        if !self.disk.volume.is_exfat() {
            Note::put_size(slot, noted);
        }
        self.task = Task::Mark { at: first };
        Err(Stop::Write)
    }

    /// Fills the entry of a new log or of the folder, which stays out of use.
    fn create_entry(&mut self, block: &mut Block) -> Result<(), Stop> {
        let folder = Name::folder(self.options.folder).map_err(Stop::Fault)?;
        let (operation, name, attributes) = match (self.new.number, folder) {
            (0, Some(folder)) => (Operation::OpenFolder, folder, FOLDER),
            (number, _) => (Operation::Create, Name::log(number, self.extension), ARCHIVE),
        };
        (self.operation, self.new.initial) = (operation, name.0[0]);
        let OpenFile { place, first, .. } = self.new;
        if !self.disk.volume.is_unused(place.of(block)) {
            // Another system's, since the slots were looked at.
            return Err(Stop::Changed);
        }
        if place.of(block)[0] == 0 {
            // Nothing follows the first slot that was never in use.
            place.rest_of(block).fill(0);
        }
        #[cfg(feature = "exfat")]
        if self.disk.volume.is_exfat() {
            let set = place.set_of(block).ok_or(Stop::Changed)?;
            exfat::put(set, &name, attributes, first, self.date);
            self.new.identity = exfat::identity(set);
            return Ok(());
        }
        let slot = place.of_mut(block);
        fat::put(slot, &name, attributes, first, self.date);
        self.new.identity = fat::identity(slot);
        Ok(())
    }

    /// Signs the run that was found for a log.
    #[cfg(feature = "exfat")]
    pub(super) fn sign(&mut self, run: Run, block: &mut Block) -> Stop {
        block.fill(0);
        note::sign(block);
        // The block is made from nothing.
        self.disk.loaded.at = self.disk.volume.block_of(run.first);
        self.task = Task::PutNote(run);
        Stop::Write
    }

    /// Fills the clusters that were found for a directory with slots that were never in use.
    pub(super) fn clear(&mut self, run: Run, done: u32, block: &mut Block) -> Result<(), Stop> {
        if done == run.count << self.disk.volume.shift {
            self.task = Task::PutNote(run);
            return Ok(());
        }
        let first = run.first;
        block.fill(0);
        #[cfg(feature = "exfat")]
        if done == 0 && self.disk.volume.is_exfat() {
            note::sign(block);
        }
        if done == 0 && !self.disk.volume.is_exfat() && !self.is_growth() {
            let parent = if self.folder.cluster == self.disk.volume.root { 0 } else { self.folder.cluster };
            for (slot, name, cluster) in [(0, b".          ", first), (1, b"..         ", parent)] {
                let slot = SlotPlace { block: 0, slot }.of_mut(block);
                fat::put(slot, &Name(*name), FOLDER, cluster, self.date);
                slot[0] = name[0];
            }
        }
        // The block is made from nothing.
        self.disk.loaded.at = self.disk.volume.block_of(first) + done;
        self.task = Task::Clear { run, done: done + 1 };
        Err(Stop::Write)
    }

    /// Puts the entry of the new log or folder in use. A log on exFAT waits for its first bytes.
    pub(super) fn show_entry(&mut self, block: &mut Block) -> Result<(), Stop> {
        let is_folder = self.new.number == 0;
        self.disk.need(self.new.place.block)?;
        if self.disk.volume.is_exfat() && !is_folder {
            self.new.put_run(&self.disk.volume, block)?;
            self.open_log();
            return Err(Stop::Write);
        }
        #[cfg(feature = "exfat")]
        if self.disk.volume.is_exfat() {
            let bytes = self.new.count << (self.disk.volume.shift + 9);
            Note::put_size(self.new.note().of_mut(block), bytes);
            exfat::put_in_use(self.new.place.set_of(block).ok_or(Stop::Changed)?, bytes, self.date);
            self.task = Task::EraseNewNote;
            return Err(Stop::Write);
        }
        self.new.place.of_mut(block)[0] = self.new.initial;
        if is_folder {
            self.task = Task::EraseNewNote;
        } else {
            self.open_log();
        }
        Err(Stop::Write)
    }

    /// Erases the note of the folder or of the cluster that a directory got.
    pub(super) fn erase_new_note(&mut self, block: &mut Block) -> Result<(), Stop> {
        let (note, fill) = (self.new.note(), self.disk.volume.unused());
        if note != SlotPlace::NONE {
            self.disk.need(note.block)?;
            if Note::read(note.of(block), fill).is_some() {
                note.wipe(block, fill);
                return Err(Stop::Write);
            }
        }
        if self.is_growth() {
            return self.scan_for(self.folder_scan.number);
        }
        self.operation = Operation::Mount;
        self.begin_root()
    }

    /// Links the last cluster of the log or of the directory to the run that is marked for it.
    pub(super) fn link_run(&mut self, block: &mut Block) -> Result<(), Stop> {
        self.disk.need_link(self.new.prev)?;
        self.task = Task::EraseNewNote;
        if self.goal == Goal::Extend {
            if self.disk.volume.link(block, self.new.prev) != self.disk.volume.mark {
                return Err(Stop::Changed);
            }
            (self.log, self.is_blocked) = (Some(self.new), false);
            self.task = Task::Done;
        }
        self.disk.volume.set_value(block, self.new.prev, self.new.first);
        Err(Stop::WriteTable)
    }

    /// Begins to add a cluster to the directory that has no place for another entry. The cursor is at its end.
    pub(super) fn grow(&mut self) -> Result<(), Stop> {
        if self.disk.volume.is_exfat() || self.folder.cluster == 0 || !self.cursor.may_grow(&self.disk.volume) {
            self.operation = if self.folder_scan.number == 0 { Operation::OpenFolder } else { Operation::Create };
            return Err(Stop::Fault(Fault::DirectoryFull));
        }
        if self.new.prev == self.cursor.cluster {
            // The directory has grown, and the cluster isn't there.
            return Err(Stop::Changed);
        }
        self.search_for(1);
        Ok(())
    }
}
