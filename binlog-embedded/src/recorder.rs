//! Append-only logs on FAT16, FAT32 and exFAT, as a state machine without I/O.
//!
//! [`Recorder::step`] names the next transfer, and is called again when it is complete: each state asks for the block
//! that it needs, and runs again once that block is loaded. Whatever runs the transfers, blocking or not, shares all of
//! this. The contents of a log don't pass through here.
//!
//! # The order of writes
//!
//! Any write may be the last before a power cut, and may be torn: its beginning new, its end old, at an aligned word.
//!
//! A log gets a run of free clusters before its first byte. A [note](note) in an unused directory slot tells of the run
//! before the first cluster is taken. On FAT, the clusters of the run are then **marked**: their entries in the FAT get
//! a value that ends a chain and that no other system writes. So a marked cluster that belongs to no file is the
//! recorder's, even if another system wrote to the card in between.
//!
//! |        | FAT                                                                    | exFAT                                |
//! | ------ | ---------------------------------------------------------------------- | ------------------------------------ |
//! | begin  | note and unused entry → marks → entry in use, empty                    | note and unused set → bits           |
//! | flush  | contents → links, a block of the FAT ahead → size in the entry         | contents → note and set, with size   |
//! | extend | flush → note → marks → link to the new run                             | flush → note → bits, in place        |
//! | end    | links beyond the size → marks; last kept → mark; marks → free; no note | bits; no note                        |
//! | remove | size 0; from the last piece to the first: as above; entry unused       | set unused, with a sign → bits → no sign |
//!
//! The next mount completes what it finds half done.

#[cfg(feature = "exfat")]
mod bitmap;
mod bytes;
mod clusters;
mod create;
mod directory;
mod entry;
mod mount;
mod name;
mod note;
mod partition;
mod read;
mod release;
mod remove;
mod survey;
mod sync;
mod volume;

use crate::sd_log::{Fault, Operation, Options};
use bytes::Block;
use clusters::Search;
pub(crate) use directory::Entry;
use directory::{Cursor, Directory, Place};
use release::Release;
use survey::Survey;
use volume::Volume;

/// A transfer of the block that [`Recorder::step`] works on, or of contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Io {
    /// Read the block.
    Read(u32),
    /// Write the block, and again `mirror` blocks after it unless that is 0.
    Write { at: u32, mirror: u32 },
    /// Write the first `count` blocks of the buffer of contents.
    Data { at: u32, count: usize },
    /// Initialise the card, and ask for its size in blocks. The recorder needs it before a mount.
    Size,
}

/// Why a step returned before it was complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// A transfer is due; call the step again after it.
    Io(Io),
    /// The search goes on at the next call, which may come later.
    Pause,
    /// The card isn't as it was.
    Changed,
    Fault(Fault),
}

/// What the recorder is asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    None,
    Mount,
    Begin,
    Extend,
    Sync(u32),
    End,
    Remove,
    Count,
}

/// What the recorder is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Done,
    // Where the file system is.
    Table,
    GptHeader,
    GptEntry,
    Boot,
    Info,
    Root,
    #[cfg(feature = "exfat")]
    BitmapChain,
    Folder,
    // Clusters are given back.
    #[cfg(feature = "exfat")]
    Mend,
    #[cfg(feature = "exfat")]
    Lead,
    #[cfg(feature = "exfat")]
    LeadWipe,
    Probe,
    Cut,
    Unlink,
    Unpublish,
    Free,
    Wipe,
    // A log is removed.
    Find,
    LongName,
    Walk,
    Rewalk,
    Shrink,
    #[cfg(feature = "exfat")]
    Unset,
    #[cfg(feature = "exfat")]
    UnsetRest,
    #[cfg(feature = "exfat")]
    Trail,
    #[cfg(feature = "exfat")]
    Unsign,
    // A number, a place in the directory and room are looked for.
    Highest,
    Window,
    Survey,
    Resurvey,
    Room,
    Count,
    Search,
    Pad,
    GrowClear,
    GrowNote,
    GrowMark,
    GrowLink,
    GrowWipe,
    // A log or the folder is created, or a log gets another run.
    Prepare,
    InfoUnknown,
    Mark,
    Clear,
    Publish,
    Unnote,
    Link,
    // A log is flushed.
    SyncLink,
    SyncEntry,
    InfoKnown,
}

/// The log that is being written, or the folder that is being created.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    /// The number; 0 for the folder.
    pub(crate) number: u32,
    place: Place,
    /// The slot of the note in the same block.
    note: u8,
    identity: u16,
    /// First cluster of the run.
    first: u32,
    /// Clusters of the run.
    count: u32,
    /// Clusters before the run.
    base: u32,
    /// The last cluster before the run; 0 if the run is the first.
    prev: u32,
    /// All clusters of the run before this one are linked to the next.
    linked: u32,
    /// The size that the entry has.
    pub(crate) bytes: u32,
}

