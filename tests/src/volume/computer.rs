//! A computer into which the card is put: it makes files, folders, long names and fragments.

use super::directory::{ARCHIVE, FOLDER, LONG_NAME, LONG_NAME_PLACES, READ_ONLY, name_hash, set_sum, short_name_sum};
use super::{FileSystem, Volume};
use crate::ram_card::RamCard;

/// Which clusters a file gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clusters {
    /// The first free ones.
    First,
    /// The first free ones from this cluster on.
    From(u32),
    /// Every nth of the free ones.
    Every(usize),
    /// The first free ones that follow each other; on exFAT without an entry in the FAT.
    Contiguous,
    /// The free ones from the last down, so that its chain runs backwards.
    Backwards,
}

/// A computer that has the card.
pub struct Computer {
    volume: Volume,
}

impl Computer {
    /// Takes the card.
    pub fn new(card: &RamCard) -> Self {
        Computer { volume: Volume::of(card) }
    }

    /// The volume.
    pub fn volume(&self) -> &Volume {
        &self.volume
    }

    /// Makes a file with contents.
    pub fn put(&self, path: &str, contents: &[u8], place: Clusters) {
        let clusters = self.allocate((contents.len() as u64).div_ceil(self.volume.cluster_bytes()) as usize, place);
        let blocks = clusters.iter().flat_map(|&cluster| self.volume.blocks_of(cluster));
        for (at, bytes) in blocks.zip(contents.chunks(512)) {
            self.volume.card.edit(at, |block| block[..bytes.len()].copy_from_slice(bytes));
        }
        self.name(path, ARCHIVE, &clusters, contents.len() as u64, place == Clusters::Contiguous);
    }

    /// Makes a file of `clusters` clusters, which keep their contents.
    pub fn occupy(&self, path: &str, clusters: u32, place: Clusters) {
        let size = u64::from(clusters) * self.volume.cluster_bytes();
        assert!(
            self.volume.kind == FileSystem::ExFat || size <= u64::from(u32::MAX),
            "a file on FAT has at most 4 GiB"
        );
        let clusters = self.allocate(clusters as usize, place);
        self.name(path, ARCHIVE, &clusters, size, place == Clusters::Contiguous);
    }

    /// Makes files until only `free` clusters are free.
    pub fn occupy_all_but(&self, path: &str, free: u32) {
        let most = (u64::from(u32::MAX) / self.volume.cluster_bytes()) as u32;
        let mut number = 0;
        loop {
            let left = self.volume.free_clusters();
            // Naming the file may make the folder grow.
            if left <= free {
                return;
            }
            self.occupy(&format!("{path}{number}.DAT"), (left - free).min(most), Clusters::First);
            number += 1;
        }
    }

    /// Makes a folder.
    pub fn folder(&self, path: &str) {
        let cluster = self.allocate(1, Clusters::First)[0];
        self.clear(cluster);
        if self.volume.kind != FileSystem::ExFat {
            let parent = parent_of(path).map_or(0, |parent| self.entry_of(parent).first);
            let first = self.volume.blocks_of(cluster).start;
            self.volume.card.edit(first, |block| {
                block[..32].copy_from_slice(&short_entry(b".          ", FOLDER, cluster, 0));
                block[32..64].copy_from_slice(&short_entry(b"..         ", FOLDER, parent, 0));
            });
        }
        self.name(path, FOLDER, &[cluster], self.volume.cluster_bytes(), false);
    }

    /// Deletes a file, and leaves the rest of its entries as they are.
    pub fn delete(&self, path: &str) {
        let entry = self.entry_of(path);
        for cluster in entry.runs.iter().cloned().flatten() {
            if self.volume.kind == FileSystem::ExFat {
                self.set_bit(cluster, false);
            }
            if !entry.contiguous {
                self.set_entry(cluster, 0);
            }
        }
        let (at, offset) = entry.at;
        if self.volume.kind != FileSystem::ExFat {
            return self.volume.card.edit(at, |block| block[offset] = 0xE5);
        }
        let slots = 1 + usize::from(self.volume.card.block(at)[offset + 1]);
        // These cards have contiguous directories.
        for slot in offset / 32..offset / 32 + slots {
            self.volume.card.edit(at + slot as u32 / 16, |block| block[slot % 16 * 32] &= 0x7F);
        }
    }

