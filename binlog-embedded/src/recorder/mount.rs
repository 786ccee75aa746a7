//! Finding the file system and the folder of the logs, and completing what a power cut left half done.

use super::bytes::{Block, u32_at};
use super::directory::{Directory, Item};
use super::name::{self, Name};
use super::partition::{self, BlockRange, PartitionTable};
use super::volume::Volume;
use super::{OpenFile, Phase, Recorder, Stop};
use crate::recorder::Unusable::{self, NotFat};
use crate::recorder::{Damage, Fault, Flaw, Operation};

impl Recorder {
    pub(super) fn read_table(&mut self, block: &Block) -> Result<Phase, Stop> {
        let partition = self.options.partition;
        if partition > 3 {
            return Err(Unusable::PartitionOption { partition }.into());
        }
        self.extension = name::extension(self.options.extension).map_err(Stop::Fault)?;
        self.need(0)?;
        Ok(match partition::first_block(block, partition)? {
            PartitionTable::Gpt { copy } => {
                (self.gpt.header, self.gpt.copy) = (1, copy);
                Phase::GptHeader
            }
            PartitionTable::Unpartitioned => self.at_partition(BlockRange { start: 0, blocks: self.card_blocks }),
            PartitionTable::Partition(partition) => self.at_partition(partition),
        })
    }

    /// Reads the header of the GPT, or its copy.
    pub(super) fn read_gpt_header(&mut self, block: &Block) -> Result<Phase, Stop> {
        self.need(self.gpt.header)?;
        let Some(entries) = partition::gpt_entries(block, self.gpt.header) else {
            return self.try_gpt_copy();
        };
        let partition = self.options.partition;
        if u32::from(partition) * entries.size >= entries.bytes {
            return Err(Unusable::NoPartition { partition }.into());
        }
        self.gpt.begin(entries);
        Ok(Phase::GptEntries)
    }

    /// Compares the checksum of the entries of the GPT.
    pub(super) fn check_gpt_entries(&mut self, block: &Block) -> Result<Phase, Stop> {
        while let Some((at, bytes)) = self.gpt.next() {
            self.need(at)?;
            self.gpt.check(&block[..bytes]);
        }
        if self.gpt.is_whole() { Ok(Phase::GptEntry) } else { self.try_gpt_copy() }
    }

    /// The GPT in the first blocks of the card is damaged.
    fn try_gpt_copy(&mut self) -> Result<Phase, Stop> {
        match core::mem::take(&mut self.gpt.copy).min(self.card_blocks.saturating_sub(1)) {
            0 => Err(NotFat(Flaw::Gpt).into()),
            copy => {
                self.gpt.header = copy;
                Ok(Phase::GptHeader)
            }
        }
    }

    pub(super) fn read_gpt_entry(&mut self, block: &Block) -> Result<Phase, Stop> {
        let partition = self.options.partition;
        let (at, offset) = self.gpt.entry(partition);
        self.need(at)?;
        let found = partition::gpt_partition(block, offset, partition)?;
        Ok(self.at_partition(found))
    }

    /// Until its boot sector is read, the partition is a volume whose clusters have one block.
    #[inline(never)]
    fn at_partition(&mut self, partition: BlockRange) -> Phase {
        self.volume = Volume { boot: partition.start, clusters: partition.blocks, ..Volume::NONE };
        Phase::Boot
    }

    pub(super) fn read_boot(&mut self, block: &Block) -> Result<Phase, Stop> {
        self.need(self.volume.boot)?;
        let place = BlockRange { start: self.volume.boot, blocks: self.volume.clusters };
        self.volume = Volume::new(place, self.card_blocks, block)?;
        if self.serial != self.volume.serial && (self.first_of_boot != 0 || self.has_changed_card) {
            // Only the numbers of the last card's logs are known. If a card before that is back, its logs of this boot
            // are not.
            self.is_boot_unknown |= self.has_changed_card;
            self.has_changed_card = true;
            self.first_of_boot = 0;
        }
        (self.serial, self.new) = (self.volume.serial, OpenFile::NONE);
        #[cfg(feature = "exfat")]
        {
            self.least_bytes = 0;
        }
        (self.free, self.counted, self.is_hint, self.is_info_unknown, self.next_free) = (0, 2, false, false, 2);
        if self.volume.info != 0 {
            return Ok(Phase::ReadInfo);
        }
        self.begin_root()
    }

    pub(super) fn read_info(&mut self, block: &Block) -> Result<Phase, Stop> {
        self.need(self.volume.info)?;
        if !is_info(block) {
            self.volume.info = 0;
        } else {
            let (free, next) = (u32_at(block, 488), u32_at(block, 492));
            if free <= self.volume.clusters {
                (self.free, self.counted, self.is_hint) = (free, self.volume.end(), true);
            }
            if self.volume.has(next) {
                self.next_free = next;
            }
        }
        self.begin_root()
    }

