// Held by tests/tests/card/promise.rs, tests/tests/card/power_cuts.rs, tests/tests/card/random.rs.
// Held by tests/tests/card/bounds.rs.

//! Append-only logs on FAT16, FAT32 and exFAT, as a state machine without I/O.
//!
//! [`Recorder::step`] names the next transfer, and is called again when it is complete: each state asks for the block
//! that it needs, and runs again once that block is loaded. Blocking and asynchronous transfers share all of this. The
//! contents of a log don't pass through here.
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
//! `#[inline(never)]` stands where many steps share a function that is longer than its call: else each gets a copy, at
//! the higher levels of optimisation also of those that should be small.

mod bytes;
mod clusters;
mod create;
mod directory;
mod entry;
#[cfg(feature = "exfat")]
mod exfat;
mod extent;
mod fault;
mod folder_scan;
mod loaded;
mod mount;
mod name;
mod note;
mod open_file;
mod options;
mod partition;
mod phase;
mod read;
#[cfg(feature = "mavlink")]
mod read_at;
mod release;
mod remove;
mod sync;
mod volume;

use bytes::Block;
use clusters::ClusterSearch;
pub(crate) use directory::Entry;
use directory::{Cursor, Directory, Item};
pub use fault::{Damage, Fault, Flaw, Operation, Unusable};
use folder_scan::FolderScan;
use loaded::Loaded;
pub(crate) use loaded::NOTHING;
use open_file::OpenFile;
pub use options::Options;
use partition::Gpt;
use phase::Phase;
pub(crate) use phase::{Goal, Stop};
#[cfg(feature = "mavlink")]
pub(crate) use read_at::Aside;
use release::Release;
use volume::Volume;

/// The state of the card and of what is done with it.
pub(crate) struct Recorder {
    pub(crate) loaded: Loaded,
    /// The size of the card, which the driver tells before a mount.
    pub(crate) card_blocks: u32,
    pub(crate) options: Options,
    /// The date of what is written, as FAT has it.
    pub(crate) date: u32,
    pub(crate) operation: Operation,
    goal: Goal,
    phase: Phase,
    /// The card's GPT, while it is read.
    gpt: Gpt,
    volume: Volume,
    pub(crate) is_mounted: bool,
    extension: [u8; 3],
    folder: Directory,
    cursor: Cursor,
    release: Release,
    search: ClusterSearch,
    folder_scan: FolderScan,
    /// The number of the log that is being removed or read; 0 for none.
    subject: u32,
    /// Logs that are read at offsets.
    #[cfg(feature = "mavlink")]
    places: [read_at::Place; 2],
    /// What a call reads beside the goal, which an error is about then. The goal's own operation and subject stay,
    /// because the call's future may be dropped.
    #[cfg(feature = "mavlink")]
    reads: Option<(Operation, u32)>,
    pub(crate) log: Option<OpenFile>,
    /// The log or folder that is being created, or the open log as it will be.
    new: OpenFile,
    /// Whether the cluster after the run of the open log isn't free.
    is_blocked: bool,
    /// Free clusters with numbers below `counted`.
    free: u32,
    counted: u32,
    /// Whether `free` is FSInfo's count of all clusters, which may be wrong.
    is_hint: bool,
    /// Whether FSInfo says that the count is unknown.
    is_info_unknown: bool,
    /// The phase after FSInfo is written.
    after_info: Phase,
    /// The cluster at which the next search begins.
    next_free: u32,
    /// Bytes that the first run of a log on exFAT has room for, at least.
    #[cfg(feature = "exfat")]
    pub(crate) least_bytes: u32,
    /// The numbers of the first and the last log of this boot; 0 before there is one.
    first_of_boot: u32,
    last_of_boot: u32,
    /// The serial number of the volume that they are on.
    serial: u32,
    /// Whether cards were changed more than once. One of them may be back, whose logs of this boot are forgotten.
    is_boot_unknown: bool,
    has_changed_card: bool,
}

impl Recorder {
    pub(crate) const fn new(options: Options) -> Self {
        Recorder {
            options,
            date: 0,
            loaded: Loaded { at: NOTHING, needed: 0 },
            card_blocks: 0,
            operation: Operation::Mount,
            goal: Goal::None,
            phase: Phase::Done,
            gpt: Gpt::NONE,
            volume: Volume::NONE,
            is_mounted: false,
            extension: *b"BIN",
            folder: Directory { cluster: 0, contiguous: 0 },
            cursor: Cursor::NONE,
            release: Release::NONE,
            search: ClusterSearch::NONE,
            folder_scan: FolderScan::NONE,
            subject: 0,
            #[cfg(feature = "mavlink")]
            places: read_at::Place::NONE,
            #[cfg(feature = "mavlink")]
            reads: None,
            log: None,
            new: OpenFile::NONE,
            is_blocked: false,
            free: 0,
            counted: 0,
            is_hint: false,
            is_info_unknown: false,
            after_info: Phase::Done,
            next_free: 2,
            #[cfg(feature = "exfat")]
            least_bytes: 0,
            first_of_boot: 0,
            last_of_boot: 0,
            serial: 0,
            is_boot_unknown: false,
            has_changed_card: false,
        }
    }

