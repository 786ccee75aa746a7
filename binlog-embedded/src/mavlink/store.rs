//! Where logs come from: a card, a flash chip, a folder of a host.

#[cfg(feature = "flash")]
mod flash_log;
#[cfg(feature = "std")]
mod folder;
mod sd_log;

#[cfg(feature = "flash")]
pub use flash_log::FlashLogs;
#[cfg(feature = "std")]
pub use folder::FolderLogs;

use core::ops::ControlFlow;

/// A log of a [`LogStore`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LogEntry {
    /// The number by which the store finds it: 12 for `00000012.BIN`.
    pub number: u32,
    /// Its place in the order of age: the greater, the newer. No two logs of a store have the same.
    pub order: u32,
    /// Bytes that can be read. `u32::MAX` for a file of 4 GiB or more.
    pub bytes: u32,
    /// When it was written last, in seconds since 1970 in the time zone of the store's clock; 0 is unknown.
    pub seconds: u32,
}

/// What [`LogStore::read_at`] came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Piece {
    /// This number of bytes was read: at most as many as were asked for, and 0 only at the end of the log.
    Bytes(usize),
    /// The search for the place isn't complete. The same call continues it.
    Searching,
    /// There is no such log.
    NoLog,
}

/// Logs that can be listed, and read at any offset, while one of them is being written.
///
/// It is implemented for [`SdLog`](crate::SdLog), for `FlashLogs` (feature `flash`) and for `FolderLogs` (feature
/// `std`). Each call takes a bounded time: a list reads the entries of all logs, and a read moves at most one block of
/// contents, after a search for it. [`SdLog`](crate::SdLog#blocks-of-each-call) says how many blocks of a card that is.
pub trait LogStore {
    /// The error of the card, the chip or the file system.
    type Error;

    /// Calls `visit` for each log until it breaks, in any order.
    ///
    /// # Errors
    ///
    /// The store's.
    fn list(&mut self, visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Self::Error>;

    /// Reads the bytes of a log from `offset` on, as many as are in the same block.
    ///
    /// # Errors
    ///
    /// The store's. That there is no such log is [`Piece::NoLog`].
    fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Self::Error>;

    /// The number of the log that is being written, and how many of its bytes can be read; `None` without one. What
    /// [`Follow`](super::Follow) sends. A log that was ended is never opened again.
    fn open_log(&self) -> Option<(u32, u32)>;

    /// Tells media apart that can be exchanged: the serial number of the card's volume, which the first call that reads
    /// another card finds out. Equal numbers of logs on different volumes are different logs. 0 for what stays in its
    /// place.
    fn volume(&self) -> u32 {
        0
    }
}

/// As [`LogStore`], for asynchronous programs.
#[cfg(feature = "async")]
#[allow(async_fn_in_trait, reason = "as embedded_io_async: the executor decides whether futures are Send")]
pub trait AsyncLogStore {
    /// As [`LogStore::Error`].
    type Error;

    /// As [`LogStore::list`].
    ///
    /// # Errors
    ///
    /// As there.
    async fn list(&mut self, visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Self::Error>;

    /// As [`LogStore::read_at`].
    ///
    /// # Errors
    ///
    /// As there.
    async fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Self::Error>;

    /// As [`LogStore::open_log`].
    fn open_log(&self) -> Option<(u32, u32)>;

    /// As [`LogStore::volume`].
    fn volume(&self) -> u32 {
        0
    }
}

impl<L: LogStore> LogStore for &mut L {
    type Error = L::Error;

    fn list(&mut self, visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), L::Error> {
        L::list(self, visit)
    }

    fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, L::Error> {
        L::read_at(self, number, offset, into)
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        L::open_log(self)
    }

    fn volume(&self) -> u32 {
        L::volume(self)
    }
}
