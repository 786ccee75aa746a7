//! The logs of a card.

#[cfg(feature = "async")]
use super::AsyncLogStore;
use super::{LogEntry, LogStore, Piece};
#[cfg(feature = "async")]
use crate::card::AsyncCard;
use crate::card::{Card, Slot};
use crate::sd_log::{Cause, Dates, Fault, LogFile, SdError, SdLog};
use core::ops::ControlFlow;

/// The age of the logs by their numbers.
///
/// After the highest number that a card allows, the lowest free one comes. Then the logs from 1 up to the first gap are
/// newer than all others. A log of this boot tells where they end; otherwise passes over the logs look for the gap, 64
/// numbers at a time.
struct Ages {
    /// The highest number of the logs that are newer than those with higher numbers; 0 for none. While it is searched,
    /// all numbers up to this one are taken.
    newest: u32,
    is_known: bool,
    /// Which of the 64 numbers after it are taken.
    taken: u64,
    is_wrapped: bool,
    /// The highest number that the card allows.
    last: u32,
}

/// More than any number.
const NEWER: u32 = 100_000_000;

impl Ages {
    /// Takes note of a number.
    fn see(&mut self, log: LogFile) -> ControlFlow<()> {
        self.is_wrapped |= log.number == self.last;
        if let ahead @ 0..64 = log.number.wrapping_sub(self.newest + 1) {
            self.taken |= 1 << ahead;
        }
        ControlFlow::Continue(())
    }

    fn end_pass(&mut self) {
        self.newest += self.taken.trailing_ones();
        self.is_known = !self.is_wrapped || self.taken != u64::MAX;
        self.taken = 0;
        // If all numbers are taken, their order says it all.
        if self.is_known && (!self.is_wrapped || self.newest >= self.last) {
            self.newest = 0;
        }
    }

    fn entry(&self, log: LogFile) -> LogEntry {
        let order = if log.number <= self.newest { log.number + NEWER } else { log.number };
        LogEntry { number: log.number, order, bytes: log.bytes, seconds: log.date.seconds() }
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
    /// What is known of the ages before a pass.
    fn ages(&self) -> Ages {
        let newest = self.newest_number();
        Ages {
            newest: newest.unwrap_or(0),
            is_known: newest.is_some(),
            taken: 0,
            is_wrapped: false,
            last: self.last_number(),
        }
    }
}

impl<C: Card, D: Dates, const BLOCKS: usize> LogStore for SdLog<C, D, BLOCKS> {
    type Error = SdError<C::Error>;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Self::Error> {
        let mut ages = self.ages();
        while !ages.is_known {
            self.visit_logs(|log| ages.see(log))?;
            ages.end_pass();
        }
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
        let mut ages = self.ages();
        while !ages.is_known {
            self.visit_logs_async(|log| ages.see(log)).await?;
            ages.end_pass();
        }
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
