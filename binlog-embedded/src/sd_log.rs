// Held by tests/tests/card/promise.rs, tests/tests/card/sd_card.rs.

//! Logs as numbered files on an SD card.

#[cfg(feature = "async")]
mod asynchronous;
mod blocking;
mod contents;
mod dates;
mod error;
mod schedule;
mod transfer;

pub use crate::recorder::{Damage, Fault, Flaw, Operation, Options, Unusable};
pub use dates::{Date, Dates, Undated};
pub use error::{Cause, SdError};

use crate::card::Slot;
#[cfg(feature = "mavlink")]
use crate::recorder::Aside;
use crate::recorder::{Entry, Goal, Recorder, Stop};
use contents::Contents;
use embedded_io::ErrorType;
use schedule::{Schedule, Stage};
use transfer::Port;

type Result<T, C> = core::result::Result<T, SdError<<C as Slot>::Error>>;

/// Writes logs to an SD card with FAT16, FAT32 or exFAT: `LOGS/00000001.BIN` and so on.
///
/// [`run`](SdLog::run) does everything for a [`Drain`](crate::Drain): it finds the card, begins a log, moves the
/// records, flushes by bytes and by time, begins the next log, removes the oldest logs when space is short, and after
/// an error resumes when the card is back. Programs that do this themselves use it as an [`embedded_io::Write`]. With
/// the feature `async`, the same calls end with `_async`, for an `AsyncCard`.
///
/// # Promise
///
/// The power may fail at any moment, also in the middle of a block, and again while the next boot mends the card. Then:
///
/// 1. **Flushed bytes stay.** What a flush returned for is readable by any reader after a cut at any later moment, even
///    when the block being written is torn (its beginning new, its end old). The exception is item 2.
/// 2. **Torn sets of exFAT are mended.** exFAT's directory entries have a checksum. If the cut tears the block of the
///    directory that has the log's entry, other readers don't see that log until the next mount mends the entry. A
///    repair program may delete the entry before. On FAT, a torn block hides nothing.
/// 3. **A cluster has one owner.** No cluster ever belongs to two files.
/// 4. **No cluster is lost** for longer than until the next boot. A log owns clusters in advance
///    ([`Options::extent_bytes`]). They are given back at its end, or after a power cut by the next mount, which also
///    completes a removal.
/// 5. **Logs of this boot are never removed.** If cards are exchanged twice in a boot, no log is removed any more,
///    because the first card may be back.
/// 6. **Old logs make room.** A log of an earlier boot is removed only whole, the oldest first, and only if that makes
///    the room that is needed. Read-only logs are never removed. [`remove_oldest`](SdLog::remove_oldest) removes a log
///    even if there is room, and so does a new log whose number is taken, after [`Options::last_number`].
/// 7. **No old contents.** What the clusters held before never appears as part of a log.
/// 8. **The rest of the card stays.** Other files keep their contents, nothing is written outside of the file system,
///    and of FATs that aren't mirrored only the active one is written. Marks of a dirty volume are neither set nor
///    cleared.
///
/// A power cut loses everything since the last flush: at most [`Options::flush_bytes`] (and the contents of the ring)
/// or [`Options::flush_us`]. What [`run`](SdLog::run) flushes ends with a whole record; a frame of more than 255 bytes
/// in a Blackbox log may be cut where the log gets another extent.
///
/// **Until the next mount**, other readers may find free clusters marked as used, more clusters in a log's chain than
/// it needs, a log of 0 bytes that was being begun or removed, a wrong count of free clusters in FSInfo, and two FATs
/// that differ in the block that was being written. `fsck.fat` and `fsck.exfat` accept the card after the mount.
///
/// **Not promised**, because nothing can be done about it:
///
/// - The card has to write blocks in the order in which it gets them, and a block from its beginning on, in whole words
///   of 4 bytes (in the FAT of FAT16, of 2 bytes). An entry of the FAT or the size of a log that is torn inside of its
///   word may have any value.
/// - A card with a cache may lose one of its last writes and keep later ones. In the tests, which drop one of the last
///   three blocks, a mount gives no cluster two owners, and on exFAT neither does the log after it. But on FAT, a log
///   may keep a link to clusters that were given back, and the next log gets them, too. The newest blocks of a log may
///   have old contents, also flushed ones, the log may be shorter, and clusters may be lost for good.
/// - After a power cut, let [`SdLog`] mount the card before another system changes it. Directory slots that aren't in
///   use say which clusters the last log owned in advance, or which log was being removed:
///   - A system that writes to the folder may use these slots, or rename or lengthen the log that they name. The
///     clusters then stay lost until a program repairs the card.
///   - A repair program may give these clusters to files, and leave the slots. On FAT, the next mount frees those of
///     them that still have the mark that only [`SdLog`] writes. On exFAT nothing marks them, so it may free any.
///   - On exFAT, a cut may tear the block of the bitmap in which the clusters of an extent are being taken. If a file
///     then gets 32 or more of the clusters right after the tear, the next mount may free them.
///   - On exFAT, if the power fails before the clusters of an extent are taken, and a file then gets the first of them
///     without writing to it (a preallocated file), the next mount may free them.
///   - On exFAT, a power failure while a log is ended or removed may leave clusters that are free but still noted as
///     the log's. If a computer then stores a file in the last of them, the next mount may free that file's clusters.
/// - The next boot has to use the same [`Options::folder`], [`Options::extension`] and [`Options::partition`]: a mount
///   mends only these. With others, clusters stay lost, and if the old folder is used again later, clusters of logs in
///   the new one may be freed.
/// - If another system left no directory slot unused, a cut while a FAT folder grows loses one cluster, or leaves the
///   two FATs different in one block, until a program repairs the card.
/// - Cards that are copies of each other, block by block, can't be told apart. If one of them takes the place of the
///   other while a log is open, or within a boot, [`SdLog`] continues as if it were the same card.
/// - exFAT's percentage of clusters in use, which formatters put into the boot sector (PercentInUse), isn't updated:
///   the boot sector is never written. It is a hint; what is free is in the bitmap.
///
/// # Blocks of each call
///
/// No call reads or writes more blocks than this on a card without an error. `tests/tests/card/bounds.rs` asserts it.
///
/// | call | reads | contents | other blocks |
/// | --- | --- | --- | --- |
/// | the first one, which mounts the card | 2`R` + `D` + `F`/128 + 6 | | 0 |
/// | … of a card with a GPT, whose entries have 32 blocks | + 32 | | 0 |
/// | … and mends it after a power cut | + 2`T` + 6 | | `TC` + `MC` + `C` + 3 |
/// | … and creates the folder | + 2`R` + `F` + 10 | | `S` + 2`C` + 5 |
/// | [`begin_log`](SdLog::begin_log) | 2`D` + 2`F` + 8 | | `C` + 5 |
/// | … if a log has [`Options::last_number`], and the first `N` numbers are taken | + `D` + `DN`/32 | | |
/// | … and adds a cluster to the folder | + `D` + `F` + 6 | | + `S` + 2`C` + 3 |
/// | [`prepare`](SdLog::prepare), and `run` without records | 6; on exFAT 0 | | `C` + 1; on exFAT 0 |
/// | `write` | 0 | `BLOCKS` | 0 |
/// | … of clusters that weren't prepared | 2 | `BLOCKS` | `C` + 1 |
/// | … for another extent, also in `run` | 2`F` + 8 | `BLOCKS` | 3`C` + 3 |
/// | `flush` | 2 | `BLOCKS` | `C` + 1; on exFAT 1 |
/// | [`end_log`](SdLog::end_log) | 2`M` + 8 | `BLOCKS` | `MC` + 4`C` + 4 |
/// | [`remove_oldest`](SdLog::remove_oldest), of a log in one piece | 3`D` + 3`L` + 8 | | 2`LC` + 8 |
/// | … for each further piece, of `P` | + 3`L` + `P` + 4 | | + 3`C` + 1 |
/// | [`list`](SdLog::list) | `D` | | 0 |
/// | `LogStore::list` (feature `mavlink`), after a log of this boot | `D` | | 0 |
/// | … before there is one | 2`D` | | 0 |
/// | … if a log has [`Options::last_number`], and the first `N` numbers are taken | + `DN`/32 | | |
/// | [`extract`](SdLog::extract) | `D`, the log's blocks, one for each of its clusters | | 0 |
/// | `read_at` (feature `mavlink`), where the last one ended | 2 | | 0 |
/// | … elsewhere | `D` + 33 | | 0 |
///
/// - `R` and `D`: blocks of the root directory and of the folder of the logs, and one more for each of their clusters.
///   A block of the folder has 15 logs on FAT, 5 on exFAT.
/// - `F`: blocks of the FAT; on exFAT of the allocation bitmap. FAT32 with 32 GB and clusters of 32 KiB has 7,600,
///   exFAT with 128 GB and clusters of 128 KiB has 240.
/// - `T`, `M` and `L`: those of them that describe an extent, its clusters that are marked and not used yet, and the
///   log that is removed. `T` is at most 17 and `M` at most 6, on exFAT both 2. On exFAT, a log in pieces has a chain,
///   and `L` is the blocks of the FAT.
/// - `C`: 2 if the card has two FATs that are kept equal; otherwise 1.
/// - `S`: blocks per cluster; on exFAT, blocks of the new folder: one cluster, but at least 128 blocks.
///
/// Some calls do the work of others first, and take its blocks, too:
///
/// - The first call completes a removal that a power cut interrupted.
/// - [`begin_log`](SdLog::begin_log) ends the open log. [`run`](SdLog::run) flushes, begins and ends logs when that is
///   due.
/// - A new log or extent that needs room removes old logs: 1,036 writes for a log of 1 GiB on FAT32 with clusters of
///   32 KiB. Remove old logs on the ground if that is too long.
///
/// A flush writes one block of each FAT for 128 clusters (FAT16: 256) that were filled since the last one. So programs
/// that use [`flush`](embedded_io::Write::flush) have to call it that often for the `C` blocks above;
/// [`run`](SdLog::run) does.
///
/// On FAT, the clusters of an extent are marked one block of the FAT at a time, and where the next clusters are free,
/// the extent is made longer before it is used up: in calls of [`run`](SdLog::run) that have nothing to write and of
/// [`prepare`](SdLog::prepare). In a program without such calls, the calls that write mark the clusters. Where the next
/// clusters belong to a file, another extent is looked for when this one is used up, which is also the way on exFAT,
/// whose extents take six blocks.
///
/// Between two flushes, the card gets blocks of contents in ascending order, `BLOCKS` at a time, and besides them only
/// those of clusters that weren't prepared; on exFAT, the first block of an extent is among these. [`run`](SdLog::run)
/// pauses searching and counting after 32 blocks each.
///
/// # When the card fails
///
/// A transfer that fails is tried once more, if the card proves to be the same one, which nothing else wrote to
/// meanwhile. Only FAT32 has a block that shows this (FSInfo). The boot sector and the last block that was read or
/// written have to be as they were, too. What another system does without changing any of the three isn't noticed.
///
/// Otherwise the call, even one that only reads, returns an error and leaves the log as it was at its last flush. Its
/// records after that count as lost; [`finish`](SdLog::finish) and [`end_log`](SdLog::end_log) say so.
/// [`run`](SdLog::run) begins another log when a card is there.
///
/// # Memory
///
/// `BLOCKS` blocks of 512 bytes gather contents for one multi-block transfer (default 8: 4 KiB). One more block holds
/// the part of the file system that is being changed.
///
/// # Porting
///
/// It needs a driver that implements [`Card`](crate::card::Card) or `AsyncCard`: see [`card`](crate::card), which also
/// has those for cards on SPI and for the drivers of embedded-sdmmc and block-device-driver.
pub struct SdLog<C: Slot, D = Undated, const BLOCKS: usize = 8> {
    card: C,
    dates: D,
    contents: Contents,
    schedule: Schedule,
    port: Port,
    recorder: Recorder,
    // The compiler keeps this order, and short instructions reach only what comes before these.
    /// The block of the file system that the recorder works on.
    block: [C::Block; 1],
    /// Contents of the log that are not on the card.
    buffer: [C::Block; BLOCKS],
}