    /// Marks a file as read-only.
    pub fn protect(&self, path: &str) {
        let (at, offset) = self.entry_of(path).at;
        if self.volume.kind != FileSystem::ExFat {
            return self.volume.card.edit(at, |block| block[offset + 11] |= READ_ONLY);
        }
        self.volume.card.edit(at, |block| {
            block[offset + 4] |= READ_ONLY;
            let length = 32 * (1 + usize::from(block[offset + 1]));
            let sum = set_sum(&block[offset..offset + length]);
            block[offset + 2..offset + 4].copy_from_slice(&sum.to_le_bytes());
        });
    }

    /// Lets FSInfo say how many clusters are free, as computers do.
    pub fn note_free_clusters(&self) {
        if let Some(info) = self.volume.info {
            let free = self.volume.free_clusters();
            self.volume.card.edit(info, |block| block[488..492].copy_from_slice(&free.to_le_bytes()));
        }
    }

    /// Marks a cluster as one that can't be used.
    pub fn mark_bad(&self, cluster: u32) {
        self.set_entry(cluster, self.volume.bad_mark());
        if self.volume.kind == FileSystem::ExFat {
            self.set_bit(cluster, true);
        }
    }

    /// Links a cluster to another one, even if that breaks a chain.
    pub fn link(&self, cluster: u32, next: u32) {
        self.set_entry(cluster, next);
    }

    fn entry_of(&self, path: &str) -> super::Entry {
        self.volume.tree().get(path).unwrap_or_else(|| panic!("there is no {path}")).clone()
    }

    /// Takes free clusters, and links them unless they need no links.
    fn allocate(&self, count: usize, place: Clusters) -> Vec<u32> {
        let free: Vec<u32> = self.volume.free().collect();
        let clusters: Vec<u32> = match place {
            Clusters::First => free.into_iter().take(count).collect(),
            Clusters::From(from) => free.into_iter().filter(|&cluster| cluster >= from).take(count).collect(),
            Clusters::Every(step) => free.into_iter().step_by(step).take(count).collect(),
            Clusters::Backwards => free.into_iter().rev().take(count).collect(),
            Clusters::Contiguous => {
                let run = free.windows(count.max(1)).find(|run| run[count.max(1) - 1] - run[0] == count as u32 - 1);
                run.map_or_else(Vec::new, <[u32]>::to_vec)
            }
        };
        assert_eq!(clusters.len(), count, "the card has room for the file");
        for (&cluster, next) in clusters.iter().zip(clusters.iter().skip(1).copied().chain([0x0FFF_FFFF])) {
            let is_end = next == 0x0FFF_FFFF;
            if self.volume.kind == FileSystem::ExFat {
                self.set_bit(cluster, true);
                if place == Clusters::Contiguous {
                    // The FAT says nothing of them, so anything may be there (exFAT specification, 6.3.4.2).
                    self.set_entry(cluster, 2 + cluster % 5);
                    continue;
                }
            }
            let end = if self.volume.kind == FileSystem::Fat32 { 0x0FFF_FFFF } else { u32::MAX };
            self.set_entry(cluster, if is_end { end } else { next });
        }
        clusters
    }

    fn set_entry(&self, cluster: u32, value: u32) {
        let volume = &self.volume;
        let (active, offset) = volume.place_of(cluster);
        let within = active - volume.fat - volume.active_fat * volume.fat_blocks;
        let copies = if volume.mirrored { 0..volume.fats } else { volume.active_fat..volume.active_fat + 1 };
        for copy in copies {
            volume.card.edit(volume.fat + copy * volume.fat_blocks + within, |block| match volume.kind {
                FileSystem::Fat16 => block[offset..offset + 2].copy_from_slice(&(value as u16).to_le_bytes()),
                _ => block[offset..offset + 4].copy_from_slice(&value.to_le_bytes()),
            });
        }
    }

