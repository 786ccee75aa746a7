//! What each block of a volume is part of.

use super::{FileSystem, Volume};
use std::collections::BTreeSet;

/// What a block is part of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Region {
    /// Nothing of the file system.
    Outside,
    /// The boot sector and the other blocks before the FATs.
    Boot,
    /// FAT32's block of hints.
    Info,
    /// A FAT.
    Fat,
    /// exFAT's bitmap.
    Bitmap,
    /// A directory.
    Directory,
    /// A cluster that is free, lost or a file's.
    Contents,
}

/// The parts of a volume as it was when they were listed.
pub struct Regions {
    volume: Volume,
    directories: BTreeSet<u32>,
    bitmap: BTreeSet<u32>,
}

impl Volume {
    /// Lists the parts of the volume.
    pub fn regions(&self) -> Regions {
        let tree = self.tree();
        let folders = tree.entries.iter().filter(|entry| entry.is_folder).flat_map(|entry| entry.runs.iter().cloned());
        let blocks = folders.flatten().flat_map(|cluster| self.blocks_of(cluster));
        let directories = blocks.chain(self.root_blocks.clone()).collect();
        let bitmap = if self.kind == FileSystem::ExFat { self.bitmap_clusters() } else { Vec::new() };
        let bitmap = bitmap.into_iter().flat_map(|cluster| self.blocks_of(cluster)).collect();
        Regions { volume: self.clone(), directories, bitmap }
    }
}

impl Regions {
    /// What a block is part of.
    pub fn of(&self, at: u32) -> Region {
        let volume = &self.volume;
        if !(volume.start..volume.start + volume.blocks).contains(&at) {
            Region::Outside
        } else if volume.info == Some(at) {
            Region::Info
        } else if at < volume.fat {
            Region::Boot
        } else if at < volume.fat + volume.fats * volume.fat_blocks {
            Region::Fat
        } else if self.directories.contains(&at) {
            Region::Directory
        } else if self.bitmap.contains(&at) {
            Region::Bitmap
        } else {
            Region::Contents
        }
    }
}
