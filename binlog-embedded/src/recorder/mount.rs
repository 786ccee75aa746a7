//! Finding the file system and the folder of the logs, and completing what a power cut left half done.

use super::bytes::Block;
#[cfg(feature = "exfat")]
use super::chain::BitmapChain;
use super::directory::{Directory, Item};
use super::disk::Disk;
use super::name::{self, Name};
use super::partition::{self, BlockRange, Entries, EntriesCheck, PartitionTable};
use super::volume::Volume;
use super::{OpenFile, Recorder, Stop, Task};
use crate::recorder::Unusable::{self, NotFat};
use crate::recorder::{Damage, Fault, Flaw, Operation};

impl Recorder {
    pub(super) fn read_table(&mut self, block: &Block) -> Result<(), Stop> {
        let partition = self.options.partition;
        if partition > 3 {
            return Err(Unusable::PartitionOption { partition }.into());
        }
        self.extension = name::extension(self.options.extension).map_err(Stop::Fault)?;
        self.disk.need(0)?;
        match partition::first_block(block, partition)? {
            PartitionTable::Gpt { copy } => self.task = Task::GptHeader { at: 1, copy },
            PartitionTable::Unpartitioned => self.at_partition(BlockRange { start: 0, blocks: self.card_blocks }),
            PartitionTable::Partition(partition) => self.at_partition(partition),
        }
        Ok(())
    }

    /// Reads the header of the GPT, or its copy.
    pub(super) fn read_gpt_header(&mut self, at: u32, copy: u32, block: &Block) -> Result<(), Stop> {
        self.disk.need(at)?;
        let Some(entries) = partition::gpt_entries(block, at) else { return self.try_gpt_copy(copy) };
        let partition = self.options.partition;
        if u32::from(partition) * entries.size >= entries.bytes {
            return Err(Unusable::NoPartition { partition }.into());
        }
        self.task = Task::GptEntries(EntriesCheck::new(entries, copy));
        Ok(())
    }

    /// After the checksum of the entries of the GPT was compared.
    pub(super) fn end_gpt_check(&mut self, is_whole: bool, entries: Entries, copy: u32) -> Result<(), Stop> {
        if !is_whole {
            return self.try_gpt_copy(copy);
        }
        let (at, byte) = entries.place(self.options.partition);
        self.task = Task::GptEntry { at, byte };
        Ok(())
    }

    /// This header, or its entries, are damaged.
    fn try_gpt_copy(&mut self, copy: u32) -> Result<(), Stop> {
        match copy.min(self.card_blocks.saturating_sub(1)) {
            0 => Err(NotFat(Flaw::Gpt).into()),
            at => {
                self.task = Task::GptHeader { at, copy: 0 };
                Ok(())
            }
        }
    }

    pub(super) fn read_gpt_entry(&mut self, at: u32, byte: usize, block: &Block) -> Result<(), Stop> {
        self.disk.need(at)?;
        let found = partition::gpt_partition(block, byte, self.options.partition)?;
        self.at_partition(found);
        Ok(())
    }

    #[inline(never)]
    fn at_partition(&mut self, partition: BlockRange) {
        // The card is known again by this block.
        self.disk.volume.boot = partition.start;
        self.task = Task::Boot(partition);
    }

    pub(super) fn read_boot(&mut self, partition: BlockRange, block: &Block) -> Result<(), Stop> {
        self.disk.need(partition.start)?;
        let volume = Volume::new(partition, self.card_blocks, block)?;
        if self.disk.volume.serial != volume.serial && (self.first_of_boot != 0 || self.has_changed_card) {
            // Only the numbers of the last card's logs are known. If a card before that is back, its logs of this boot
            // are not.
            self.is_boot_unknown |= self.has_changed_card;
            self.has_changed_card = true;
            self.first_of_boot = 0;
        }
        self.disk = Disk { loaded: self.disk.loaded, volume, counted: 2, ..Disk::NONE };
        self.new = OpenFile::NONE;
        #[cfg(feature = "exfat")]
        {
            self.least_bytes = 0;
        }
        self.task = Task::ReadInfo;
        Ok(())
    }

