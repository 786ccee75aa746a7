//! The logs of a card.

#[cfg(feature = "async")]
use super::AsyncLogStore;
use super::{LogEntry, LogStore, Piece};
#[cfg(feature = "async")]
use crate::card::AsyncCard;
use crate::card::{Card, Slot};
use crate::sd_log::{Cause, Dates, Fault, LogFile, SdError, SdLog};
use core::ops::ControlFlow;

/// Numbers of the first logs: which of the 64 after `gap` are taken.
struct Gap {
    gap: u32,
    taken: u64,
    is_wrapped: bool,
}

/// The age of the logs by their numbers.
///
/// After the highest number that a card allows, the lowest free one comes. Then the logs from 1 up to the first gap are
/// newer than all others.
#[derive(Clone, Copy)]
struct Ages {
    /// The highest number of the logs that are newer than those with higher numbers; 0 for none.
    newest: u32,
}

/// More than any number.
const NEWER: u32 = 100_000_000;

impl Ages {
    fn entry(self, log: LogFile) -> LogEntry {
        let order = if log.number <= self.newest { log.number + NEWER } else { log.number };
        LogEntry { number: log.number, order, bytes: log.bytes, seconds: log.date.seconds() }
    }
}

impl Gap {
    const NONE: Gap = Gap { gap: 0, taken: 0, is_wrapped: false };

    /// Takes note of a number. `last` is the highest that the card allows.
    fn see(&mut self, number: u32, last: u32) {
        self.is_wrapped |= number == last;
        if let ahead @ 0..64 = number.wrapping_sub(self.gap + 1) {
            self.taken |= 1 << ahead;
        }
    }

    /// Whether another pass is needed after this one.
    fn goes_on(&mut self) -> bool {
        self.gap += self.taken.trailing_ones();
        let is_full = self.taken == u64::MAX;
        self.taken = 0;
        self.is_wrapped && is_full
    }

    fn ages(&self, last: u32) -> Ages {
        // All numbers are taken: their order says it all.
        Ages { newest: if self.is_wrapped && self.gap < last { self.gap } else { 0 } }
    }
}

/// The result about one log, for a store: a missing log isn't an error.
fn piece<E: core::error::Error>(read: Result<Option<usize>, SdError<E>>) -> Result<Piece, SdError<E>> {
    match read {
        Ok(Some(bytes)) => Ok(Piece::Bytes(bytes)),
        Ok(None) => Ok(Piece::Searching),
        Err(SdError { cause: Cause::Fault(Fault::NoLog), .. }) => Ok(Piece::NoLog),
        Err(error) => Err(error),
    }
}

impl<C: Slot, D: Dates, const BLOCKS: usize> SdLog<C, D, BLOCKS> {
    /// The ages if a log of this boot tells them.
    fn ages(&self) -> Option<Ages> {
        self.newest_number().map(|newest| Ages { newest })
    }
}

impl<C: Card, D: Dates, const BLOCKS: usize> LogStore for SdLog<C, D, BLOCKS> {
    type Error = SdError<C::Error>;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Self::Error> {
        let (mut gap, last) = (Gap::NONE, self.last_number());
        let ages = loop {
            if let Some(ages) = self.ages() {
                break ages;
            }
            self.visit_logs(|log| {
                gap.see(log.number, last);
                ControlFlow::Continue(())
            })?;
            if !gap.goes_on() {
                break gap.ages(last);
            }
        };
        self.visit_logs(|log| visit(ages.entry(log)))
    }

    fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Self::Error> {
        piece(SdLog::read_at(self, number, offset, into))
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        self.number().map(|number| (number, self.flushed_byte_count()))
    }

    fn volume(&self) -> u32 {
        SdLog::volume(self)
    }
}

#[cfg(feature = "async")]
impl<C: AsyncCard, D: Dates, const BLOCKS: usize> AsyncLogStore for SdLog<C, D, BLOCKS> {
    type Error = SdError<C::Error>;

    async fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Self::Error> {
        let (mut gap, last) = (Gap::NONE, self.last_number());
        let ages = loop {
            if let Some(ages) = self.ages() {
                break ages;
            }
            self.visit_logs_async(|log| {
                gap.see(log.number, last);
                ControlFlow::Continue(())
            })
            .await?;
            if !gap.goes_on() {
                break gap.ages(last);
            }
        };
        self.visit_logs_async(|log| visit(ages.entry(log))).await
    }

    async fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Self::Error> {
        piece(self.read_at_async(number, offset, into).await)
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        self.number().map(|number| (number, self.flushed_byte_count()))
    }

    fn volume(&self) -> u32 {
        SdLog::volume(self)
    }
}
