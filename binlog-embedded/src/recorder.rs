// Held by tests/tests/card/promise.rs, tests/tests/card/power_cuts.rs, tests/tests/card/random.rs.
// Held by tests/tests/card/bounds.rs.

//! Append-only logs on FAT16, FAT32 and exFAT, as a state machine without I/O.
//!
//! [`Recorder::step`] names the next transfer, and is called again when it is complete: each task asks for the block
//! that it needs, and runs again once that block is loaded. Blocking and asynchronous transfers share all of this. The
//! contents of a log don't pass through here.
//!
//! # Tasks
//!
//! A [`Goal`] is reached by one [`Task`] after another. A task holds what only it needs. The step that completes it
//! puts the next one into [`Recorder::task`], before it stops for its last transfer; nothing else says what comes next.
//! These tasks follow each other. Those in brackets may be left out, those before `…` may repeat.
//!
//! ```text
//! mount    PartitionTable [GptHeader GptEntries GptEntry] Boot ReadInfo
//!          Root [Bitmap Root] [Release Root]… Folder [Release Folder]… [removal Folder]…
//! folder   Root LookAround [FillSlots] MakeRoom Search Clear PutNote Mark ShowEntry EraseNewNote Root
//! begin    FindHighest [FindGap] LookAround [FillSlots] [growth] MakeRoom [Count MakeRoom] [removal LookAround]…
//!          Search [Sign] PutNote Mark ShowEntry
//! extend   Mark [NoteRun], or MakeRoom [LookAround] [removal LookAround]… Search [Sign] PutNote Mark, then on FAT
//!          Link, on exFAT NoteRun
//! prepare  Search NoteRun
//! sync     [SyncLink NoteRun]… SyncLink SyncEntry
//! end      Release SaveInfo
//! remove   FindHighest [FindGap] LookAround removal SaveInfo
//! count    Count
//!
//! removal  FindSubject [LongName], on FAT (Walk Shrink Release)…,
//!          on exFAT Unset UnsetRest (Walk Release)… ClearRemovalFlag Removed
//! growth   Search Clear PutNote Mark Link EraseNewNote LookAround, of a cluster for the directory
//! ```
//!
//! Beside the task, the recorder has what several tasks share:
//!
//! - `disk`: all use it, after `Boot`.
//! - `log`: the open log, from `ShowEntry` until its `Release` begins.
//! - `cursor`: the place of a pass over a directory (`Root`, `Folder`, `FindHighest`, `FindGap`, `LookAround`,
//!   `FillSlots`). During a removal, its entry is the log's; where a directory grows, its cluster is the last.
//! - `folder_scan`: `LookAround` fills it, for `MakeRoom` and `PutNote`.
//! - `new`: `PutNote` or a longer extent fills it, for the tasks until the file has its run. Afterwards it tells a pass
//!   what was created before.
//! - `subject`: the log that a removal is about.
//!
//! # The order of writes
//!
//! Any write may be the last before a power cut, and may be torn: its beginning new, its end old, at an aligned word.
//!
//! A log gets a run of free clusters before its first byte. A [note](note::Note) in an unused directory slot tells of
//! the run before the first cluster is taken. On FAT, the clusters of the run are then **marked**: their entries in the
//! FAT get a value that ends a chain and that no other system writes. So a marked cluster that belongs to no file is
//! the recorder's, even if another system wrote to the card in between.
//!
//! On FAT, the run is marked one block of the FAT at a time. The note tells how many clusters are marked, and how many
//! the run has. Only clusters that the note calls marked are linked; so after a power cut, links in what follows are
//! another system's, and only marks there are the recorder's.
//!
//! A *set* is the three slots of a log on exFAT; its *removal flag* is a changed checksum; *bits* are those of the
//! allocation bitmap.
//!
//! |        | FAT                                                   | exFAT                                           |
//! | ------ | ----------------------------------------------------- | ----------------------------------------------- |
//! | begin  | note and unused entry → marks → entry in use, empty   | *signature* → note, unused set → bits → *taken* |
//! | flush  | contents → links, a block ahead → size in the entry   | contents → note and set, with size              |
//! | mark   | marks → note                                          |                                                 |
//! | extend | flush → note → marks → link to the new run            | flush → *signature* → note → bits → *taken*     |
//! | end    | excess links, last kept → mark; marks → free; no note | bits; no note                                   |
//! | remove | size 0; from the last piece: as above; entry unused   | set unused with flag, twice → bits → no flag    |
//!
//! On exFAT, a bit of the bitmap doesn't say whose a cluster is. If the power fails between note and bits, another
//! system may give the clusters of the run to a file. So the run's first block gets a *signature* before the note,
//! which that file overwrites, and when the bits are set, the note says that the clusters are *taken*: contents may
//! follow.
//!
//! The next mount completes what it finds half done.
//!
//! # Flash
//!
//! Tasks are matched by reference: copying them out and back would take more code. `#[inline(never)]` stands where
//! many steps share a function that is longer than its call: else each gets a copy, at the higher levels of
//! optimisation also of those that should be small.

