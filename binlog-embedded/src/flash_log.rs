// Held by tests/tests/flash/histories.rs, tests/tests/flash/power_cuts.rs.

//! Logs on a NOR flash chip.

#[cfg(feature = "async")]
mod asynchronous;
#[cfg(feature = "mavlink")]
mod at;
mod blocking;
mod chip;
mod error;
mod geometry;
mod options;
mod preamble;
mod recorder;
mod schedule;
mod search;
mod stored;

#[cfg(feature = "async")]
pub use chip::AsyncChip;
pub use chip::{Chip, Plain};
pub use error::{Cause, FlashError, Operation};
pub use options::{Options, WhenFull};
pub use preamble::Preamble;
pub use stored::StoredLog;

use crate::{Drain, Prologue};
#[cfg(feature = "mavlink")]
pub(crate) use at::{Load, Loaded, Place};
use binlog::flash::{HEADER_BYTES, Header, SECTOR_BYTES, schema_hash};
use binlog::ring_format::Schema;
use embedded_storage::nor_flash::{ErrorType, NorFlashError};
use geometry::Geometry;
use recorder::Recorder;
use schedule::Due;
use stored::Contents;

type Result<T, F> = core::result::Result<T, FlashError<<F as ErrorType>::Error>>;

/// Writes logs to a NOR flash chip (W25Q and its like, or a part of a processor's own flash), for boards without a card
/// slot. The chip is a ring: each boot begins a log, and the oldest logs are overwritten.
///
/// [`run`](FlashLog::run) does everything for a [`Drain`]: it finds the end of the newest log, begins a
/// log at the first record, moves the records, flushes by bytes and by time, erases ahead, and begins another log after
/// an error. Programs that do this themselves use it as an [`embedded_io::Write`]. With the feature `async`, the same
/// calls end with `_async`, for an `AsyncChip`.
///
/// [`list`](FlashLog::list), [`extract`](FlashLog::extract) and [`read`](FlashLog::read) are for extraction on the
/// target, over USB or a link. On a host, `binlog::flash::Image` reads an image of the chip; its module documents the
/// format.
///
/// # Promise
///
/// - Flushed bytes stay until their sector is overwritten. A power cut may hit any operation,
///   also those of the next boot: a write may be torn after any byte or leave arbitrary bits, an erase may leave
///   anything in the unit.
/// - What is extracted is a stretch of the bytes that were written, from the log's beginning or from where it was
///   overwritten. Nothing else appears in a log.
/// - Logs of this boot are overwritten only with [`WhenFull::Overwrite`], and only when no earlier
///   log is left. With [`WhenFull::Stop`], they stay whole, and one block of the chip (64 KiB, or an
///   eighth of a smaller chip) stays unused for that.
/// - The oldest logs lose what is erased and up to one block after it, because a torn erase can't be told from whole
///   sectors.
/// - No word is written twice between two erases, as `NorFlash` demands, for each `WRITE_SIZE`.
/// - Each unit is erased once in each lap of the ring. Each boot adds at most one erase to the unit that it begins with
///   and to those that were erased ahead.
/// - Finding the newest log takes at most 26 reads of 16 bytes on a chip of 16 MiB with logs, and 258 on a blank one;
///   twice as many on a chip with foreign data.
///
/// A power cut loses everything since the last flush: at most [`Options::flush_bytes`] (and the
/// contents of the ring) or [`Options::flush_us`]. Full pages of 250 bytes are on the chip earlier.
///
/// # Speed
///
/// Erasing is what takes time, and it stalls the log; the ring has to last so long. Figures of a model of a W25Q128
/// with typical times on SPI at 20 MHz, not of a board:
///
/// | unit | bytes a second | longest stall |
/// | --- | --- | --- |
/// | 4 KiB | 75 KB | 45 ms |
/// | 32 KiB | 173 KB | 120 ms |
/// | 64 KiB | 229 KB | 150 ms |
/// | erased before by [`prepare`](FlashLog::prepare) | 490 KB | none |
///
/// The data sheet's maximum times are ten times as long (400, 1600 and 2000 ms): then no ring is large enough for
/// 100 KB/s, and records are dropped and counted. Chips that are worn or cold get there; use
/// [`prepare`](FlashLog::prepare) on the ground if that matters. Suspending an erase is not used: no trait has it, and
/// some chips forbid writing meanwhile.
///
/// # Memory
///
/// A page of 256 bytes and about 100 bytes of state. A [`Reader`] has another page.
pub struct FlashLog<F> {
    flash: F,
    options: Options,
    recorder: Recorder,
    /// When the next attempt to begin a log is due.
    retry_us: u64,
    /// When the log was flushed last.
    flushed_us: u64,
    /// Bytes that the log had then.
    flushed_bytes: u32,
    /// Whether the next log is to begin.
    rotate: bool,
    /// What a run has to do before it writes more.
    due: Due,
}

