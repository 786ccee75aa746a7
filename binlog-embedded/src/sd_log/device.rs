//! Between embedded-sdmmc and the card: writes are gathered, kept in order, and held off what is not ours.
//!
//! embedded-sdmmc writes each block of a file and each change of the FAT at once and one by one, searches for free
//! clusters behind the last one, believes the free count of the card and never frees a deleted file's clusters. Here
//!
//! - consecutive blocks of the log wait in a buffer and go out as one multi-block transfer,
//! - one block of the FAT, one of a directory and FSInfo are kept and written when another is needed, or at a
//!   [`sync`](Device::sync),
//! - what the card holds is never ahead of what it depends on: contents before the FAT, a FAT's blocks in the order in
//!   which they were changed, the directory last. So a power cut loses what was not synced and nothing else,
//! - entries of the FAT behind the last cluster look taken, and blocks outside of the file system can't be written,
//! - free clusters are counted, before anything is removed for want of them.

use super::card::Card;
use super::layout::{self, Layout, Region, Unusable};
use super::port::{Port, Slot, Transfers};
use core::cell::RefCell;
use core::fmt;
use embedded_sdmmc::{Block, BlockCount, BlockDevice, BlockIdx};

/// What went wrong below the file system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum DeviceError<E> {
    /// The card's driver says so.
    Card(E),
    /// The file system's structures lead to a block that is not part of it; nothing was written.
    Outside {
        /// The block, from the card's beginning.
        block: u32,
    },
    /// A directory leads back into itself, or is longer than one can be.
    Endless,
    /// The card that was logged to failed and is not there any more, or not as it was.
    Changed,
}

impl<E: fmt::Display> fmt::Display for DeviceError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::Card(error) => write!(f, "the card: {error}"),
            DeviceError::Outside { block } => {
                write!(
                    f,
                    "the file system is damaged: it leads to block {block}, which is not part of it; repair or format it"
                )
            }
            DeviceError::Changed => f.write_str("the card was changed, or written to elsewhere"),
            DeviceError::Endless => {
                f.write_str("the file system is damaged: a directory has no end; repair or format it")
            }
        }
    }
}

impl<E: core::error::Error> core::error::Error for DeviceError<E> {}

/// Blocks that one look through a directory may take: FAT allows 65,536 entries of 32 bytes.
const LONGEST_DIRECTORY: u32 = 4096;

/// What the file system is doing, which tells what a block is that it touches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Directories: blocks outside of the FAT are kept.
    Directory,
    /// Contents of the log: they are written from a block's beginning, and never read.
    Contents,
    /// Nothing: the card is gone, and the library is closing its handles.
    Gone,
}

/// The block device that embedded-sdmmc sees.
pub(crate) struct Device<C: Card, const BLOCKS: usize>(RefCell<Inner<C, BLOCKS>>);

struct Inner<C: Card, const BLOCKS: usize> {
    card: C,
    layout: Option<Layout>,
    phase: Phase,
    /// Consecutive blocks of contents that are not on the card.
    buffer: [Block; BLOCKS],
    buffered: usize,
    buffer_at: u32,
    fat: Slot,
    directory: Slot,
    info: Slot,
    free: u32,
    /// Whether that is so. FSInfo's count may be wrong after a power cut, or be somebody else's.
    counted: bool,
    /// Whether FSInfo's count was found to be too high.
    distrusted: bool,
    /// Blocks of a cluster that a directory just got; they hold zeros.
    fresh: core::ops::Range<u32>,
    /// Blocks that the look through a directory that is going on may still take.
    left: u32,
    port: Port,
}

impl<C: Card, const BLOCKS: usize> Device<C, BLOCKS> {
    pub(crate) fn new(card: C) -> Self {
        const { assert!(BLOCKS > 0, "the buffer holds a block at least") };
        Device(RefCell::new(Inner {
            card,
            layout: None,
            phase: Phase::Gone,
            buffer: [const { Block { contents: [0; 512] } }; BLOCKS],
            buffered: 0,
            buffer_at: 0,
            fat: Slot::EMPTY,
            directory: Slot::EMPTY,
            info: Slot::EMPTY,
            free: 0,
            counted: false,
            distrusted: false,
            fresh: 0..0,
            left: 0,
            port: Port::default(),
        }))
    }