mod bytes;
mod chain;
mod clusters;
mod create;
mod directory;
mod disk;
mod entry;
#[cfg(feature = "exfat")]
mod exfat;
mod extent;
mod fault;
mod folder_scan;
mod goal;
mod info;
mod loaded;
mod mend;
mod mount;
mod name;
mod note;
mod open_file;
mod options;
mod partition;
mod read;
#[cfg(feature = "mavlink")]
mod read_at;
mod release;
mod remove;
mod search;
mod sync;
mod task;
mod volume;

use bytes::Block;
pub(crate) use directory::Entry;
use directory::{Cursor, Directory, Item};
use disk::Disk;
pub use fault::{Damage, Fault, Flaw, Operation, Unusable};
use folder_scan::FolderScan;
pub(crate) use goal::{Goal, Stop};
use loaded::Loaded;
pub(crate) use loaded::NOTHING;
use open_file::OpenFile;
pub use options::Options;
#[cfg(feature = "mavlink")]
pub(crate) use read_at::Aside;
use release::Release;
use task::Task;

/// The state of the card and of what is done with it.
pub(crate) struct Recorder {
    pub(crate) disk: Disk,
    task: Task,
    goal: Goal,
    pub(crate) operation: Operation,
    pub(crate) is_mounted: bool,
    /// Whether the mount goes through the root directory, and not yet through the folder of the logs.
    is_in_root: bool,
    /// Whether the cluster after the run of the open log isn't free.
    is_blocked: bool,
    /// Whether cards were changed more than once. One of them may be back, whose logs of this boot are forgotten.
    is_boot_unknown: bool,
    has_changed_card: bool,
    extension: [u8; 3],
    /// The date of what is written, as FAT has it.
    pub(crate) date: u32,
    pub(crate) log: Option<OpenFile>,
    /// The log or folder that is being created, or the open log as it will be.
    new: OpenFile,
    folder: Directory,
    cursor: Cursor,
    folder_scan: FolderScan,
    /// The number of the log that is being removed or read; 0 for none.
    subject: u32,
    /// The size of the card, which the driver tells before a mount.
    pub(crate) card_blocks: u32,
    /// Bytes that the first run of a log on exFAT has room for, at least.
    #[cfg(feature = "exfat")]
    pub(crate) least_bytes: u32,
    /// The numbers of the first and the last log of this boot; 0 before there is one.
    first_of_boot: u32,
    last_of_boot: u32,
    /// Logs that are read at offsets.
    #[cfg(feature = "mavlink")]
    places: [read_at::Place; 2],
    /// What a call reads beside the goal, which an error is about then. The goal's own operation and subject stay,
    /// because the call's future may be dropped.
    #[cfg(feature = "mavlink")]
    reads: Option<(Operation, u32)>,
    pub(crate) options: Options,
}

impl Recorder {
    pub(crate) const fn new(options: Options) -> Self {
        Recorder {
            disk: Disk::NONE,
            task: Task::Done,
            goal: Goal::None,
            operation: Operation::Mount,
            is_mounted: false,
            is_in_root: false,
            is_blocked: false,
            is_boot_unknown: false,
            has_changed_card: false,
            extension: *b"BIN",
            date: 0,
            log: None,
            new: OpenFile::NONE,
            folder: Directory { cluster: 0, contiguous: 0 },
            cursor: Cursor::NONE,
            folder_scan: FolderScan::NONE,
            subject: 0,
            card_blocks: 0,
            #[cfg(feature = "exfat")]
            least_bytes: 0,
            first_of_boot: 0,
            last_of_boot: 0,
            #[cfg(feature = "mavlink")]
            places: read_at::Place::NONE,
            #[cfg(feature = "mavlink")]
            reads: None,
            options,
        }
    }

    /// Forgets the card and what was being done. Of this boot's logs, the numbers stay.
    pub(crate) fn forget(&mut self) {
        self.give_up();
        (self.disk.loaded.at, self.is_mounted, self.log) = (NOTHING, false, None);
    }

    /// Names the logs with another extension, which the next mount takes, unless the program chose one or a log is
    /// open.
    pub(crate) fn name_logs(&mut self, extension: &'static str) {
        if self.options.extension == Options::DEFAULT.extension && self.log.is_none() {
            self.options.extension = extension;
            self.forget();
        }
    }

