//! Errors of a chip: the operation, the log and the cause.

use crate::plain_text::{Pieces, PlainText, display};
use core::error::Error;
use core::fmt;
use embedded_storage::nor_flash::{NorFlashError, NorFlashErrorKind};

/// What failed, on which log, and why. `E` is the driver's error.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct FlashError<E> {
    /// The operation that failed.
    pub operation: Operation,
    /// The number of the log. `None` if the error isn't about a log.
    pub log: Option<u16>,
    /// Why it failed.
    pub cause: Cause<E>,
}

/// The operation on the chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Operation {
    /// Finding the newest log.
    Mount,
    /// Writing to the log.
    Write,
    /// Flushing the log.
    Flush,
    /// Erasing ahead.
    Prepare,
    /// Listing the logs.
    List,
    /// Reading a log.
    Read,
}

/// Why an operation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Cause<E> {
    /// An error of the driver.
    Chip(E),
    /// The chip has fewer than eight erase units.
    TooSmall,
    /// The logs of this boot fill the chip.
    Full,
    /// What was written can't be read back: the chip is write-protected, worn out or absent.
    NotWritten,
    /// There is no open log to write to, or an earlier write to it didn't end.
    Closed,
    /// The chip has no log of this number.
    NoLog,
}

impl<E> FlashError<E> {
    /// Writes the text, without that of the driver's error, which comes last and is returned.
    fn put_before_chip(&self, out: &mut dyn Pieces) -> Option<&E> {
        out.text(match self.operation {
            Operation::Mount => "can't use the flash chip",
            Operation::Write => "can't write",
            Operation::Flush => "can't flush",
            Operation::Prepare => "can't erase ahead",
            Operation::List => "can't list the logs",
            Operation::Read => "can't read",
        });
        if let Some(log) = self.log {
            out.text(" log ");
            out.number(log.into());
        }
        out.text(": ");
        out.text(match &self.cause {
            Cause::Chip(error) => {
                out.text("the chip's driver reports ");
                return Some(error);
            }
            Cause::TooSmall => "the chip has fewer than eight erase units; choose a smaller Chip::UNIT",
            Cause::Full => {
                "the logs of this boot fill the chip; extract and restart, or set Options::when_full to Overwrite"
            }
            Cause::NotWritten => {
                "what was written can't be read back; check the chip's wiring and its write protection, or replace it"
            }
            Cause::Closed => "no log is open; begin_log begins one",
            Cause::NoLog => "the chip has no log of this number; list names them",
        });
        None
    }
}

impl<E: fmt::Debug> fmt::Display for FlashError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(f, |out| self.put_before_chip(out))?.map_or(Ok(()), |error| write!(f, "{error:?}"))
    }
}

/// Of the driver's error, the text has the [kind](NorFlashError::kind) only.
impl<E: NorFlashError> PlainText for FlashError<E> {
    fn put(&self, out: &mut dyn Pieces) {
        if let Some(error) = self.put_before_chip(out) {
            out.text(match error.kind() {
                NorFlashErrorKind::NotAligned => "NotAligned",
                NorFlashErrorKind::OutOfBounds => "OutOfBounds",
                _ => "Other",
            });
        }
    }
}

impl<E: fmt::Debug> Error for FlashError<E> {}

impl<E: NorFlashError> embedded_io::Error for FlashError<E> {
    fn kind(&self) -> embedded_io::ErrorKind {
        use embedded_io::ErrorKind;
        match self.cause {
            Cause::Chip(_) => ErrorKind::Other,
            Cause::TooSmall => ErrorKind::Unsupported,
            Cause::Full => ErrorKind::OutOfMemory,
            Cause::NotWritten => ErrorKind::InvalidData,
            Cause::Closed => ErrorKind::NotConnected,
            Cause::NoLog => ErrorKind::NotFound,
        }
    }
}
