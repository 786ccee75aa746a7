//! The logs of a flash chip.

#[cfg(feature = "async")]
use super::AsyncLogStore;
use super::{LogEntry, LogStore, Piece};
#[cfg(feature = "async")]
use crate::flash_log::AsyncChip;
use crate::flash_log::{Chip, FlashError, FlashLog, Load, Loaded, Place, StoredLog};
use binlog::flash::schema_hash;
use core::ops::ControlFlow;

/// The logs of a flash chip, which a [`Server`](super::super::Server) lists and sends.
///
/// A log whose beginning was overwritten has the preamble before what is left of it, if that is of its schema. Bytes of
/// damaged pages are zeros, which readers skip, so that offsets stay the same. Logs on a chip have no date. The number
/// of an entry changes when the beginning of the log is overwritten, because its offsets do.
///
/// [`Follow`](super::super::Follow) doesn't follow them, because the open log may overwrite its own beginning. A
/// [`Stream`](super::super::Stream) needs the drain, which the chip has while it logs: finish one before you run the
/// other.
///
/// ```
/// use binlog_embedded::FlashLog;
/// use binlog_embedded::flash_log::{Chip, Options};
/// use binlog_embedded::mavlink::{FlashLogs, LogStore};
/// use core::ops::ControlFlow;
///
/// # use binlog::{LogSchema, messages::Ev};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Ev(Ev) }
/// fn sizes(chip: impl Chip) {
///     let mut logs = FlashLogs::new(FlashLog::new(chip, Options::default()), FlightLog::PREAMBLE);
///     // In the main loop: logs.log().run(&mut drain), and server.next(now_us, &mut logs).
///     let mut bytes = 0;
///     let _ = logs.list(|log| {
///         bytes += log.bytes;
///         ControlFlow::Continue(())
///     });
/// }
/// ```
pub struct FlashLogs<F> {
    log: FlashLog<F>,
    preamble: &'static [u8],
    /// The log that was read last, and where.
    last: Option<Last>,
}

#[derive(Clone, Copy)]
struct Last {
    log: StoredLog,
    bytes: u32,
    place: Place,
}

impl<F> FlashLogs<F> {
    /// `preamble` is that of the program's schema: `FlightLog::PREAMBLE`.
    pub fn new(log: FlashLog<F>, preamble: &'static [u8]) -> Self {
        FlashLogs { log, preamble, last: None }
    }

    /// The log on the chip, to write to it.
    pub fn log(&mut self) -> &mut FlashLog<F> {
        &mut self.log
    }

    /// What comes before the bytes that are left of a log.
    fn before(&self, log: &StoredLog) -> &'static [u8] {
        before(log, self.preamble)
    }

    /// Whether the log that was read last is this one, and has bytes at the offset.
    fn is_found(&self, number: u32, offset: u32) -> bool {
        self.last.is_some_and(|Last { log, bytes, .. }| {
            log.identity() == number && offset < bytes.saturating_add(self.before(&log).len() as u32)
        })
    }

    /// Where to read bytes: from the preamble, or from what is left of the log.
    fn wanted(&self, offset: u32) -> Option<(Last, Wanted)> {
        let last = self.last?;
        let preamble = self.before(&last.log);
        Some((
            last,
            match preamble.get(offset as usize..).filter(|rest| !rest.is_empty()) {
                Some(rest) => Wanted::Preamble(rest),
                None => Wanted::Rest(offset - preamble.len() as u32),
            },
        ))
    }

    /// Takes what was found.
    fn take(&mut self, last: Last, wanted: u32, loaded: Loaded, load: &Load, into: &mut [u8]) -> Piece {
        self.last = Some(Last { place: load.place, ..last });
        Piece::Bytes(match loaded {
            Loaded::Bytes(range) => copy(&load.page[range], into),
            Loaded::Gap(end) => {
                let count = into.len().min((end - wanted) as usize);
                into[..count].fill(0);
                count
            }
            Loaded::Gone => {
                self.last = None;
                return Piece::NoLog;
            }
        })
    }
}