impl<F> FlashLog<F> {
    /// Creates a writer for a chip, without accessing the chip.
    pub fn new(flash: F, options: Options) -> Self {
        FlashLog {
            flash,
            options,
            recorder: Recorder::NEW,
            retry_us: 0,
            flushed_us: 0,
            flushed_bytes: 0,
            rotate: false,
            due: Due::Nothing,
        }
    }

    /// The chip, for what the log doesn't do. Writing to it or erasing it destroys logs; create another `FlashLog`
    /// afterwards, because this one knows the chip as it was.
    pub fn flash(&mut self) -> &mut F {
        &mut self.flash
    }

    /// Ends the log; the next call of [`run`](FlashLog::run) begins another, for example when the vehicle is armed.
    pub fn rotate(&mut self) {
        self.rotate = true;
    }

    /// The number of the open log.
    pub fn number(&self) -> Option<u16> {
        self.recorder.number()
    }

    /// Bytes written to the open log, modulo 2³².
    pub fn byte_count(&self) -> u32 {
        self.recorder.byte_count()
    }

    /// Whether a log is open that can be continued.
    fn is_open(&self) -> bool {
        self.recorder.number().is_some() && !self.recorder.is_busy()
    }

    /// After a future that was dropped, or an error of another call, ended the log: what the drain wrote to it and
    /// didn't flush is lost. Returns whether there is any.
    #[cold]
    #[inline(never)]
    fn lose_unflushed<S: Schema, P: Prologue<S>, const N: usize>(&mut self, drain: &mut Drain<'_, S, N, P>) -> bool {
        let is_lost = !self.is_open() && drain.is_dirty();
        if is_lost {
            self.recorder.forget();
            drain.restart();
        }
        is_lost
    }

    /// Whether the last attempt to begin a log failed, and the next isn't due.
    fn is_waiting(&self, now_us: u64) -> bool {
        // A clock that was set back doesn't keep the chip waiting.
        now_us < self.retry_us && self.retry_us - now_us <= self.options.retry_us
    }

    fn retry_later(&mut self, now_us: u64) {
        self.retry_us = now_us.saturating_add(self.options.retry_us);
    }

    /// Whether a flush is due.
    fn is_flush_due(&self, now_us: u64) -> bool {
        self.byte_count().wrapping_sub(self.flushed_bytes) >= self.options.flush_bytes
            || now_us.wrapping_sub(self.flushed_us) >= self.options.flush_us
    }

    /// Sectors of which one more unit is to be erased ahead, if that is due.
    fn ahead(&self) -> u32 {
        let blank = self.recorder.blank_sectors();
        let is_due = blank * (SECTOR_BYTES as u32) < self.options.ahead_bytes;
        if is_due { blank + 1 } else { 0 }
    }

    /// The error of a task that didn't end. The log can't be continued.
    #[cold]
    #[inline(never)]
    fn give_up<E>(&mut self, operation: Operation, cause: Cause<E>) -> FlashError<E> {
        let error = self.error(operation, cause);
        if self.recorder.is_busy() {
            self.recorder.forget();
        }
        error
    }

    fn error<E>(&self, operation: Operation, cause: Cause<E>) -> FlashError<E> {
        FlashError { operation, log: self.number(), cause }
    }
}

/// Whether the beginning of a sector is neither a header nor erased, so that noise on the bus may be the reason.
fn is_doubtful(bytes: &[u8; HEADER_BYTES]) -> bool {
    Header::decode(bytes).is_none() && *bytes != [0xFF; HEADER_BYTES]
}

/// Fails to compile for sizes that the log can't use.
const fn check_sizes(unit: u32, read: usize, write: usize, erase: usize) {
    assert!(read.is_power_of_two() && read <= HEADER_BYTES, "READ_SIZE of the chip must be a power of two up to 16");
    assert!(write.is_power_of_two() && write <= 256, "WRITE_SIZE of the chip must be a power of two up to 256");
    assert!(
        unit.is_power_of_two() && unit as usize >= SECTOR_BYTES && (unit as usize).is_multiple_of(erase),
        "UNIT of the chip must be a power of two, at least 4096, and a multiple of ERASE_SIZE"
    );
}

/// Reads a log from the chip; [`FlashLog::read`] makes it. It implements [`embedded_io::Read`] and, with the feature
/// `async`, `embedded_io_async::Read`. 0 bytes are the end of the log.
pub struct Reader<'a, F> {
    flash: &'a mut F,
    contents: Contents,
}

impl<F> Reader<'_, F> {
    /// Bytes of the log that were missing so far: its beginning if that was overwritten, and what is damaged.
    pub fn missing(&self) -> u32 {
        self.contents.missing
    }
}

impl<F: ErrorType> embedded_io::ErrorType for FlashLog<F>
where
    F::Error: NorFlashError,
{
    type Error = FlashError<F::Error>;
}

impl<F: ErrorType> embedded_io::ErrorType for Reader<'_, F> {
    type Error = FlashError<F::Error>;
}