    pub(super) fn begin_root(&mut self) -> Result<Phase, Stop> {
        self.folder = Directory { cluster: 0, contiguous: 0 };
        let root = self.root();
        self.cursor.open(&self.volume, root)?;
        Ok(Phase::Root)
    }

    fn root(&self) -> Directory {
        Directory { cluster: self.volume.root, contiguous: 0 }
    }

    /// Looks for the folder, and before that for exFAT's bitmap.
    pub(super) fn go_through_root(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        let is_bitmap_wanted = self.volume.is_exfat() && self.volume.table == 0;
        let folder = Name::folder(self.options.folder).map_err(|fault| {
            self.operation = Operation::OpenFolder;
            Stop::Fault(fault)
        })?;
        if folder.is_none() && !is_bitmap_wanted {
            self.folder = self.root();
            return Ok(Phase::Folder);
        }
        loop {
            match self.next_item(block)? {
                #[cfg(feature = "exfat")]
                Item::Bitmap if is_bitmap_wanted => return self.at_bitmap(),
                Item::Unused | Item::End if is_bitmap_wanted => {
                    return Err(NotFat(Flaw::NoBitmap).into());
                }
                _ if is_bitmap_wanted => {}
                Item::Note => return self.mend(block, Phase::Root),
                Item::Entry if Some(self.cursor.entry.name) == folder => {
                    let entry = &self.cursor.entry;
                    self.operation = Operation::OpenFolder;
                    if !entry.is_folder() {
                        return Err(Stop::Fault(Fault::Folder));
                    }
                    if !self.volume.has(entry.first) {
                        return Err(Stop::damaged(Damage::Outside));
                    }
                    let clusters = self.volume.clusters_of(entry.bytes);
                    let contiguous = if entry.is_contiguous { clusters.max(1) } else { 0 };
                    self.folder = Directory { cluster: entry.first, contiguous };
                }
                Item::Unused | Item::End if self.folder.cluster != 0 => {
                    self.operation = Operation::Mount;
                    self.open_folder()?;
                    return Ok(Phase::Folder);
                }
                Item::Unused | Item::End => {
                    self.operation = Operation::OpenFolder;
                    if self.new.first != 0 {
                        // It was created, and isn't there.
                        return Err(Stop::Changed);
                    }
                    self.folder = self.root();
                    self.folder_scan.begin(0);
                    self.open_folder()?;
                    return Ok(Phase::LookAround);
                }
                _ => {}
            }
        }
    }

    /// exFAT's bitmap has a chain in the FAT, which formatters make contiguous.
    #[cfg(feature = "exfat")]
    fn at_bitmap(&mut self) -> Result<Phase, Stop> {
        let entry = &self.cursor.entry;
        let blocks = self.volume.clusters.div_ceil(4096);
        if !self.volume.has(entry.first) || entry.bytes.div_ceil(512) < blocks {
            return Err(NotFat(Flaw::Bitmap).into());
        }
        self.search.at = entry.first;
        self.search.left = self.volume.clusters_of(blocks << 9);
        self.volume.table = self.volume.block_of(entry.first);
        Ok(Phase::BitmapChain)
    }

    #[cfg(feature = "exfat")]
    pub(super) fn check_bitmap(&mut self, block: &Block) -> Result<Phase, Stop> {
        while self.search.left > 1 {
            self.need_link(self.search.at)?;
            let next = self.volume.link(block, self.search.at);
            self.search.at += 1;
            self.search.left -= 1;
            if next != self.search.at || !self.volume.has(self.search.at) {
                return Err(NotFat(Flaw::FragmentedBitmap).into());
            }
        }
        self.begin_root()
    }

    /// Completes the changes to logs that a power cut interrupted.
    pub(super) fn go_through_folder(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        self.operation = Operation::Mount;
        loop {
            match self.next_item(block)? {
                Item::Note => return self.mend(block, Phase::Folder),
                Item::Removal => return Ok(self.resume_removal(block)),
                Item::Entry if self.is_half_removed() => return Ok(self.resume_removal(block)),
                Item::Unused | Item::End => {
                    self.is_mounted = true;
                    return Ok(Phase::Done);
                }
                _ => {}
            }
        }
    }

    /// Whether the entry at the cursor is a log that was being removed from FAT when the power failed: nothing else
    /// has a cluster and no bytes, after the notes are mended.
    fn is_half_removed(&self) -> bool {
        let entry = &self.cursor.entry;
        !self.volume.is_exfat()
            && self.number_of_item() != 0
            && !entry.is_folder()
            && (entry.bytes, entry.attributes & super::entry::READ_ONLY) == (0, 0)
            && entry.first != 0
    }
}

/// Whether a block has FSInfo's three signatures.
pub(super) fn is_info(block: &Block) -> bool {
    block[..4] == *b"RRaA" && block[484..488] == *b"rrAa" && block[508..] == [0, 0, 0x55, 0xAA]
}