/// Blocks that were transferred since the writer was created.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Transfers {
    /// Blocks that were read.
    pub read: u32,
    /// Blocks that were written.
    pub written: u32,
    /// Transfers that were tried again after an error.
    pub retried: u32,
}

/// A log on the card.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LogFile {
    /// The number: 12 for `00000012.BIN`.
    pub number: u32,
    /// The length in bytes; of the open log, what is flushed. `u32::MAX` for a file of another system that has 4 GiB or
    /// more; such files are never removed.
    pub bytes: u32,
    /// When it was written last, according to [`Dates`].
    pub date: Date,
    /// Whether it is read-only, or exFAT's entry of it has parts that only another system understands; such logs are
    /// never removed.
    pub is_read_only: bool,
}

impl<C: Slot, D: Dates> SdLog<C, D> {
    /// Creates a writer for a card, without accessing the card. `dates` dates the files.
    pub fn new(card: C, dates: D, options: Options) -> Self {
        Self::with_blocks(card, dates, options)
    }
}

impl<C: Slot, D: Dates, const BLOCKS: usize> SdLog<C, D, BLOCKS> {
    /// As [`new`](SdLog::new), with another buffer size: `SdLog::<_, _, 16>::with_blocks(…)` has 16 blocks of 512
    /// bytes.
    pub fn with_blocks(card: C, dates: D, options: Options) -> Self {
        const { assert!(BLOCKS > 0, "the buffer holds a block at least") };
        SdLog {
            card,
            dates,
            contents: Contents::EMPTY,
            schedule: Schedule::NONE,
            port: Port::default(),
            recorder: Recorder::new(options),
            block: [C::ZERO],
            buffer: [C::ZERO; BLOCKS],
        }
    }

