//! Errors of a card: the operation, the file and the cause.

use super::Name;
use super::device::DeviceError;
use super::layout::Unusable;
use core::error::Error;
use core::fmt;

/// What failed, on which file, and why. `E` is the card's error.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SdError<E: Error> {
    /// The operation that failed.
    pub operation: Operation,
    /// The number of the log: 12 for `00000012.BIN`. `None` if the error isn't about a log.
    pub log: Option<u32>,
    /// Why it failed.
    pub cause: Cause<E>,
}

/// The operation of the writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Operation {
    /// Finding the card and its file system.
    Mount,
    /// Opening or creating the folder of the logs.
    OpenFolder,
    /// Listing the logs.
    List,
    /// Creating a new log.
    Create,
    /// Reading or writing `LASTLOG.TXT`.
    NoteLast,
    /// Writing to the log.
    Write,
    /// Flushing the log.
    Flush,
    /// Deleting an old log.
    Remove,
}

/// Why an operation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Cause<E: Error> {
    /// An error of the card or its bus.
    Device(DeviceError<E>),
    /// The card can't be used for logs.
    Unusable(Unusable),
    /// The space above the minimum that stays free is used up, and there is no old log to delete.
    Full,
    /// The directory has no room for another entry: FAT16's root has a fixed size.
    DirectoryFull,
    /// A file on FAT has at most 4 GiB.
    TooLong,
    /// All numbers of logs are taken, and the oldest log is read-only.
    NoNumber,
    /// There is no open log to write to.
    Closed,
    /// The folder's name doesn't consist of 1 to 8 letters, digits, `_` and `-`, or a file has that name.
    Folder,
    /// An error of the FAT library.
    FileSystem(embedded_sdmmc::Error<DeviceError<E>>),
}

impl<E: Error> Cause<E> {
    pub(super) fn of(error: embedded_sdmmc::Error<DeviceError<E>>) -> Self {
        use embedded_sdmmc::Error as Library;
        match error {
            Library::DeviceError(error) => Cause::Device(error),
            Library::DiskFull | Library::NotEnoughSpace => Cause::Full,
            error => Cause::FileSystem(error),
        }
    }
}

impl<E: Error> fmt::Display for SdError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.operation {
            Operation::Mount => "can't use the card",
            Operation::OpenFolder => "can't open the folder of the logs",
            Operation::List => "can't list the logs",
            Operation::Create => "can't create",
            Operation::NoteLast => "can't note the last log in LASTLOG.TXT",
            Operation::Write => "can't write",
            Operation::Flush => "can't flush",
            Operation::Remove => "can't remove",
        };
        f.write_str(what)?;
        if let Some(log) = self.log {
            write!(f, " {}", Name::new(log).as_str())?;
        }
        f.write_str(": ")?;
        match &self.cause {
            Cause::Device(error) => error.fmt(f),
            Cause::Unusable(why) => why.fmt(f),
            Cause::Full => f.write_str(
                "the card is full, and there is no old log to delete; lower Options::free_bytes or empty the card",
            ),
            Cause::DirectoryFull => f.write_str("its directory is full; remove files or log to a folder"),
            Cause::TooLong => f.write_str("a file has at most 4 GiB; begin another log"),
            Cause::NoNumber => f.write_str("all numbers are taken, and the oldest log is read-only; remove old logs"),
            Cause::Closed => f.write_str("no log is open; begin_log begins one"),
            Cause::Folder => {
                f.write_str("its name must have 1 to 8 letters, digits, `_` or `-`, and no file may have that name")
            }
            Cause::FileSystem(error) => error.fmt(f),
        }
    }
}

impl<E: Error> Error for SdError<E> {}

impl<E: Error> embedded_io::Error for SdError<E> {
    fn kind(&self) -> embedded_io::ErrorKind {
        use embedded_io::ErrorKind;
        match self.cause {
            Cause::Device(DeviceError::Outside { .. }) | Cause::Unusable(_) => ErrorKind::InvalidData,
            Cause::Full | Cause::DirectoryFull | Cause::NoNumber => ErrorKind::OutOfMemory,
            Cause::Closed => ErrorKind::NotConnected,
            Cause::Folder => ErrorKind::InvalidInput,
            _ => ErrorKind::Other,
        }
    }
}