    /// Looks at what is in the slot: finds the file system and counts its free clusters.
    pub(crate) fn mount(&mut self, partition: u8) -> Result<Result<Layout, Unusable>, DeviceError<C::Error>> {
        self.0.get_mut().mount(partition)
    }

    /// Forgets the card and all that has not reached it.
    pub(crate) fn forget(&mut self) {
        self.0.get_mut().forget();
    }

    /// Says what the library is about to do.
    pub(crate) fn begin(&mut self, phase: Phase) {
        self.0.get_mut().begin(phase);
    }

    /// Writes all that is kept.
    pub(crate) fn sync(&mut self) -> Result<(), DeviceError<C::Error>> {
        self.0.get_mut().sync()
    }

    /// Clusters that no file has, as far as FSInfo tells.
    pub(crate) fn free_clusters(&mut self) -> u32 {
        self.0.get_mut().free
    }

    /// Makes that count certain, which takes a look through the whole FAT the first time.
    pub(crate) fn recount(&mut self) -> Result<(), DeviceError<C::Error>> {
        self.0.get_mut().recount()
    }

    /// Notes that the card was full although clusters were left: they are counted at the next mount.
    pub(crate) fn distrust(&mut self) {
        self.0.get_mut().distrusted = true;
    }

    /// Frees the clusters of a chain from its first one on. Call it when the file's directory entry is gone from the
    /// card; a power cut in between leaves clusters that nobody has, not a file with clusters that are another's.
    pub(crate) fn free_chain(&mut self, first: u32) -> Result<(), DeviceError<C::Error>> {
        self.0.get_mut().free_chain(first)
    }

    /// The first cluster of the file whose directory entry stands there.
    pub(crate) fn first_cluster(&mut self, block: u32, offset: u32) -> Result<u32, DeviceError<C::Error>> {
        self.0.get_mut().first_cluster(block, offset as usize)
    }

    /// Whether what a directory entry stands for begins at a cluster.
    pub(crate) fn is_cluster(&mut self, block: u32, offset: u32) -> Result<bool, DeviceError<C::Error>> {
        let first = self.first_cluster(block, offset)?;
        Ok(self.0.get_mut().layout.is_some_and(|layout| layout.entry(first).is_some()))
    }

    pub(crate) fn transfers(&mut self) -> Transfers {
        self.0.get_mut().port.transfers
    }

    pub(crate) fn card(&mut self) -> &mut C {
        &mut self.0.get_mut().card
    }
}

impl<C: Card, const BLOCKS: usize> BlockDevice for Device<C, BLOCKS> {
    type Error = DeviceError<C::Error>;

    fn read(&self, blocks: &mut [Block], start: BlockIdx) -> Result<(), Self::Error> {
        let mut inner = self.0.borrow_mut();
        for (block, at) in blocks.iter_mut().zip(start.0..) {
            inner.read(block, at)?;
        }
        Ok(())
    }

    fn write(&self, blocks: &[Block], start: BlockIdx) -> Result<(), Self::Error> {
        let mut inner = self.0.borrow_mut();
        for (block, at) in blocks.iter().zip(start.0..) {
            inner.write(block, at)?;
        }
        Ok(())
    }

    fn num_blocks(&self) -> Result<BlockCount, Self::Error> {
        self.0.borrow().card.num_blocks().map_err(DeviceError::Card)
    }
}

impl<C: Card, const BLOCKS: usize> Inner<C, BLOCKS> {
    fn mount(&mut self, partition: u8) -> Result<Result<Layout, Unusable>, DeviceError<C::Error>> {
        self.forget();
        self.begin(Phase::Directory);
        self.load_directory(0)?;
        let place = match layout::partition(&self.directory.block[0], partition) {
            Ok(place) => place,
            Err(unusable) => return Ok(Err(unusable)),
        };
        self.load_directory(place.0)?;
        let layout = match Layout::new(place.0, place.1, &self.directory.block[0]) {
            Ok(layout) => layout,
            Err(unusable) => return Ok(Err(unusable)),
        };
        self.port.witness_boot(&self.directory, layout.kind);
        let mut hint = None;
        if let Some(info) = layout.info {
            self.port.fill(&self.card, &mut self.info, info)?;
            let block = &self.info.block[0];
            // The two signatures that embedded-sdmmc asks for besides the last.
            if block[..4] != *b"RRaA" || block[484..488] != *b"rrAa" || block[508..] != [0, 0, 0x55, 0xAA] {
                return Ok(Err(Unusable::NotFat("its FSInfo block is damaged")));
            }
            let free = u32::from_le_bytes([block[488], block[489], block[490], block[491]]);
            hint = (free <= layout.clusters).then_some(free);
        }
        self.layout = Some(layout);
        match hint {
            Some(free) if !self.distrusted => (self.free, self.counted) = (free, false),
            _ => self.count_free(&layout)?,
        }
        Ok(Ok(layout))
    }