    /// Ends the log at the next [`run`](SdLog::run), which begins another, for example when the vehicle is armed.
    pub fn rotate(&mut self) {
        self.schedule.rotate = true;
    }

    /// The number of the open log.
    pub fn number(&self) -> Option<u32> {
        self.recorder.log.map(|log| log.number)
    }

    /// The length of the open log in bytes, flushed or not.
    pub fn byte_count(&self) -> u32 {
        self.recorder.log.map_or(0, |_| self.contents.bytes())
    }

    /// The bytes of the open log that are flushed: what a power cut leaves of it.
    pub fn flushed_byte_count(&self) -> u32 {
        self.recorder.log.map_or(0, |log| log.bytes)
    }

    /// The free bytes of the card; `None` before a card was found or while they aren't counted, which
    /// [`run`](SdLog::run) does between records, and the beginning of a log where that is quick. On FAT32, it is the
    /// file system's own count (FSInfo), if it has one, until that turns out to be wrong. On exFAT, it is 0 once every
    /// piece of free space turns out to be too short for a log.
    pub fn free_bytes(&self) -> Option<u64> {
        self.recorder.free_bytes()
    }

    /// Whether [`run`](SdLog::run) paused a search for free space, or another call was left before its end. Then call
    /// `run` again without waiting: records gather in the ring until the search is over.
    pub fn is_searching(&self) -> bool {
        !matches!(self.recorder.goal(), Goal::None | Goal::Count)
    }