    /// Works on `goal` until it is reached. `block` is the block that is loaded.
    #[inline(never)]
    pub(crate) fn work(&mut self, goal: Goal, block: &mut Block) -> Result<(), Stop> {
        if self.goal != goal {
            (self.goal, self.task) = (goal, Task::Done);
            self.begin(goal)?;
        }
        while !matches!(self.task, Task::Done) {
            if let Err(stop) = self.step(block) {
                if let Stop::Fault(_) | Stop::Changed = stop {
                    self.give_up();
                }
                return Err(stop);
            }
        }
        self.goal = Goal::None;
        if let (Goal::Sync(bytes), Some(log)) = (goal, &mut self.log) {
            // Not before the entry is on the card.
            log.bytes = bytes;
        }
        Ok(())
    }

    /// Logs are about to come, to go, or to get another length.
    #[cfg(feature = "mavlink")]
    fn forget_places(&mut self) {
        self.places = read_at::Place::NONE;
    }

    /// Leaves the goal that isn't reached, with the task that led to it.
    fn give_up(&mut self) {
        (self.goal, self.task) = (Goal::None, Task::Done);
    }

    /// Nothing is left to do for the goal.
    fn end_task(&mut self) -> Result<(), Stop> {
        self.task = Task::Done;
        Ok(())
    }

    /// Blocks from a block of the FAT to its copy; 0 without a copy.
    pub(crate) fn mirror(&self) -> u32 {
        self.disk.volume.mirror
    }

    /// The goal that isn't reached yet.
    pub(crate) fn goal(&self) -> Goal {
        self.goal
    }

    /// Begins with the first task on the way to a goal.
    fn begin(&mut self, goal: Goal) -> Result<(), Stop> {
        #[cfg(feature = "mavlink")]
        if matches!(goal, Goal::Mount | Goal::Begin | Goal::End | Goal::Remove) {
            self.forget_places();
        }
        match goal {
            Goal::None => {}
            Goal::Mount => {
                self.operation = Operation::Mount;
                // Blocks of another volume prove nothing about this one.
                (self.disk.volume.boot, self.disk.volume.info) = (0, 0);
                self.task = Task::PartitionTable;
            }
            Goal::Begin | Goal::Remove => {
                self.operation = Operation::List;
                self.folder_scan.begin(0);
                self.subject = 0;
                self.new = OpenFile::NONE;
                self.open_folder()?;
                self.task = Task::FindHighest { highest: 0 };
            }
            Goal::Extend => {
                self.operation = Operation::Write;
                self.begin_extension();
            }
            Goal::Prepare => {
                self.operation = Operation::Write;
                self.begin_preparation();
            }
            Goal::Sync(_) => self.task = Task::SyncLink,
            Goal::End => {
                self.operation = Operation::End;
                self.end_log();
            }
            Goal::Count => self.begin_count(),
        }
        Ok(())
    }

    /// Works on the task until another one follows. Stops at a transfer, to continue with the task afterwards.
    fn step(&mut self, block: &mut Block) -> Result<(), Stop> {
        match self.task {
            Task::Done => Ok(()),
            Task::PartitionTable => self.read_table(block),
            Task::GptHeader { at, copy } => self.read_gpt_header(at, copy, block),
            Task::GptEntries(ref mut check) => {
                let is_whole = check.go_on(&mut self.disk.loaded, block)?;
                let (entries, copy) = (check.entries, check.copy);
                self.end_gpt_check(is_whole, entries, copy)
            }
            Task::GptEntry { at, byte } => self.read_gpt_entry(at, byte, block),
            Task::Boot(partition) => self.read_boot(partition, block),
            Task::ReadInfo => {
                self.disk.read_info(block)?;
                self.begin_root()
            }
            Task::Root => self.go_through_root(block),
            #[cfg(feature = "exfat")]
            Task::Bitmap(ref mut chain) => {
                chain.check(&mut self.disk, block)?;
                self.begin_root()
            }
            Task::Folder => self.go_through_folder(block),
            Task::Release(ref mut release) => {
                release.go_on(&mut self.disk, block)?;
                let Release { owner, hides_entry, first, .. } = *release;
                self.after_release(owner, hides_entry, first)
            }
            Task::FindSubject => self.find_subject(block),
            Task::LongName => self.remove_long_name(block),
            #[cfg(feature = "exfat")]
            Task::Unset => self.unset(block),
            #[cfg(feature = "exfat")]
            Task::UnsetRest => self.unset_rest(block),
            Task::Walk(ref mut walk) => {
                let next = walk.go_on(&mut self.disk, &self.cursor.entry, block)?;
                let walk = *walk;
                self.end_walk(walk, next);
                Ok(())
            }
            Task::Shrink { piece, before, given_back } => self.shrink(piece, before, given_back, block),
            #[cfg(feature = "exfat")]
            Task::ClearRemovalFlag => self.clear_removal_flag(block),
            #[cfg(feature = "exfat")]
            Task::Removed => self.after_removal(),
            Task::FindHighest { highest } => self.find_highest(highest, block),
            Task::FindGap { gap, taken } => self.find_gap(gap, taken, block),
            Task::LookAround => self.look_around(block),
            Task::FillSlots => self.fill_slots(block),
            Task::MakeRoom => self.make_room(block),
            Task::Count => self.count(block),
            Task::Search(ref mut search) => {
                search.go_on(&mut self.disk, block)?;
                let (found, least) = (search.found, search.least);
                self.end_search(found, least)
            }
            Task::Clear { run, done } => self.clear(run, done, block),
            #[cfg(feature = "exfat")]
            Task::Sign(run) => Err(self.sign(run, block)),
            Task::PutNote(run) => self.put_note(run, block),
            Task::Mark { at } => self.mark(at, block),
            Task::ShowEntry => self.show_entry(block),
            Task::EraseNewNote => self.erase_new_note(block),
            Task::Link => self.link_run(block),
            Task::NoteRun { added } => self.note_run(added, block),
            Task::SyncLink => self.link_ahead(block),
            Task::SyncEntry => self.put_size(block),
            Task::SaveInfo => {
                self.disk.save_info(block)?;
                self.end_task()
            }
        }
    }

