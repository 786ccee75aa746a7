//! All files and folders of a volume, with their clusters.

use super::check::Flaw;
use super::directory::{self, FOLDER, Named, READ_ONLY};
use super::{FileSystem, Volume};
use std::ops::Range;

/// A file or folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Folders and name, separated by `/`. Names in brackets are the file system's own.
    pub path: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Whether it is marked as read-only.
    pub is_read_only: bool,
    /// Its first cluster, 0 without one.
    pub first: u32,
    /// Its size in bytes.
    pub size: u64,
    /// exFAT: bytes that were written.
    pub valid: u64,
    /// exFAT: whether its clusters follow each other without the FAT.
    pub contiguous: bool,
    /// Its clusters, where those that follow each other are one range.
    pub runs: Vec<Range<u32>>,
    /// The block and the byte in it at which its entry begins.
    pub at: (u32, usize),
}

impl Entry {
    /// How many clusters it has.
    pub fn clusters(&self) -> u64 {
        self.runs.iter().map(|run| u64::from(run.end - run.start)).sum()
    }
}

/// All files and folders of a volume.
pub struct Tree {
    /// Folders before what they hold.
    pub entries: Vec<Entry>,
    /// What is wrong with directories and chains.
    pub(super) flaws: Vec<Flaw>,
}

impl Tree {
    /// A file or folder.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.path == path)
    }

    /// What is wrong with directories and chains.
    pub fn flaws(&self) -> &[Flaw] {
        &self.flaws
    }

    /// The files in a folder.
    pub fn files<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a Entry> {
        let is_in = move |entry: &&Entry| {
            let name = match folder {
                "" => Some(entry.path.as_str()),
                _ => entry.path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
            };
            !entry.is_folder && name.is_some_and(|name| !name.contains('/') && !name.starts_with('('))
        };
        self.entries.iter().filter(is_in)
    }
}

/// Clusters as ranges of those that follow each other.
pub(super) fn runs(clusters: impl IntoIterator<Item = u32>) -> Vec<Range<u32>> {
    let mut runs: Vec<Range<u32>> = Vec::new();
    for cluster in clusters {
        match runs.last_mut() {
            Some(run) if run.end == cluster => run.end += 1,
            _ => runs.push(cluster..cluster + 1),
        }
    }
    runs
}

impl Volume {
    /// Reads all directories.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree { entries: Vec::new(), flaws: Vec::new() };
        let mut folders: Vec<(String, u32, u32, Vec<u32>)> = Vec::new();
        if self.kind == FileSystem::Fat16 {
            folders.push((String::new(), 0, 0, self.root_blocks.clone().collect()));
        } else {
            let root = Named {
                name: "(root)".to_owned(),
                attributes: FOLDER,
                first: self.root_cluster,
                size: 0,
                valid: 0,
                contiguous: false,
                offset: 0,
                is_dot: false,
            };
            let (entry, blocks) = self.follow(String::new(), &root, (0, 0), &mut tree.flaws);
            folders.push((String::new(), 0, self.root_cluster, blocks));
            tree.entries.push(entry);
        }
        while let Some((folder, parent, cluster, blocks)) = folders.pop() {
            let bytes: Vec<u8> = blocks.iter().flat_map(|&at| self.card.block(at)).collect();
            let named = if self.kind == FileSystem::ExFat {
                let (named, system) = directory::exfat(&folder, &bytes, &mut tree.flaws);
                for named in system {
                    let at = (blocks[named.offset / 512], named.offset % 512);
                    let (entry, _) = self.follow(folder.clone(), &named, at, &mut tree.flaws);
                    tree.entries.push(entry);
                }
                named
            } else {
                let named = directory::fat(&folder, &bytes, &mut tree.flaws);
                let begins_with_dots = [".", ".."].iter().zip(&named).all(|(name, first)| first.name == *name);
                if !folder.is_empty() && (named.len() < 2 || !begins_with_dots) {
                    tree.flaws.push(Flaw::Dots { folder: folder.clone() });
                }
                named
            };
            for named in named {
                let at = (blocks[named.offset / 512], named.offset % 512);
                if named.is_dot {
                    let expected = if named.name == "." { cluster } else { parent };
                    if named.first != expected || folder.is_empty() {
                        tree.flaws.push(Flaw::Dots { folder: folder.clone() });
                    }
                    continue;
                }
                let (entry, blocks) = self.follow(folder.clone(), &named, at, &mut tree.flaws);
                // A folder that is in itself.
                let is_known = tree.entries.iter().any(|known| known.is_folder && known.first == entry.first);
                if entry.is_folder && !blocks.is_empty() && !is_known {
                    let parent = if folder.is_empty() { 0 } else { cluster };
                    folders.push((entry.path.clone(), parent, entry.first, blocks));
                }
                tree.entries.push(entry);
            }
        }
        tree
    }

    /// Finds the clusters and, of a folder, the blocks of an entry.
    fn follow(&self, folder: String, named: &Named, at: (u32, usize), flaws: &mut Vec<Flaw>) -> (Entry, Vec<u32>) {
        let path = if folder.is_empty() { named.name.clone() } else { format!("{folder}/{}", named.name) };
        let is_folder = named.attributes & FOLDER != 0;
        let needed = named.size.div_ceil(self.cluster_bytes());
        let runs = if named.first == 0 {
            Vec::new()
        } else if named.contiguous {
            let end = u64::from(named.first) + needed;
            if !self.all_clusters().contains(&named.first) || end > u64::from(self.clusters) + 2 {
                flaws.push(Flaw::Broken { file: path.clone(), why: "goes beyond the last cluster" });
                Vec::new()
            } else if needed == 0 {
                Vec::new()
            } else {
                std::iter::once(named.first..end as u32).collect()
            }
        } else {
            let (clusters, why) = self.chain(named.first);
            if let Some(why) = why {
                flaws.push(Flaw::Broken { file: path.clone(), why });
            }
            runs(clusters)
        };
        let mut blocks = Vec::new();
        if is_folder {
            blocks = runs.iter().flat_map(|run| run.clone()).flat_map(|cluster| self.blocks_of(cluster)).collect();
            if self.kind == FileSystem::ExFat && named.name != "(root)" {
                blocks.truncate((named.size / 512) as usize);
            }
        }
        let entry = Entry {
            path,
            is_folder,
            is_read_only: named.attributes & READ_ONLY != 0,
            first: named.first,
            size: named.size,
            valid: named.valid,
            contiguous: named.contiguous,
            runs,
            at,
        };
        (entry, blocks)
    }

    /// What a file holds, up to its size or its last cluster.
    pub fn contents(&self, file: &Entry) -> Vec<u8> {
        let mut contents = Vec::new();
        for cluster in file.runs.iter().flat_map(|run| run.clone()) {
            for at in self.blocks_of(cluster) {
                if contents.len() as u64 >= file.size {
                    break;
                }
                contents.extend_from_slice(&self.card.block(at));
            }
        }
        contents.truncate(file.size as usize);
        contents
    }

    /// What the file of this path holds.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.tree().get(path).map(|file| self.contents(file))
    }
}
