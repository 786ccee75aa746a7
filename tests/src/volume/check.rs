//! Whether a file system is whole.

use super::tree::runs;
use super::{Entry, FileSystem, Tree, Volume};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

/// Something that is wrong with a file system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// Two files have a cluster.
    Shared {
        /// The cluster.
        cluster: u32,
        /// The files.
        files: [String; 2],
    },
    /// A chain of clusters doesn't end as chains do.
    Broken {
        /// The file.
        file: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A file has fewer clusters than its size needs.
    Short {
        /// The file.
        file: String,
        /// Its size in bytes.
        size: u64,
        /// Its clusters.
        clusters: u64,
    },
    /// A file has more clusters than its size needs.
    Long {
        /// The file.
        file: String,
        /// Its size in bytes.
        size: u64,
        /// Its clusters.
        clusters: u64,
    },
    /// exFAT: an entry set that other systems reject.
    BadSet {
        /// The directory.
        folder: String,
        /// The byte at which the set begins.
        offset: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// exFAT: a file has a cluster that the bitmap says is free.
    Unmarked {
        /// The file.
        file: String,
        /// The cluster.
        cluster: u32,
    },
    /// exFAT: bytes of a file that were never written.
    Unwritten {
        /// The file.
        file: String,
        /// Bytes that were.
        valid: u64,
        /// Its size.
        size: u64,
    },
    /// Clusters in use that no file has.
    Lost {
        /// The clusters.
        clusters: Range<u32>,
    },
    /// The FATs differ.
    FatsDiffer {
        /// The block of the second one.
        block: u32,
    },
    /// FSInfo claims a wrong number of free clusters.
    FreeCount {
        /// What it claims.
        claimed: u32,
        /// What the FAT says.
        counted: u32,
    },
    /// Parts of a long name without its file.
    OrphanName {
        /// The directory.
        folder: String,
        /// The name.
        name: String,
    },
    /// Entries after a directory's end.
    BehindEnd {
        /// The directory.
        folder: String,
        /// The byte at which the first of them begins.
        offset: usize,
    },
    /// Entries `.` and `..` that lead elsewhere, or aren't the first two.
    Dots {
        /// The directory.
        folder: String,
    },
}

impl Flaw {
    /// Whether a cut of the power may leave it until the next mount: space that no file uses, and what goes with it.
    pub fn is_waste(&self) -> bool {
        matches!(self, Flaw::Lost { .. } | Flaw::Long { .. } | Flaw::FatsDiffer { .. } | Flaw::FreeCount { .. })
    }
}

/// What was found on a volume.
pub struct Report {
    /// Its files and folders.
    pub tree: Tree,
    /// What is wrong.
    pub flaws: Vec<Flaw>,
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "flaws: {:#?}", self.flaws)?;
        for entry in &self.tree.entries {
            writeln!(f, "{:>10} bytes, clusters {:?}: {}", entry.size, entry.runs, entry.path)?;
        }
        Ok(())
    }
}

impl Report {
    /// Panics unless every file is readable and has its clusters for itself. Wasted space is accepted.
    #[track_caller]
    pub fn assert_readable(&self, context: impl fmt::Display) {
        let severe: Vec<_> = self.flaws.iter().filter(|flaw| !flaw.is_waste()).collect();
        assert!(severe.is_empty(), "{context}: {severe:#?}\n{self:?}");
    }

    /// Panics if anything is wrong.
    #[track_caller]
    pub fn assert_clean(&self, context: impl fmt::Display) {
        assert!(self.flaws.is_empty(), "{context}: {self:?}");
    }
}