    fn set_bit(&self, cluster: u32, is_used: bool) {
        let bit = cluster - 2;
        let per_cluster = self.volume.cluster_blocks * 4096;
        let holder = self.volume.bitmap_clusters()[(bit / per_cluster) as usize];
        let at = self.volume.blocks_of(holder).start + bit % per_cluster / 4096;
        self.volume.card.edit(at, |block| {
            let byte = &mut block[(bit % 4096 / 8) as usize];
            let bit = 1 << (bit % 8);
            *byte = if is_used { *byte | bit } else { *byte & !bit };
        });
    }

    fn clear(&self, cluster: u32) {
        for at in self.volume.blocks_of(cluster) {
            self.volume.card.set_block(at, [0; 512]);
        }
    }

    /// Puts the entries of a new file into its folder.
    fn name(&self, path: &str, attributes: u8, clusters: &[u32], size: u64, contiguous: bool) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let first = clusters.first().copied().unwrap_or(0);
        let entries = if self.volume.kind == FileSystem::ExFat {
            exfat_set(name, attributes, first, size, contiguous && first != 0)
        } else {
            let size = if attributes & FOLDER != 0 { 0 } else { size as u32 };
            fat_entries(name, attributes, first, size, self.volume.free_clusters())
        };
        let blocks = self.folder_blocks(path, entries.len());
        let bytes: Vec<u8> = blocks.iter().flat_map(|&at| self.volume.card.block(at)).collect();
        let end = bytes.chunks(32).position(|entry| entry[0] == 0).unwrap_or(bytes.len() / 32);
        for (number, entry) in (end..).zip(&entries) {
            let offset = number % 16 * 32;
            self.volume.card.edit(blocks[number / 16], |block| block[offset..offset + 32].copy_from_slice(entry));
        }
    }

    /// The blocks of the folder of a path, with room for `entries` entries after the others.
    fn folder_blocks(&self, path: &str, entries: usize) -> Vec<u32> {
        let volume = &self.volume;
        loop {
            let (blocks, folder) = match parent_of(path) {
                None if volume.kind == FileSystem::Fat16 => (volume.root_blocks.clone().collect(), None),
                parent => {
                    let folder = self.entry_of(parent.unwrap_or("(root)"));
                    let clusters = folder.runs.iter().flat_map(|run| run.clone());
                    (clusters.flat_map(|cluster| volume.blocks_of(cluster)).collect::<Vec<_>>(), Some(folder))
                }
            };
            let bytes: Vec<u8> = blocks.iter().flat_map(|&at| volume.card.block(at)).collect();
            let free = bytes.chunks(32).rev().take_while(|entry| entry[0] == 0).count();
            if free >= entries {
                return blocks;
            }
            let folder = folder.expect("FAT16's root directory has room");
            let last = folder.runs.last().map_or(0, |run| run.end - 1);
            let more = self.allocate(1, Clusters::First)[0];
            self.clear(more);
            self.set_entry(last, more);
            if volume.kind == FileSystem::ExFat && folder.path != "(root)" {
                self.resize(&folder.path, folder.size + volume.cluster_bytes());
            }
        }
    }

    /// exFAT: sets the size in the entries of a file or a folder, and leaves its clusters.
    pub fn resize(&self, path: &str, size: u64) {
        self.set_sizes(path, size, size);
    }

    /// exFAT: says that only the first bytes of a file were written; its size stays.
    pub fn leave_unwritten(&self, path: &str, valid: u64) {
        self.set_sizes(path, self.entry_of(path).size, valid);
    }

    fn set_sizes(&self, path: &str, size: u64, valid: u64) {
        let (at, offset) = self.entry_of(path).at;
        self.volume.card.edit(at, |block| {
            let length = 32 * (1 + usize::from(block[offset + 1]));
            let set = &mut block[offset..offset + length];
            set[32 + 8..32 + 16].copy_from_slice(&valid.to_le_bytes());
            set[32 + 24..32 + 32].copy_from_slice(&size.to_le_bytes());
            let sum = set_sum(set);
            set[2..4].copy_from_slice(&sum.to_le_bytes());
        });
    }
}