/// The state of the card and of what is done with it.
pub(crate) struct Recorder {
    /// The block that is loaded, or [`NOTHING`].
    pub(crate) loaded: u32,
    /// The size of the card, which the driver tells before a mount.
    pub(crate) card_blocks: u32,
    pub(crate) operation: Operation,
    goal: Goal,
    phase: Phase,
    volume: Volume,
    pub(crate) is_mounted: bool,
    extension: [u8; 3],
    folder: Directory,
    cursor: Cursor,
    release: Release,
    search: Search,
    survey: Survey,
    pub(crate) log: Option<Log>,
    /// The log or folder that is being created. While it is, `linked` tells how far the phase has come.
    new: Log,
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
    /// The numbers of the first and the last log of this boot; 0 before there is one.
    first_of_boot: u32,
    last_of_boot: u32,
    /// The serial number of the volume that they are on.
    serial: u32,
    /// Whether cards were changed more than once. One of them may be back, whose logs of this boot are forgotten.
    is_boot_unknown: bool,
    has_changed_card: bool,
}

/// No block is loaded.
pub(crate) const NOTHING: u32 = u32::MAX;

impl Recorder {
    pub(crate) const fn new() -> Self {
        Recorder {
            loaded: NOTHING,
            card_blocks: 0,
            operation: Operation::Mount,
            goal: Goal::None,
            phase: Phase::Done,
            volume: Volume::NONE,
            is_mounted: false,
            extension: *b"BIN",
            folder: Directory { cluster: 0, contiguous: 0 },
            cursor: Cursor::NONE,
            release: Release::NONE,
            search: Search::NONE,
            survey: Survey::NONE,
            log: None,
            new: Log::NONE,
            free: 0,
            counted: 0,
            is_hint: false,
            is_info_unknown: false,
            after_info: Phase::Done,
            next_free: 2,
            first_of_boot: 0,
            last_of_boot: 0,
            serial: 0,
            is_boot_unknown: false,
            has_changed_card: false,
        }
    }

    /// Forgets the card and what was being done. Of this boot's logs, the numbers stay.
    pub(crate) fn forget(&mut self) {
        (self.loaded, self.goal, self.phase) = (NOTHING, Goal::None, Phase::Done);
        (self.is_mounted, self.log) = (false, None);
    }

    /// Works on `goal` until it is reached. `block` is block `loaded` of the card, `date` as FAT has it.
    pub(crate) fn work(&mut self, goal: Goal, block: &mut Block, options: &Options, date: u32) -> Result<(), Stop> {
        if self.goal != goal {
            self.goal = goal;
            self.phase = self.begin(goal, options)?;
        }
        while self.phase != Phase::Done {
            let next = self.step(block, options, date);
            if let Err(Stop::Fault(_) | Stop::Changed) = next {
                self.goal = Goal::None;
            }
            self.phase = next?;
        }
        self.goal = Goal::None;
        Ok(())
    }

    /// The goal that isn't reached yet.
    #[cfg(feature = "async")]
    pub(crate) fn goal(&self) -> Goal {
        self.goal
    }

    /// The first phase on the way to a goal.
    fn begin(&mut self, goal: Goal, options: &Options) -> Result<Phase, Stop> {
        Ok(match goal {
            Goal::None => Phase::Done,
            Goal::Mount => {
                self.operation = Operation::Mount;
                Phase::Table
            }
            Goal::Begin => {
                self.operation = Operation::List;
                self.find_highest()?
            }
            Goal::Extend => {
                self.operation = Operation::Write;
                self.survey = Survey { number: self.log.map_or(0, |log| log.number), ..Survey::NONE };
                Phase::Room
            }
            Goal::Sync(_) => Phase::SyncLink,
            Goal::End => {
                self.operation = Operation::End;
                self.end_log()
            }
            Goal::Remove => {
                self.operation = Operation::List;
                self.find_highest()?
            }
            Goal::Count => self.begin_count(options),
        })
    }