impl Volume {
    /// Walks the whole volume.
    pub fn check(&self) -> Report {
        let mut tree = self.tree();
        let mut flaws = std::mem::take(&mut tree.flaws);
        for entry in &tree.entries {
            self.check_size(entry, &mut flaws);
        }
        let mut owned: Vec<(Range<u32>, &str)> = tree
            .entries
            .iter()
            .flat_map(|entry| entry.runs.iter().map(|run| (run.clone(), entry.path.as_str())))
            .collect();
        owned.sort_by_key(|(run, _)| (run.start, run.end));
        let mut last: Option<&(Range<u32>, &str)> = None;
        for next in &owned {
            match last {
                Some((run, path)) if next.0.start < run.end => {
                    let files = [(*path).to_owned(), next.1.to_owned()];
                    flaws.push(Flaw::Shared { cluster: next.0.start, files });
                    last = if next.0.end > run.end { Some(next) } else { last };
                }
                _ => last = Some(next),
            }
        }
        let used = if self.kind == FileSystem::ExFat { self.marked() } else { self.used_runs() };
        self.compare(&owned, &used, &mut flaws);
        if let Some(block) = self.differing_fat_block() {
            flaws.push(Flaw::FatsDiffer { block });
        }
        if let Some(info) = self.info {
            let claimed = super::u32_at(&self.card.block(info), 488);
            let counted = self.free_clusters();
            // All ones: unknown.
            if claimed != u32::MAX && claimed != counted {
                flaws.push(Flaw::FreeCount { claimed, counted });
            }
        }
        Report { tree, flaws }
    }

    fn check_size(&self, entry: &Entry, flaws: &mut Vec<Flaw>) {
        let (file, size, clusters) = (entry.path.clone(), entry.size, entry.clusters());
        let needed = size.div_ceil(self.cluster_bytes());
        // A folder of FAT has no size, and neither has the root.
        if entry.is_folder && (self.kind != FileSystem::ExFat || entry.path == "(root)") {
            return;
        }
        if clusters < needed {
            flaws.push(Flaw::Short { file, size, clusters });
        } else if clusters > needed || (size == 0 && entry.first != 0) {
            flaws.push(Flaw::Long { file, size, clusters });
        } else if entry.valid != size {
            flaws.push(Flaw::Unwritten { file, valid: entry.valid, size });
        }
    }

    /// The runs of clusters whose entries in the FAT aren't free; those that can't be used belong to nobody.
    fn used_runs(&self) -> Vec<Range<u32>> {
        let used = self.used_entries().into_iter().filter(|&(_, entry)| entry != self.bad_mark());
        runs(used.map(|(cluster, _)| cluster))
    }

    /// The runs of clusters that exFAT's bitmap says are in use; those that can't be used belong to nobody.
    fn marked(&self) -> Vec<Range<u32>> {
        let bitmap = self.bitmap();
        let set = (0..).zip(&bitmap).filter(|&(_, &byte)| byte != 0);
        let bits =
            |(at, &byte): (u32, &u8)| (0..8).filter(move |bit| byte >> bit & 1 != 0).map(move |bit| at * 8 + bit);
        let clusters = set.flat_map(bits).map(|bit| bit + 2).take_while(|&cluster| cluster < self.clusters + 2);
        let bad: BTreeSet<u32> = self.bad_clusters().collect();
        runs(clusters.filter(|cluster| !bad.contains(cluster)))
    }

    fn bad_clusters(&self) -> impl Iterator<Item = u32> {
        self.used_entries().into_iter().filter(|&(_, entry)| entry == self.bad_mark()).map(|(cluster, _)| cluster)
    }

    /// Compares the clusters that files have with those in use. Both are sorted.
    fn compare(&self, owned: &[(Range<u32>, &str)], used: &[Range<u32>], flaws: &mut Vec<Flaw>) {
        let mut owners = owned.iter().peekable();
        for run in used {
            let mut at = run.start;
            while at < run.end {
                while owners.next_if(|(owner, _)| owner.end <= at).is_some() {}
                match owners.peek() {
                    Some((owner, _)) if owner.start <= at => at = owner.end.min(run.end),
                    Some((owner, _)) if owner.start < run.end => {
                        flaws.push(Flaw::Lost { clusters: at..owner.start });
                        at = owner.start;
                    }
                    _ => {
                        flaws.push(Flaw::Lost { clusters: at..run.end });
                        at = run.end;
                    }
                }
            }
        }
        // A chain of FAT that has a free cluster is broken, and was reported.
        if self.kind == FileSystem::ExFat {
            let mut marked = used.iter().peekable();
            for (run, file) in owned {
                let mut at = run.start;
                while at < run.end {
                    while marked.next_if(|marked| marked.end <= at).is_some() {}
                    match marked.peek() {
                        Some(marked) if marked.start <= at => at = marked.end.min(run.end),
                        _ => {
                            flaws.push(Flaw::Unmarked { file: (*file).to_owned(), cluster: at });
                            break;
                        }
                    }
                }
            }
        }
    }
}