    /// Forgets the card and what was being done. Of this boot's logs, the numbers stay.
    pub(crate) fn forget(&mut self) {
        (self.loaded.at, self.goal, self.phase) = (NOTHING, Goal::None, Phase::Done);
        (self.is_mounted, self.log) = (false, None);
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
            self.goal = goal;
            self.phase = Phase::Done;
            self.phase = self.begin(goal)?;
        }
        while self.phase != Phase::Done {
            let next = self.step(block);
            if let Err(Stop::Fault(_) | Stop::Changed) = next {
                self.give_up();
            }
            self.phase = next?;
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

    /// Leaves the goal that isn't reached, with the phase that led to it.
    fn give_up(&mut self) {
        (self.goal, self.phase) = (Goal::None, Phase::Done);
    }

    /// Blocks from a block of the FAT to its copy; 0 without a copy.
    pub(crate) fn mirror(&self) -> u32 {
        self.volume.mirror
    }

    /// The goal that isn't reached yet.
    pub(crate) fn goal(&self) -> Goal {
        self.goal
    }

    /// The first phase on the way to a goal.
    fn begin(&mut self, goal: Goal) -> Result<Phase, Stop> {
        #[cfg(feature = "mavlink")]
        if matches!(goal, Goal::Mount | Goal::Begin | Goal::End | Goal::Remove) {
            self.forget_places();
        }
        Ok(match goal {
            Goal::None => Phase::Done,
            Goal::Mount => {
                self.operation = Operation::Mount;
                // Blocks of another volume prove nothing about this one.
                (self.volume.boot, self.volume.info) = (0, 0);
                Phase::PartitionTable
            }
            Goal::Begin | Goal::Remove => {
                self.operation = Operation::List;
                self.folder_scan.begin(0);
                self.subject = 0;
                self.new = OpenFile::NONE;
                self.open_folder()?;
                Phase::FindHighest
            }
            Goal::Extend => {
                self.operation = Operation::Write;
                self.begin_extension()
            }
            Goal::Prepare => {
                self.operation = Operation::Write;
                self.begin_preparation()
            }
            Goal::Sync(_) => Phase::SyncLink,
            Goal::End => {
                self.operation = Operation::End;
                self.end_log()
            }
            Goal::Count => self.begin_count(),
        })
    }

    /// One phase, or a part of one. Returns the next phase; stops at a transfer, to continue with the same phase unless
    /// [`Recorder::save`] said otherwise.
    fn step(&mut self, block: &mut Block) -> Result<Phase, Stop> {
        match self.phase {
            Phase::Done => Ok(Phase::Done),
            Phase::PartitionTable => self.read_table(block),
            Phase::GptHeader => self.read_gpt_header(block),
            Phase::GptEntries => self.check_gpt_entries(block),
            Phase::GptEntry => self.read_gpt_entry(block),
            Phase::Boot => self.read_boot(block),
            Phase::ReadInfo => self.read_info(block),
            Phase::Root => self.go_through_root(block),
            #[cfg(feature = "exfat")]
            Phase::BitmapChain => self.check_bitmap(block),
            Phase::Folder => self.go_through_folder(block),
            #[cfg(feature = "exfat")]
            Phase::Mend => self.mend(block, self.release.after),
            #[cfg(feature = "exfat")]
            Phase::Signed => self.check_signature(block),
            #[cfg(feature = "exfat")]
            Phase::FindTaken => self.find_taken(block),
            #[cfg(feature = "exfat")]
            Phase::EraseLogNote => self.erase_log_note(block),
            Phase::Probe => self.probe(block),
            Phase::MarkLinked => self.mark_linked(block),
            Phase::EndChain => self.end_chain(block),
            Phase::HideEntry => self.hide_entry(block),
            Phase::FreeMarked => self.free_marked(block),
            Phase::EraseNote => self.erase_note(block),
            Phase::FindSubject => self.find_subject(block),
            Phase::LongName => self.remove_long_name(block),
            Phase::Walk => self.walk(block),
            Phase::WalkAgain => Ok(self.walk_again()),
            Phase::Shrink => self.shrink(block),
            #[cfg(feature = "exfat")]
            Phase::Unset => self.unset(block),
            #[cfg(feature = "exfat")]
            Phase::UnsetRest => self.unset_rest(block),
            #[cfg(feature = "exfat")]
            Phase::SkipFreed => self.skip_freed(block),
            #[cfg(feature = "exfat")]
            Phase::ClearRemovalFlag => self.clear_removal_flag(block),
            Phase::FindHighest => self.find_highest(block),
            Phase::FindGap => self.find_gap(block),
            Phase::LookAround => self.look_around(block),
            Phase::ScanAgain => self.scan_again(),
            Phase::MakeRoom => self.make_room(block),
            Phase::Count => self.count(block),
            Phase::Search => self.search(block),
            Phase::FillSlots => self.fill_slots(block),
            #[cfg(feature = "exfat")]
            Phase::Sign => Err(self.sign(block)),
            Phase::PutNote => self.put_note(block),
            Phase::InfoUnknown => self.forget_info(block),
            Phase::Mark => self.mark(block),
            Phase::Clear => self.clear(block),
            Phase::ShowEntry => self.show_entry(block),
            Phase::EraseNewNote => self.erase_new_note(block),
            Phase::Link => self.link_run(block),
            Phase::NoteRun => self.note_run(block),
            Phase::SyncLink => self.link_ahead(block),
            Phase::SyncEntry => self.put_size(block),
            Phase::InfoKnown => self.save_info(block),
        }
    }

    /// Asks for a block unless it is loaded.
    fn need(&mut self, at: u32) -> Result<(), Stop> {
        self.loaded.need(at)
    }

    /// Asks for the block of the FAT with a cluster's link, unless it is loaded.
    #[inline(never)]
    fn need_link(&mut self, cluster: u32) -> Result<(), Stop> {
        self.loaded.need(self.volume.link_block(cluster))
    }

    /// Asks for the block of the table with a cluster's value, unless it is loaded.
    #[inline(never)]
    fn need_value(&mut self, cluster: u32) -> Result<(), Stop> {
        self.loaded.need(self.volume.table_block(cluster))
    }

    /// Goes to the beginning of the folder.
    fn open_folder(&mut self) -> Result<(), Stop> {
        self.cursor.open(&self.volume, self.folder)
    }

    /// Goes to the next item in the directory.
    #[inline(never)]
    fn next_item(&mut self, block: &Block) -> Result<Item, Stop> {
        self.cursor.next(&self.volume, &mut self.loaded, block)
    }

    /// The number of the log whose entry the cursor came to; 0 if it isn't a log's.
    fn number_of_item(&self) -> u32 {
        self.cursor.entry.name.number(self.extension)
    }

    /// Writes the loaded block; `next` is the phase after that.
    fn save(&mut self, next: Phase) -> Stop {
        self.phase = next;
        Stop::Write
    }

    /// Writes the loaded block of the FAT or the bitmap, and the FAT's copy; `next` is the phase after that.
    fn save_table(&mut self, next: Phase) -> Stop {
        self.phase = next;
        Stop::WriteTable
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
        (self.is_mounted && self.is_counted()).then(|| u64::from(self.free) << (self.volume.shift + 9))
    }

    /// Whether the free clusters are counted.
    pub(crate) fn is_counted(&self) -> bool {
        self.counted == self.volume.end()
    }

    /// Bytes that the open log has room for.
    pub(crate) fn room(&self) -> u64 {
        self.log.map_or(0, |log| u64::from(log.base + log.count) << (self.volume.shift + 9))
    }

    /// The block for a byte of the open log, and how many contiguous blocks from there on are the log's. The byte is in
    /// its run, or in the last cluster before that.
    pub(crate) fn block_at(&self, byte: u32) -> (u32, u32) {
        let Some(log) = &self.log else { return (0, 0) };
        let (block, base, shift) = (byte >> 9, log.base << self.volume.shift, self.volume.shift);
        match block.checked_sub(base) {
            Some(block) => (self.volume.block_of(log.first) + block, (log.count << shift) - block),
            None => (self.volume.block_of(log.prev + 1) + block - base, base - block),
        }
    }

    /// The bytes that one block of the FAT describes, to which a flush is limited.
    pub(crate) fn flush_limit(&self) -> u32 {
        1u32.checked_shl(u32::from(self.volume.table_shift + self.volume.shift) + 9).unwrap_or(u32::MAX)
    }

    /// Blocks by which the card is known again: the boot sector, FSInfo, and the `last` block that was read or written,
    /// which is what is in memory. [`NOTHING`] stands for those that it doesn't have.
    pub(crate) fn witnesses(&self, last: u32) -> [u32; 3] {
        let [info, last] = if self.has_info() { [self.volume.info, last] } else { [NOTHING; 2] };
        [self.volume.boot, info, last]
    }

    /// Whether the volume has FSInfo.
    pub(crate) fn has_info(&self) -> bool {
        self.volume.info != 0
    }
}

/// A sum of a block's bytes, by which it is known again.
pub(crate) fn sum(block: &Block) -> u32 {
    bytes::hash(bytes::SEED, block)
}