    /// Counts the free clusters, where FSInfo was believed so far.
    fn recount(&mut self) -> Result<(), DeviceError<C::Error>> {
        match self.layout {
            Some(layout) if !self.counted => {
                // What was changed is on the card then, and the buffer is empty.
                self.sync()?;
                self.count_free(&layout)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, phase: Phase) {
        // A few more for the partition table and the like.
        (self.phase, self.left) = (phase, LONGEST_DIRECTORY + 16);
    }

    fn forget(&mut self) {
        self.layout = None;
        self.port.forget();
        self.phase = Phase::Gone;
        self.buffered = 0;
        self.fresh = 0..0;
        for slot in [&mut self.fat, &mut self.directory, &mut self.info] {
            (slot.at, slot.changed) = (None, false);
        }
        self.card.forget();
    }

    /// Looks through the whole FAT, into the buffer, which is empty.
    fn count_free(&mut self, layout: &Layout) -> Result<(), DeviceError<C::Error>> {
        let mut free = 0;
        let mut at = layout.fat;
        let end = layout.fat + layout.fat_blocks;
        while at < end && layout.entry_bytes(at) > 0 {
            let count = ((end - at) as usize).min(BLOCKS);
            let blocks = &mut self.buffer[..count];
            self.port.read(&self.card, blocks, at)?;
            for (block, at) in blocks.iter().zip(at..) {
                free += free_entries(layout, &block[..layout.entry_bytes(at)]);
            }
            at += count as u32;
        }
        self.info.changed |= self.info.at.is_some() && self.free != free;
        (self.free, self.counted, self.distrusted) = (free, true, false);
        Ok(())
    }

    fn read(&mut self, block: &mut Block, at: u32) -> Result<(), DeviceError<C::Error>> {
        if self.phase == Phase::Gone {
            block.fill(0);
            return Ok(());
        }
        if let Some(buffered) = self.buffered(at) {
            block.copy_from_slice(&buffered[..]);
            return Ok(());
        }
        match self.layout.map(|layout| (layout.region(at), layout)) {
            Some((Region::Fat, layout)) => {
                self.load_fat(at)?;
                block.copy_from_slice(&self.fat.block[0][..]);
                let (entries, rest) = block.split_at_mut(layout.entry_bytes(at));
                rest.fill(0xFF);
                end_at_nonsense(&layout, entries);
            }
            Some((Region::Info, _)) if self.info.at == Some(at) => {
                block.copy_from_slice(&self.info.block[0][..]);
                // "Unknown": the library would take the count as true, and count below zero.
                block[488..492].fill(0xFF);
            }
            // The rest of a block of which the log writes the beginning.
            Some((Region::Contents, _)) if self.phase == Phase::Contents => block.fill(0),
            // The partition table and the boot sector are read once more by the library.
            Some((Region::Foreign, _)) if at != 0 && !self.port.is_boot(at) => {
                return Err(DeviceError::Outside { block: at });
            }
            _ => {
                self.left = self.left.checked_sub(1).ok_or(DeviceError::Endless)?;
                self.load_directory(at)?;
                block.copy_from_slice(&self.directory.block[0][..]);
                if self.layout.is_some_and(|layout| layout.region(at) == Region::Contents) {
                    labels(block).for_each(|entry| entry[0] = HIDDEN);
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, block: &Block, at: u32) -> Result<(), DeviceError<C::Error>> {
        let layout = match self.layout {
            _ if self.phase == Phase::Gone => return Ok(()),
            Some(layout) => layout,
            None => return Err(DeviceError::Outside { block: at }),
        };
        match layout.region(at) {
            Region::Foreign => return Err(DeviceError::Outside { block: at }),
            Region::Fat => {
                self.load_fat(at)?;
                if self.phase == Phase::Directory {
                    self.clear_new_clusters(&layout, block, at)?;
                }
                let entries = layout.entry_bytes(at);
                let kept = &mut self.fat.block[0][..entries];
                self.free -= free_entries(&layout, kept).min(self.free);
                let size = layout.kind.entry_size();
                for (kept, new) in kept.chunks_exact_mut(size).zip(block.chunks_exact(size)) {
                    // What the library was shown otherwise stays: the mark of an unclean shutdown is such an entry.
                    if !is_nonsense(&layout, kept) || new.iter().any(|&byte| byte != 0xFF) {
                        kept.copy_from_slice(new);
                    }
                }
                self.free += free_entries(&layout, kept);
                self.fat.changed = true;
                self.info.changed |= self.info.at.is_some();
            }
            // Written with the first.
            Region::FatCopy => {}
            Region::Info => {
                self.info.block[0][492..496].copy_from_slice(&block[492..496]);
                self.info.changed |= self.info.at.is_some();
            }
            Region::Contents if self.phase == Phase::Contents => self.put(block, at)?,
            Region::Contents if self.fresh.contains(&at) => {
                // A new directory's entries reach the card before the FAT and the parent speak of it.
                if block.iter().any(|&byte| byte != 0) {
                    self.put(block, at)?;
                }
            }
            Region::Contents => {
                let mut block = block.clone();
                if labels(&mut block).any(|entry| entry[0] == HIDDEN) {
                    self.load_directory(at)?;
                    for (entry, kept) in labels(&mut block).zip(labels(&mut self.directory.block[0])) {
                        entry[0] = kept[0];
                    }
                }
                if self.directory.at != Some(at) {
                    if self.directory.changed || self.buffered(at).is_some() {
                        self.sync()?;
                    }
                    self.directory.at = Some(at);
                }
                self.directory.block[0].copy_from_slice(&block[..]);
                self.directory.changed = true;
            }
        }
        Ok(())
    }

    /// Zeros the clusters that a directory is about to get, before a block of the FAT says so: what was in them would
    /// be taken for entries after a power cut.
    fn clear_new_clusters(&mut self, layout: &Layout, block: &Block, at: u32) -> Result<(), DeviceError<C::Error>> {
        let size = layout.kind.entry_size();
        let entries = self.fat.block[0].chunks_exact(size).zip(block.chunks_exact(size));
        let mut entries = entries.map(|(old, new)| layout.kind.value(old) == 0 && layout.kind.value(new) != 0);
        let Some(index) = entries.position(|is_new| is_new) else { return Ok(()) };
        let cluster = (at - layout.fat) * (512 / size as u32) + index as u32;
        let Some(blocks) = layout.blocks_of(cluster) else { return Ok(()) };
        self.write_buffer()?;
        self.buffer.iter_mut().for_each(|block| block.fill(0));
        let mut at = blocks.start;
        while at < blocks.end {
            let count = ((blocks.end - at) as usize).min(BLOCKS);
            self.port.write(&self.card, &self.buffer[..count], at)?;
            at += count as u32;
        }
        self.fresh = blocks;
        Ok(())
    }

    fn buffered(&mut self, at: u32) -> Option<&mut Block> {
        let i = at.checked_sub(self.buffer_at)? as usize;
        self.buffer[..self.buffered].get_mut(i)
    }

    /// Puts a block of contents into the buffer, for which it makes room.
    fn put(&mut self, block: &Block, at: u32) -> Result<(), DeviceError<C::Error>> {
        if let Some(buffered) = self.buffered(at) {
            buffered.copy_from_slice(&block[..]);
            return Ok(());
        }
        if self.buffered == BLOCKS || self.buffer_at.wrapping_add(self.buffered as u32) != at {
            self.write_buffer()?;
        }
        if self.buffered == 0 {
            self.buffer_at = at;
        }
        self.buffer[self.buffered].copy_from_slice(&block[..]);
        self.buffered += 1;
        Ok(())
    }

    fn load_fat(&mut self, at: u32) -> Result<(), DeviceError<C::Error>> {
        if self.fat.at == Some(at) {
            return Ok(());
        }
        self.write_fat()?;
        self.port.fill(&self.card, &mut self.fat, at)
    }

    fn load_directory(&mut self, at: u32) -> Result<(), DeviceError<C::Error>> {
        if self.directory.at == Some(at) {
            return Ok(());
        }
        if self.directory.changed {
            self.sync()?;
        }
        self.port.fill(&self.card, &mut self.directory, at)
    }

    fn sync(&mut self) -> Result<(), DeviceError<C::Error>> {
        self.write_buffer()?;
        self.write_fat()?;
        if self.info.changed {
            self.info.block[0][488..492].copy_from_slice(&self.free.to_le_bytes());
            self.port.save(&self.card, &mut self.info, 0)?;
        }
        self.port.save(&self.card, &mut self.directory, 0)?;
        self.port.witness(&self.fat, &self.info, &self.directory);
        self.fresh = 0..0;
        Ok(())
    }

    fn write_buffer(&mut self) -> Result<(), DeviceError<C::Error>> {
        if self.buffered > 0 {
            self.port.write(&self.card, &self.buffer[..self.buffered], self.buffer_at)?;
            self.buffered = 0;
        }
        Ok(())
    }

    fn write_fat(&mut self) -> Result<(), DeviceError<C::Error>> {
        let copy = match self.layout {
            Some(layout) if layout.fats == 2 => layout.fat_blocks,
            _ => 0,
        };
        self.port.save(&self.card, &mut self.fat, copy)
    }

    fn free_chain(&mut self, first: u32) -> Result<(), DeviceError<C::Error>> {
        let Some(layout) = self.layout else { return Ok(()) };
        let mut cluster = first;
        // A chain that bites its own tail ends at the entry that is free already.
        while let Some((block, offset)) = layout.entry(cluster) {
            self.load_fat(block)?;
            let entry = &mut self.fat.block[0][offset..offset + layout.kind.entry_size()];
            cluster = layout.kind.value(entry);
            if cluster == 0 {
                break;
            }
            // The upper four bits of FAT32 stay.
            let kept = entry.last().copied().unwrap_or(0) & 0xF0;
            entry.fill(0);
            if let (layout::Kind::Fat32, Some(last)) = (layout.kind, entry.last_mut()) {
                *last = kept;
            }
            self.fat.changed = true;
            self.free += 1;
            self.info.changed |= self.info.at.is_some();
        }
        Ok(())
    }

    fn first_cluster(&mut self, block: u32, offset: usize) -> Result<u32, DeviceError<C::Error>> {
        self.load_directory(block)?;
        let entry: &[u8] = self.directory.block[0].get(offset..offset + 32).unwrap_or(&[0; 32]);
        let low = u32::from(u16::from_le_bytes([entry[26], entry[27]]));
        let high = u32::from(u16::from_le_bytes([entry[20], entry[21]]));
        Ok(match self.layout {
            Some(Layout { kind: layout::Kind::Fat32, .. }) => high << 16 | low,
            // There the upper half is something else.
            _ => low,
        })
    }
}

/// What stands in place of the first letter of a volume's label. The library would take a label that is called like the
/// folder for it.
const HIDDEN: u8 = 0x01;

/// The entries of a directory's block that are a label: attribute 8, alone or not, but not that of a long name.
fn labels(block: &mut Block) -> impl Iterator<Item = &mut [u8]> {
    let entries = block.contents.chunks_exact_mut(32);
    entries.filter(|entry| entry[0] != 0 && entry[0] != 0xE5 && entry[11] & 0x08 != 0 && entry[11] & 0x3F != 0x0F)
}

fn free_entries(layout: &Layout, entries: &[u8]) -> u32 {
    let entries = entries.chunks_exact(layout.kind.entry_size());
    entries.filter(|entry| layout.kind.value(entry) == 0).count() as u32
}

/// Shows nonsense as the end of its chain: the library computes with an entry unseen.
fn end_at_nonsense(layout: &Layout, entries: &mut [u8]) {
    let entries = entries.chunks_exact_mut(layout.kind.entry_size());
    entries.filter(|entry| is_nonsense(layout, entry)).for_each(|entry| entry.fill(0xFF));
}

/// Whether an entry is neither free, nor a cluster, nor a mark.
fn is_nonsense(layout: &Layout, entry: &[u8]) -> bool {
    let value = layout.kind.value(entry);
    value != 0 && !layout.kind.is_mark(value) && layout.entry(value).is_none()
}
