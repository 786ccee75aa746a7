//! What the recorder is doing.

#[cfg(feature = "exfat")]
use super::chain::BitmapChain;
use super::chain::ChainWalk;
use super::note::Removal;
use super::partition::{BlockRange, EntriesCheck};
use super::release::Release;
use super::search::{ClusterSearch, Run};

/// One task at a time, with the data that only this task needs. Passes over a directory share the recorder's cursor,
/// and what happens while a log is created or lengthened its `folder_scan` and `new`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    Done,
    // Where the file system is.
    PartitionTable,
    /// The header of the GPT is in block `at`, its copy in another; 0 if that one isn't to be tried.
    GptHeader {
        at: u32,
        copy: u32,
    },
    GptEntries(EntriesCheck),
    /// The entry is in block `at`, from `byte` on.
    GptEntry {
        at: u32,
        byte: usize,
    },
    Boot(BlockRange),
    ReadInfo,
    Root,
    #[cfg(feature = "exfat")]
    Bitmap(BitmapChain),
    Folder,
    // Clusters are given back.
    Release(Release),
    // A log is removed.
    FindSubject,
    LongName,
    #[cfg(feature = "exfat")]
    Unset,
    #[cfg(feature = "exfat")]
    UnsetRest,
    Walk(ChainWalk),
    /// `piece` is the chain's last, `before` the cluster that is linked to it; 0 if the entry is.
    Shrink {
        piece: Removal,
        before: u32,
        /// The first cluster of the piece that was given back last.
        given_back: Option<u32>,
    },
    #[cfg(feature = "exfat")]
    ClearRemovalFlag,
    #[cfg(feature = "exfat")]
    Removed,
    // A number, a place in the directory and room are looked for.
    /// The highest number so far.
    FindHighest {
        highest: u32,
    },
    /// All numbers up to `gap` are taken, and of the 32 after that those whose bits are set in `taken`.
    FindGap {
        gap: u32,
        taken: u32,
    },
    LookAround,
    FillSlots,
    MakeRoom,
    Count,
    Search(ClusterSearch),
    // A log or the folder is created, or a log or a directory gets another run.
    /// `done` blocks of the run are cleared.
    Clear {
        run: Run,
        done: u32,
    },
    #[cfg(feature = "exfat")]
    Sign(Run),
    PutNote(Run),
    /// The clusters of `new` from `at` on are marked.
    Mark {
        at: u32,
    },
    ShowEntry,
    EraseNewNote,
    Link,
    /// The open log's run has `added` more clusters.
    NoteRun {
        added: u32,
    },
    // A log is flushed.
    SyncLink,
    SyncEntry,
    SaveInfo,
}