    pub(super) fn begin_root(&mut self) -> Result<(), Stop> {
        self.folder = Directory { cluster: 0, contiguous: 0 };
        self.is_in_root = true;
        let root = self.root();
        self.cursor.open(&self.disk.volume, root)?;
        self.task = Task::Root;
        Ok(())
    }

    fn root(&self) -> Directory {
        Directory { cluster: self.disk.volume.root, contiguous: 0 }
    }

    /// Looks for the folder, and before that for exFAT's bitmap.
    pub(super) fn go_through_root(&mut self, block: &mut Block) -> Result<(), Stop> {
        let is_bitmap_wanted = self.disk.volume.is_exfat() && self.disk.volume.table == 0;
        let folder = Name::folder(self.options.folder).map_err(|fault| {
            self.operation = Operation::OpenFolder;
            Stop::Fault(fault)
        })?;
        if folder.is_none() && !is_bitmap_wanted {
            self.folder = self.root();
            return self.enter_folder();
        }
        match self.next_item(block)? {
            #[cfg(feature = "exfat")]
            Item::Bitmap if is_bitmap_wanted => self.at_bitmap()?,
            Item::Unused | Item::End if is_bitmap_wanted => {
                return Err(NotFat(Flaw::NoBitmap).into());
            }
            _ if is_bitmap_wanted => {}
            Item::Note => self.mend(block)?,
            Item::Entry if Some(self.cursor.entry.name) == folder => {
                let entry = &self.cursor.entry;
                self.operation = Operation::OpenFolder;
                if !entry.is_folder() {
                    return Err(Stop::Fault(Fault::Folder));
                }
                if !self.disk.volume.has(entry.first) {
                    return Err(Stop::damaged(Damage::Outside));
                }
                let clusters = self.disk.volume.clusters_of(entry.bytes);
                let contiguous = if entry.is_contiguous { clusters.max(1) } else { 0 };
                self.folder = Directory { cluster: entry.first, contiguous };
            }
            Item::Unused | Item::End if self.folder.cluster != 0 => {
                self.operation = Operation::Mount;
                return self.enter_folder();
            }
            Item::Unused | Item::End => {
                self.operation = Operation::OpenFolder;
                if self.new.first != 0 {
                    // It was created, and isn't there.
                    return Err(Stop::Changed);
                }
                self.folder = self.root();
                return self.scan_for(0);
            }
            _ => {}
        }
        Ok(())
    }

    #[cfg(feature = "exfat")]
    fn at_bitmap(&mut self) -> Result<(), Stop> {
        let (entry, volume) = (&self.cursor.entry, &mut self.disk.volume);
        let blocks = volume.clusters.div_ceil(4096);
        if !volume.has(entry.first) || entry.bytes.div_ceil(512) < blocks {
            return Err(NotFat(Flaw::Bitmap).into());
        }
        volume.table = volume.block_of(entry.first);
        self.task = Task::Bitmap(BitmapChain { at: entry.first, left: volume.clusters_of(blocks << 9) });
        Ok(())
    }

    fn enter_folder(&mut self) -> Result<(), Stop> {
        self.is_in_root = false;
        self.task = Task::Folder;
        self.open_folder()
    }

    /// Completes the changes to logs that a power cut interrupted.
    pub(super) fn go_through_folder(&mut self, block: &mut Block) -> Result<(), Stop> {
        self.operation = Operation::Mount;
        match self.next_item(block)? {
            Item::Note => self.mend(block)?,
            Item::Removal => self.resume_removal(block),
            Item::Entry if self.is_half_removed() => self.resume_removal(block),
            Item::Unused | Item::End => {
                self.is_mounted = true;
                self.task = Task::Done;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the entry at the cursor is a log that was being removed from FAT when the power failed: nothing else
    /// has a cluster and no bytes, after the notes are mended.
    fn is_half_removed(&self) -> bool {
        let entry = &self.cursor.entry;
        !self.disk.volume.is_exfat()
            && self.number_of_item() != 0
            && !entry.is_folder()
            && (entry.bytes, entry.attributes & super::entry::READ_ONLY) == (0, 0)
            && entry.first != 0
    }
}