    /// Blocks read and written since the writer was created.
    pub fn transfers(&self) -> Transfers {
        self.port.transfers
    }

    /// Calls `f` with the card's driver, to change its clock or to ask for its type. Writing blocks with it destroys
    /// the file system.
    pub fn with_card<R>(&mut self, f: impl FnOnce(&mut C) -> R) -> R {
        f(&mut self.card)
    }
}

/// What blocking and asynchronous calls have in common: steps, and what there is to do before and after a transfer. A
/// step that needs a transfer returns it as a `Stop`, and is called again when the transfer is complete.
impl<C: Slot, D: Dates, const BLOCKS: usize> SdLog<C, D, BLOCKS> {
    /// Works on one of the recorder's goals.
    #[inline(never)]
    fn work(&mut self, goal: Goal) -> core::result::Result<(), Stop> {
        self.recorder.date = self.dates.now().bits();
        self.recorder.work(goal, &mut self.block[0])
    }

    /// Finds the file system of the card that is in the slot.
    fn find_card(&mut self) -> core::result::Result<(), Stop> {
        if !self.port.is_sized {
            self.abandon();
            self.port.forget();
            self.card.forget();
            self.recorder.operation = Operation::Mount;
            return Err(Stop::Size);
        }
        self.work(Goal::Mount)
    }

    fn begin(&mut self) -> core::result::Result<u32, Stop> {
        self.work(Goal::Begin)?;
        self.enter_log();
        Ok(self.number().unwrap_or(0))
    }

    /// The new log is empty, so it is open for any drain that is at the beginning of a file.
    fn enter_log(&mut self) {
        (self.contents, self.schedule) = (Contents::EMPTY, Schedule { stage: Stage::Open, ..Schedule::NONE });
    }

    fn end(&mut self) -> core::result::Result<(), Stop> {
        self.flush_to(self.contents.bytes())?;
        self.work(Goal::End)?;
        self.leave_log();
        Ok(())
    }

    fn leave_log(&mut self) {
        self.contents = Contents::EMPTY;
        self.schedule = Schedule { is_last: self.schedule.is_last, ..Schedule::NONE };
    }

    /// Whether a log is open, or a dropped future left its end.
    fn has_log(&self) -> bool {
        self.number().is_some() || (cfg!(feature = "async") && self.recorder.goal() == Goal::End)
    }

    /// Completes the goal that a dropped future left. The beginning of a log is left to a call that begins one, which
    /// also begins the drain's file; a log that can't grow, to the call that writes to it.
    #[cfg(feature = "async")]
    fn work_on(&mut self) -> core::result::Result<(), Stop> {
        let goal = self.recorder.goal();
        if matches!(goal, Goal::None | Goal::Begin) {
            return Ok(());
        }
        match self.work(goal) {
            Err(Stop::Fault(Fault::Blocked | Fault::Full)) if goal == Goal::Extend => {}
            worked => worked?,
        }
        if goal == Goal::End {
            self.leave_log();
        }
        Ok(())
    }