    /// One phase, or a part of one. Returns the next phase; stops at a transfer, to go on with the same phase unless
    /// [`Recorder::save`] said otherwise.
    fn step(&mut self, block: &mut Block, options: &Options, date: u32) -> Result<Phase, Stop> {
        match self.phase {
            Phase::Done => Ok(Phase::Done),
            Phase::Table => self.read_table(block, options),
            Phase::GptHeader => self.read_gpt_header(block, options),
            Phase::GptEntry => self.read_gpt_entry(block, options),
            Phase::Boot => self.read_boot(block),
            Phase::Info => self.read_info(block),
            Phase::Root => self.go_through_root(block, options),
            #[cfg(feature = "exfat")]
            Phase::BitmapChain => self.check_bitmap(block),
            Phase::Folder => self.go_through_folder(block),
            #[cfg(feature = "exfat")]
            Phase::Mend => self.mend(block, self.release.after),
            #[cfg(feature = "exfat")]
            Phase::Lead => self.find_taken(block),
            #[cfg(feature = "exfat")]
            Phase::LeadWipe => self.wipe_first_note(block),
            Phase::Probe => self.probe(block),
            Phase::Cut => self.cut(block),
            Phase::Unlink => self.unlink(block),
            Phase::Unpublish => self.unpublish(block),
            Phase::Free => self.free_marked(block),
            Phase::Wipe => self.wipe(block),
            Phase::Find => self.find_old(block),
            Phase::LongName => self.remove_long_name(block),
            Phase::Walk => self.walk(block),
            Phase::Rewalk => Ok(self.walk_again()),
            Phase::Shrink => self.shrink(block),
            #[cfg(feature = "exfat")]
            Phase::Unset => self.unset(block),
            #[cfg(feature = "exfat")]
            Phase::UnsetRest => self.unset_rest(block),
            #[cfg(feature = "exfat")]
            Phase::Trail => self.find_trail(block),
            #[cfg(feature = "exfat")]
            Phase::Unsign => self.unsign(block),
            Phase::Highest => self.look_for_highest(block, options),
            Phase::Window => self.look_for_gap(block, options),
            Phase::Survey => self.look_around(block, options),
            Phase::Resurvey => self.survey_again(),
            Phase::Room => self.make_room(options),
            Phase::Count => self.count(block),
            Phase::Search => self.search(block),
            Phase::Pad => self.pad(block),
            Phase::GrowClear => self.clear_growth(block),
            Phase::GrowNote => self.note_growth(block),
            Phase::GrowMark => self.mark_growth(block),
            Phase::GrowLink => self.link_growth(block),
            Phase::GrowWipe => self.wipe_growth(block),
            Phase::Prepare => self.prepare(block, options, date),
            Phase::InfoUnknown => self.forget_info(block),
            Phase::Mark => self.mark(block),
            Phase::Clear => self.clear(block, date),
            Phase::Publish => self.publish(block, options, date),
            Phase::Unnote => self.unnote(block),
            Phase::Link => self.link_run(block),
            Phase::SyncLink => self.link_ahead(block),
            Phase::SyncEntry => self.put_size(block, date),
            Phase::InfoKnown => self.save_info(block),
        }
    }

    /// Asks for a block unless it is loaded.
    fn need(&self, at: u32) -> Result<(), Stop> {
        Stop::unless(self.loaded, at)
    }

    /// Writes the loaded block; `next` is the phase after that.
    fn save(&mut self, next: Phase) -> Stop {
        self.phase = next;
        Stop::Io(Io::Write { at: self.loaded, mirror: 0 })
    }

    /// Writes the loaded block of the FAT or the bitmap, and the FAT's copy; `next` is the phase after that.
    fn save_table(&mut self, next: Phase) -> Stop {
        self.phase = next;
        Stop::Io(Io::Write { at: self.loaded, mirror: self.volume.mirror })
    }

    /// The number of the log that an error is about.
    pub(crate) fn subject(&self) -> Option<u32> {
        match self.operation {
            Operation::Remove | Operation::Extract => Some(self.survey.oldest).filter(|&number| number != 0),
            _ => self.log.map(|log| log.number),
        }
    }

    /// The free bytes; `None` before they are counted.
    pub(crate) fn free_bytes(&self) -> Option<u64> {
        let is_counted = self.is_mounted && self.counted == self.volume.end();
        is_counted.then(|| u64::from(self.free) << (self.volume.shift + 9))
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
        1u32.checked_shl(self.volume.table_shift() + u32::from(self.volume.shift) + 9).unwrap_or(u32::MAX)
    }

    /// Blocks by which the card is known again: the boot sector, FSInfo and the directory's block of the open log.
    pub(crate) fn witnesses(&self) -> [Option<u32>; 3] {
        let info = Some(self.volume.info).filter(|&info| info != 0);
        [Some(self.volume.boot), info, self.log.map(|log| log.place.block)]
    }

    /// Whether another system's writes to the card would show in the [witnesses](Recorder::witnesses).
    pub(crate) fn has_witnesses(&self) -> bool {
        self.volume.info != 0
    }
}

impl Log {
    pub(crate) const NONE: Log = Log {
        number: 0,
        place: Place::NONE,
        note: 0,
        identity: 0,
        first: 0,
        count: 0,
        base: 0,
        prev: 0,
        linked: 0,
        bytes: 0,
    };

    /// The place of the note.
    fn note(&self) -> Place {
        Place { block: self.place.block, slot: self.note }
    }

    /// The number after the run's last cluster.
    fn end(&self) -> u32 {
        self.first + self.count
    }
}

/// A sum of a block's bytes, by which it is known again.
pub(crate) fn sum(block: &Block) -> u32 {
    bytes::hash(bytes::SEED, block)
}
