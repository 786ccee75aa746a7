//! Errors of a card: the operation, the log and the cause.

use crate::plain_text::{Pieces, PlainText, display, texts_in};
use crate::recorder::{Fault, Operation};
use core::error::Error;
use core::fmt;

/// What failed, on which log, and why. `E` is the error of the card's driver.
///
/// Its text says what to do where something can be done: "can't create a log: the directory is full; remove
/// files from it, or set Options::folder to another one".
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SdError<E: Error> {
    /// The operation that failed.
    pub operation: Operation,
    /// The number of the log that was read or removed, otherwise of the open one: 12 for `00000012.BIN`. `None` if
    /// there was none.
    pub log: Option<u32>,
    /// Why it failed.
    pub cause: Cause<E>,
}

/// Why an operation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Cause<E: Error> {
    /// The error of the card's driver.
    Card(E),
    /// Another card is in the slot, or another system wrote to this one. Nothing is written to it before the next call
    /// mounts it.
    Changed,
    /// The card can't be used for logs, or something else is wrong that isn't the driver's error.
    Fault(Fault),
}

impl<E: Error> Cause<E> {
    /// Writes the text, without that of the driver's error, which comes last and is returned.
    fn put_before_card(&self, out: &mut dyn Pieces) -> Option<&E> {
        match self {
            Cause::Card(error) => {
                out.text("the card: ");
                return Some(error);
            }
            Cause::Changed => {
                out.text("another card is in the slot, or another system wrote to this one; the next call mounts it");
            }
            Cause::Fault(fault) => fault.put(out),
        }
        None
    }
}

impl<E: Error> fmt::Display for Cause<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(f, |out| self.put_before_card(out))?.map_or(Ok(()), |error| write!(f, "{error}"))
    }
}

/// What the text of an [`Operation`] is, in their order.
const OPERATIONS: &str = concat!(
    "use the card\0",
    "open the folder of the logs\0",
    "list the logs\0",
    "create a log\0",
    "write\0",
    "flush\0",
    "end\0",
    "read\0",
    "remove\0",
);
const _: () = assert!(texts_in(OPERATIONS) == Operation::Remove as usize + 1, "each operation has a text");

impl<E: Error> SdError<E> {
    /// As [`Cause::put_before_card`].
    fn put_before_card(&self, out: &mut dyn Pieces) -> Option<&E> {
        out.text("can't ");
        out.one_of(OPERATIONS, self.operation as usize);
        use Operation::{End, Extract, Flush, Remove, Write};
        // The other operations are about the card.
        if matches!(self.operation, Write | Flush | End | Extract | Remove) {
            match self.log {
                Some(log) => {
                    out.text(" log ");
                    out.number(log);
                }
                None => out.text(" a log"),
            }
        }
        out.text(": ");
        self.cause.put_before_card(out)
    }
}

impl<E: Error> fmt::Display for SdError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(f, |out| self.put_before_card(out))?.map_or(Ok(()), |error| write!(f, "{error}"))
    }
}

impl<E: Error + PlainText> PlainText for SdError<E> {
    fn put(&self, out: &mut dyn Pieces) {
        if let Some(error) = self.put_before_card(out) {
            error.put(out);
        }
    }
}

impl<E: Error> Error for SdError<E> {}

impl<E: Error> embedded_io::Error for SdError<E> {
    fn kind(&self) -> embedded_io::ErrorKind {
        use embedded_io::ErrorKind;
        match self.cause {
            Cause::Fault(fault) => match fault {
                Fault::Unusable(_) | Fault::Damaged(_) => ErrorKind::InvalidData,
                Fault::Full | Fault::Blocked | Fault::DirectoryFull | Fault::NoNumber | Fault::TooLong => {
                    ErrorKind::OutOfMemory
                }
                Fault::Closed => ErrorKind::NotConnected,
                Fault::NoLog => ErrorKind::NotFound,
                Fault::Beyond4Gib => ErrorKind::Unsupported,
                Fault::Folder | Fault::Extension => ErrorKind::InvalidInput,
            },
            _ => ErrorKind::Other,
        }
    }
}