fn parent_of(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

fn short_entry(name: &[u8; 11], attributes: u8, first: u32, size: u32) -> [u8; 32] {
    let mut entry = [0; 32];
    entry[..11].copy_from_slice(name);
    entry[11] = attributes;
    // 21 June 2026, 12:00.
    entry[14..20].copy_from_slice(&[0, 0x60, 0xD5, 0x5C, 0xD5, 0x5C]);
    entry[20..22].copy_from_slice(&((first >> 16) as u16).to_le_bytes());
    entry[22..26].copy_from_slice(&[0, 0x60, 0xD5, 0x5C]);
    entry[26..28].copy_from_slice(&(first as u16).to_le_bytes());
    entry[28..].copy_from_slice(&size.to_le_bytes());
    entry
}

/// The short name, and the parts of a long one where the name needs them; `seed` tells the aliases apart.
fn fat_entries(name: &str, attributes: u8, first: u32, size: u32, seed: u32) -> Vec<[u8; 32]> {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_short =
        |part: &str| part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let mut short = [b' '; 11];
    for (place, byte) in short[8..].iter_mut().zip(extension.to_ascii_uppercase().bytes()) {
        *place = byte;
    }
    if stem.len() <= 8 && extension.len() <= 3 && is_short(stem) && is_short(extension) {
        short[..stem.len()].copy_from_slice(stem.as_bytes());
        return vec![short_entry(&short, attributes, first, size)];
    }
    // A name that only its small letters make a long one keeps its characters.
    let upper = stem.to_ascii_uppercase();
    if stem.len() <= 8 && extension.len() <= 3 && is_short(&upper) && is_short(&extension.to_ascii_uppercase()) {
        short[..upper.len()].copy_from_slice(upper.as_bytes());
    } else {
        short[..8].copy_from_slice(format!("F{:05X}~1", seed & 0xF_FFFF).as_bytes());
    }
    let units: Vec<u16> = name.encode_utf16().collect();
    let parts = units.chunks(13).enumerate().map(|(number, part)| {
        let mut entry = [0xFF; 32];
        let is_last = (number + 1) * 13 >= units.len();
        entry[0] = (number as u8 + 1) | if is_last { 0x40 } else { 0 };
        (entry[11], entry[12], entry[13]) = (LONG_NAME, 0, short_name_sum(&short));
        entry[26..28].fill(0);
        for (&at, unit) in LONG_NAME_PLACES.iter().zip(part.iter().chain([&0])) {
            entry[at..at + 2].copy_from_slice(&unit.to_le_bytes());
        }
        entry
    });
    let mut entries: Vec<_> = parts.collect();
    entries.reverse();
    entries.push(short_entry(&short, attributes, first, size));
    entries
}

fn exfat_set(name: &str, attributes: u8, first: u32, size: u64, contiguous: bool) -> Vec<[u8; 32]> {
    let units: Vec<u16> = name.encode_utf16().collect();
    let names = units.chunks(15).map(|part| {
        let mut entry = [0; 32];
        entry[0] = 0xC1;
        for (at, unit) in (2..).step_by(2).zip(part) {
            entry[at..at + 2].copy_from_slice(&unit.to_le_bytes());
        }
        entry
    });
    let mut stream = [0; 32];
    (stream[0], stream[1], stream[3]) = (0xC0, 1 | u8::from(contiguous) << 1, units.len() as u8);
    stream[4..6].copy_from_slice(&name_hash(&units).to_le_bytes());
    stream[8..16].copy_from_slice(&size.to_le_bytes());
    stream[20..24].copy_from_slice(&first.to_le_bytes());
    stream[24..].copy_from_slice(&size.to_le_bytes());
    let mut file = [0; 32];
    (file[0], file[4]) = (0x85, attributes);
    // 21 June 2026, 12:00.
    for at in [8, 12, 16] {
        file[at..at + 4].copy_from_slice(&[0, 0x60, 0xD5, 0x5C]);
    }
    let mut set: Vec<[u8; 32]> = [file, stream].into_iter().chain(names).collect();
    set[0][1] = set.len() as u8 - 1;
    let sum = set_sum(set.as_flattened());
    set[0][2..4].copy_from_slice(&sum.to_le_bytes());
    set
}