/// Where bytes are.
enum Wanted {
    Preamble(&'static [u8]),
    /// The offset in what is left of the log.
    Rest(u32),
}

fn before(log: &StoredLog, preamble: &'static [u8]) -> &'static [u8] {
    if log.missing != 0 && schema_hash(preamble) == log.schema { preamble } else { &[] }
}

fn copy(from: &[u8], into: &mut [u8]) -> usize {
    let count = from.len().min(into.len());
    into[..count].copy_from_slice(&from[..count]);
    count
}

/// The entry of a log that has `bytes` bytes left, the `order`th on the chip.
fn entry(log: &StoredLog, bytes: u32, order: u32, preamble: &'static [u8]) -> LogEntry {
    let bytes = bytes.saturating_add(before(log, preamble).len() as u32);
    LogEntry { number: log.identity(), order, bytes, seconds: 0 }
}

impl<F: Chip> FlashLogs<F> {
    /// Finds a log, unless that is done.
    fn find(&mut self, number: u32, offset: u32) -> Result<(), FlashError<F::Error>> {
        if self.is_found(number, offset) {
            return Ok(());
        }
        let mut found = None;
        self.log.visit_logs(|log, bytes| {
            if log.identity() == number {
                found = Some(Last { log: *log, bytes, place: Place::START });
            }
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.last = found;
        Ok(())
    }
}

impl<F: Chip> LogStore for FlashLogs<F> {
    type Error = FlashError<F::Error>;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Self::Error> {
        let (mut order, preamble) = (0, self.preamble);
        self.log.visit_logs(|log, bytes| {
            order += 1;
            visit(entry(log, bytes, order, preamble))
        })
    }

    fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Self::Error> {
        self.find(number, offset)?;
        match self.wanted(offset) {
            None => Ok(Piece::NoLog),
            Some((_, Wanted::Preamble(rest))) => Ok(Piece::Bytes(copy(rest, into))),
            Some((last, Wanted::Rest(wanted))) if wanted >= last.bytes => Ok(Piece::Bytes(0)),
            Some((last, Wanted::Rest(wanted))) => {
                let (loaded, load) = self.log.load_at(last.log, last.bytes, wanted, last.place)?;
                Ok(self.take(last, wanted, loaded, &load, into))
            }
        }
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        None
    }
}

#[cfg(feature = "async")]
impl<F: AsyncChip> FlashLogs<F> {
    /// Finds a log, unless that is done.
    async fn find_async(&mut self, number: u32, offset: u32) -> Result<(), FlashError<F::Error>> {
        if self.is_found(number, offset) {
            return Ok(());
        }
        let mut found = None;
        self.log
            .visit_logs_async(|log, bytes| {
                if log.identity() == number {
                    found = Some(Last { log: *log, bytes, place: Place::START });
                }
                if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .await?;
        self.last = found;
        Ok(())
    }
}

#[cfg(feature = "async")]
impl<F: AsyncChip> AsyncLogStore for FlashLogs<F> {
    type Error = FlashError<F::Error>;

    async fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Self::Error> {
        let (mut order, preamble) = (0, self.preamble);
        self.log
            .visit_logs_async(|log, bytes| {
                order += 1;
                visit(entry(log, bytes, order, preamble))
            })
            .await
    }

    async fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Self::Error> {
        self.find_async(number, offset).await?;
        match self.wanted(offset) {
            None => Ok(Piece::NoLog),
            Some((_, Wanted::Preamble(rest))) => Ok(Piece::Bytes(copy(rest, into))),
            Some((last, Wanted::Rest(wanted))) if wanted >= last.bytes => Ok(Piece::Bytes(0)),
            Some((last, Wanted::Rest(wanted))) => {
                let (loaded, load) = self.log.load_at_async(last.log, last.bytes, wanted, last.place).await?;
                Ok(self.take(last, wanted, loaded, &load, into))
            }
        }
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        None
    }
}
