//! Logs as numbered files on an SD card.

#[cfg(feature = "async")]
mod asynchronous;
mod blocking;
mod contents;
mod dates;
mod error;
mod flight;
mod options;
mod port;

#[cfg(feature = "async")]
pub use crate::card::AsyncCard;
pub use crate::card::{Card, Slot};
pub use dates::{Date, Dates, Undated};
pub use error::{Cause, Damage, Fault, Operation, SdError, Unusable};
pub use options::Options;

use crate::recorder::{Entry, Goal, Io, NOTHING, Recorder, Stop};
use contents::Contents;
use embedded_io::ErrorType;
use flight::{Flight, Stage};
use port::Port;

type Result<T, C> = core::result::Result<T, SdError<<C as Slot>::Error>>;

/// Writes logs to an SD card with FAT16, FAT32 or exFAT: `LOGS/00000001.BIN` and so on.
///
/// [`run`](SdLog::run) does everything for a [`Drain`](crate::Drain): it finds the card, begins a log, moves the
/// records, flushes by bytes and by time, begins the next log, removes the oldest logs when space is short, and after an
/// error resumes when the card is back. Programs that do this themselves use it as an [`embedded_io::Write`].
///
/// # What is on the card
///
/// These hold if the power fails at any moment, also while a block is being written, if the card writes blocks in the
/// order given and a block's words from its beginning on (the beginning new, the end old):
///
/// - What a flush returned for is readable by any reader after a power cut at any later moment.
/// - On exFAT, a block of the directory that is torn hides the log from other readers, because its entry has a checksum.
///   The next mount mends it. Until then, a repair program may delete the entry; [`SdLog`] itself loses nothing.
/// - No cluster ever belongs to two files.
/// - No cluster is lost for longer than until the next boot. A log owns clusters in advance
///   ([`Options::extent_bytes`]); they are given back at its end, or after a power cut by the next mount.
/// - Logs of this boot are never removed. A log of an earlier boot is removed only whole, the oldest first, and only if
///   that makes the room that is needed. Read-only logs are never removed.
/// - What the clusters held before never appears as part of a log.
///
/// A power cut loses everything since the last flush: at most [`Options::flush_bytes`] (and the contents of the ring) or
/// [`Options::flush_us`].
///
/// Between two flushes the card gets ascending blocks of contents, [`BLOCKS`](SdLog) at a time, and nothing else; a
/// flush writes at most three more blocks.
///
/// # Memory
///
/// `BLOCKS` blocks of 512 bytes gather contents for one multi-block transfer (default 8: 4 KiB). One more block holds
/// whatever of the file system is worked on.
///
/// # Porting
///
/// A driver that implements [`Card`] is all it needs.
pub struct SdLog<C: Slot, D = Undated, const BLOCKS: usize = 8> {
    card: C,
    dates: D,
    options: Options,
    recorder: Recorder,
    /// The block of the file system that the recorder works on.
    block: [C::Block; 1],
    /// Contents of the log that are not on the card.
    buffer: [C::Block; BLOCKS],
    contents: Contents,
    flight: Flight,
    port: Port,
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
    /// The length in bytes; of the open log, what is flushed.
    pub bytes: u32,
    /// When it was written last, as far as [`Dates`] knew.
    pub date: Date,
    /// Whether it is read-only; such logs are never removed.
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
            options,
            recorder: Recorder::new(),
            block: [C::ZERO],
            buffer: [C::ZERO; BLOCKS],
            contents: Contents::EMPTY,
            flight: Flight::NONE,
            port: Port::default(),
        }
    }

    /// Ends the log at the next [`run`](SdLog::run), which begins another, for example when the vehicle is armed.
    pub fn rotate(&mut self) {
        self.flight.rotate = true;
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

    /// The free bytes of the card; `None` if they aren't counted yet.
    pub fn free_bytes(&self) -> Option<u64> {
        self.recorder.free_bytes()
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

/// What blocking and asynchronous calls have in common: steps, which are called again after each transfer that they ask
/// for, and what there is to do before and after a transfer.
impl<C: Slot, D: Dates, const BLOCKS: usize> SdLog<C, D, BLOCKS> {
    /// Works on one of the recorder's goals.
    fn work(&mut self, goal: Goal) -> core::result::Result<(), Stop> {
        let date = self.dates.now().bits();
        self.recorder.work(goal, &mut self.block[0], &self.options, date)
    }

    /// Finds the file system of whatever card is in the slot.
    fn find_card(&mut self) -> core::result::Result<(), Stop> {
        if !self.port.is_sized {
            self.abandon();
            self.port.forget();
            self.card.forget();
            self.recorder.operation = Operation::Mount;
            return Err(Stop::Io(Io::Size));
        }
        self.work(Goal::Mount)
    }

    fn begin(&mut self) -> core::result::Result<u32, Stop> {
        self.work(Goal::Begin)?;
        self.has_begun();
        Ok(self.number().unwrap_or(0))
    }

    /// The log is new. It is open for any drain that has begun nothing yet.
    fn has_begun(&mut self) {
        (self.contents, self.flight) = (Contents::EMPTY, Flight { stage: Stage::Open, ..Flight::NONE });
    }

    fn end(&mut self) -> core::result::Result<(), Stop> {
        self.flush_to(self.contents.bytes())?;
        self.work(Goal::End)?;
        self.has_ended();
        Ok(())
    }

    fn has_ended(&mut self) {
        self.flight = Flight { is_last: self.flight.is_last, ..Flight::NONE };
    }

    fn flush_all(&mut self) -> core::result::Result<(), Stop> {
        match self.recorder.log {
            Some(_) => self.flush_to(self.contents.bytes()),
            None => Err(Stop::Fault(Fault::Closed)),
        }
    }

    fn remove(&mut self) -> core::result::Result<Option<u32>, Stop> {
        self.work(Goal::Remove)?;
        Ok(Some(self.recorder.removed()).filter(|&number| number != 0))
    }

    fn next_log(&mut self) -> core::result::Result<Option<LogFile>, Stop> {
        let next = self.recorder.next_log(&self.block[0])?;
        Ok(next.map(|(number, entry)| LogFile::new(number, &entry)))
    }

    /// What a stop asks for: a transfer, or `None` for a pause.
    fn next_transfer(&mut self, stop: Stop) -> Result<Option<Io>, C> {
        match stop {
            Stop::Io(io) => Ok(Some(io)),
            Stop::Pause => Ok(None),
            Stop::Changed => Err(self.fail(Cause::Changed)),
            Stop::Fault(fault) => Err(self.fail(Cause::Fault(fault))),
        }
    }

    fn begin_transfer(&mut self, io: Io) -> core::result::Result<(), Cause<C::Error>> {
        self.port.check()?;
        match io {
            Io::Read(_) => self.recorder.loaded = NOTHING,
            Io::Write { at, .. } => self.port.saw(&self.recorder, at, None),
            Io::Data { .. } | Io::Size => {}
        }
        self.port.unfinished = Some(io);
        Ok(())
    }

    fn end_transfer(&mut self, io: Io) {
        self.port.unfinished = None;
        let Transfers { read, written, .. } = &mut self.port.transfers;
        match io {
            Io::Read(at) => {
                *read = read.wrapping_add(1);
                self.recorder.loaded = at;
                self.port.saw(&self.recorder, at, Some(&self.block[0]));
            }
            Io::Write { at, mirror } => {
                *written = written.wrapping_add(1 + u32::from(mirror != 0));
                self.port.saw(&self.recorder, at, Some(&self.block[0]));
            }
            Io::Data { count, .. } => *written = written.wrapping_add(count as u32),
            Io::Size => self.port.is_sized = true,
        }
    }

    /// What an error leaves: a card that is full or lacks a log is used on; any other error ends the log.
    #[cold]
    fn fail(&mut self, cause: Cause<C::Error>) -> SdError<C::Error> {
        let error = SdError { operation: self.recorder.operation, log: self.number(), cause };
        let goes_on = matches!(
            error.cause,
            Cause::Fault(Fault::Full | Fault::Blocked | Fault::NoLog | Fault::TooLong | Fault::Closed)
        );
        if !goes_on {
            self.abandon();
        }
        error
    }

    /// Forgets the card and the log.
    fn abandon(&mut self) {
        self.recorder.forget();
        (self.contents, self.flight) = (Contents::EMPTY, Flight::NONE);
        (self.port.is_sized, self.port.unfinished) = (false, None);
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