    /// Goes to the beginning of the folder.
    #[inline(never)]
    fn open_folder(&mut self) -> Result<(), Stop> {
        self.cursor.open(&self.disk.volume, self.folder)
    }

    /// Goes to the next item in the directory.
    fn next_item(&mut self, block: &Block) -> Result<Item, Stop> {
        self.cursor.next(&mut self.disk, block)
    }

    /// The number of the log whose entry the cursor came to; 0 if it isn't a log's.
    #[inline(never)]
    fn number_of_item(&self) -> u32 {
        self.cursor.entry.name.number(self.extension)
    }

    /// The operation that an error is about.
    pub(crate) fn failed_operation(&self) -> Operation {
        #[cfg(feature = "mavlink")]
        if let Some((operation, _)) = self.reads {
            return operation;
        }
        self.operation
    }

    /// The number of the log that an error is about.
    pub(crate) fn subject(&self) -> Option<u32> {
        #[cfg(feature = "mavlink")]
        if let Some((Operation::Extract, number)) = self.reads {
            return Some(number);
        }
        match self.failed_operation() {
            Operation::Remove | Operation::Extract => Some(self.subject).filter(|&number| number != 0),
            _ => self.log.map(|log| log.number),
        }
    }

    /// The free bytes; `None` before they are counted.
    pub(crate) fn free_bytes(&self) -> Option<u64> {
        (self.is_mounted && self.disk.is_counted()).then(|| u64::from(self.disk.free) << (self.disk.volume.shift + 9))
    }

    /// Whether the free clusters are counted.
    pub(crate) fn is_counted(&self) -> bool {
        self.disk.is_counted()
    }

    /// Bytes that the open log has room for; `u32::MAX` for all above.
    #[inline(never)]
    pub(crate) fn room(&self) -> u32 {
        let (clusters, shift) = (self.log.as_ref().map_or(0, |log| log.base + log.count), self.disk.volume.shift + 9);
        if clusters > u32::MAX >> shift { u32::MAX } else { clusters << shift }
    }

    /// The block for a byte of the open log, and how many contiguous blocks from there on are the log's. The byte is in
    /// its run, or in the last cluster before that.
    pub(crate) fn block_at(&self, byte: u32) -> (u32, u32) {
        let Some(log) = &self.log else { return (0, 0) };
        let (block, base, shift) = (byte >> 9, log.base << self.disk.volume.shift, self.disk.volume.shift);
        match block.checked_sub(base) {
            Some(block) => (self.disk.volume.block_of(log.first) + block, (log.count << shift) - block),
            None => (self.disk.volume.block_of(log.prev + 1) + block - base, base - block),
        }
    }

    /// The bytes that one block of the FAT describes, to which a flush is limited.
    pub(crate) fn flush_limit(&self) -> u32 {
        1u32.checked_shl(u32::from(self.disk.volume.table_shift + self.disk.volume.shift) + 9).unwrap_or(u32::MAX)
    }

    /// Blocks by which the card is known again: the boot sector, FSInfo, and the `last` block that was read or written,
    /// which is what is in memory. [`NOTHING`] stands for those that it doesn't have.
    pub(crate) fn witnesses(&self, last: u32) -> [u32; 3] {
        let [info, last] = if self.has_info() { [self.disk.volume.info, last] } else { [NOTHING; 2] };
        [self.disk.volume.boot, info, last]
    }

    /// Whether the volume has FSInfo.
    pub(crate) fn has_info(&self) -> bool {
        self.disk.volume.info != 0
    }
}

/// A sum of a block's bytes, by which it is known again.
pub(crate) fn sum(block: &Block) -> u32 {
    bytes::hash(bytes::SEED, block)
}