    fn flush_all(&mut self) -> core::result::Result<(), Stop> {
        match self.recorder.log {
            Some(_) => self.flush_to(self.contents.bytes()),
            None => {
                self.recorder.operation = Operation::Flush;
                Err(Stop::Fault(Fault::Closed))
            }
        }
    }

    /// Whether a dropped future left a removal, which the next call completes.
    fn is_removing(&self) -> bool {
        cfg!(feature = "async") && self.recorder.goal() == Goal::Remove
    }

    /// Removes a log, unless that is done.
    fn remove(&mut self, is_done: bool) -> core::result::Result<Option<u32>, Stop> {
        if !is_done {
            self.work(Goal::Remove)?;
        }
        Ok(Some(self.recorder.removed()).filter(|&number| number != 0))
    }

    /// The next log of a list that leaves what the recorder does as it is.
    #[cfg(feature = "mavlink")]
    fn next_log_aside(&mut self, aside: &mut Aside) -> core::result::Result<Option<LogFile>, Stop> {
        let next = self.recorder.next_log_aside(aside, &self.block[0])?;
        Ok(next.map(|(number, entry)| LogFile::new(number, &entry)))
    }

    /// Passes on the bytes of the loaded block that begin with `offset` of a log, of which it has `bytes`.
    #[cfg(feature = "mavlink")]
    fn copy_at(&self, offset: u32, bytes: usize, into: &mut [u8]) -> usize {
        let bytes = &self.block[0][(offset % 512) as usize..][..bytes.min(into.len())];
        into[..bytes.len()].copy_from_slice(bytes);
        bytes.len()
    }

    /// The number of the newest log, if one was begun since the boot.
    #[cfg(feature = "mavlink")]
    pub(crate) fn newest_number(&self) -> Option<u32> {
        self.recorder.newest_number()
    }

    /// The serial number of the volume that was mounted last.
    #[cfg(feature = "mavlink")]
    pub(crate) fn volume(&self) -> u32 {
        self.recorder.serial()
    }

    /// The highest number of a log.
    #[cfg(feature = "mavlink")]
    pub(crate) fn last_number(&self) -> u32 {
        self.recorder.last_number()
    }

    fn next_log(&mut self) -> core::result::Result<Option<LogFile>, Stop> {
        let next = self.recorder.next_log(&self.block[0])?;
        Ok(next.map(|(number, entry)| LogFile::new(number, &entry)))
    }

    /// The error of a call that would end a log which an error of another call ended, with what wasn't flushed.
    #[cold]
    fn lost(&mut self) -> SdError<C::Error> {
        self.recorder.operation = Operation::End;
        #[cfg(feature = "mavlink")]
        self.recorder.end_aside();
        self.fail(Cause::Fault(Fault::Closed))
    }

    /// Makes an error of a cause. After one about room or about a log that is read, the card stays mounted and the log
    /// open; any other ends both.
    #[cold]
    #[inline(never)]
    fn fail(&mut self, cause: Cause<C::Error>) -> SdError<C::Error> {
        use Fault::{Beyond4Gib, Blocked, Closed, Damaged, Full, NoLog, TooLong};
        let error = SdError { operation: self.recorder.failed_operation(), log: self.recorder.subject(), cause };
        let goes_on = match error.cause {
            Cause::Fault(Full | Blocked | NoLog | TooLong | Closed | Beyond4Gib) => true,
            Cause::Fault(Damaged(_)) => {
                self.recorder.log.is_some() && matches!(error.operation, Operation::List | Operation::Extract)
            }
            _ => false,
        };
        if !goes_on {
            self.abandon();
        }
        error
    }

    /// Forgets the card and the log.
    #[cold]
    #[inline(never)]
    fn abandon(&mut self) {
        let bytes = self.contents.bytes();
        let is_lost = self.contents.is_lost || self.recorder.log.as_ref().is_some_and(|log| log.bytes < bytes);
        self.recorder.forget();
        (self.contents, self.schedule) = (Contents::EMPTY, Schedule::NONE);
        self.contents.is_lost = is_lost;
        self.port.is_sized = false;
        self.port.note_transfer(None);
    }
}

impl LogFile {
    fn new(number: u32, entry: &Entry) -> Self {
        let date = Date::from_bits(entry.date);
        LogFile { number, bytes: entry.bytes, date, is_read_only: entry.is_read_only() }
    }
}

impl<C: Slot, D, const BLOCKS: usize> ErrorType for SdLog<C, D, BLOCKS> {
    type Error = SdError<C::Error>;
}
