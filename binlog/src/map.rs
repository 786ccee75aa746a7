//! Maps a log's file into memory.
#![allow(unsafe_code)]

#[cfg(feature = "blackbox")]
use crate::any_log::AnyLog;
#[cfg(feature = "blackbox")]
use crate::blackbox::BlackboxLog;
use crate::read::Log;
use crate::source::OpenError;
use crate::source::bytes::{self, Bytes};
use memmap2::{Mmap, MmapOptions};
use std::path::Path;

impl Log<'static> {
    /// Maps a file into memory instead of reading it. This saves the copy: the system loads the pages that are used.
    ///
    /// Only a regular file can be mapped; for others, such as a pipe, use [`open`](Log::open).
    ///
    /// # Safety
    ///
    /// Nobody may write to the file or shorten it while the log is in use. If its bytes change, the behaviour is
    /// undefined. If it becomes shorter, reading after its new end terminates the program with SIGBUS (on Windows, a
    /// mapped file can't be shortened). Use [`open`](Log::open) for a log that is still being written.
    ///
    /// # Errors
    ///
    /// If the file can't be opened or mapped.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        // SAFETY: the caller guarantees that the file doesn't change while the mapping lives, which is as long as the
        // log.
        unsafe { mapped(path.as_ref()) }.map(Log::of)
    }
}

#[cfg(feature = "blackbox")]
impl BlackboxLog<'static> {
    /// Maps a file into memory instead of reading it. This saves the copy: the system loads the pages that are used.
    ///
    /// Only a regular file can be mapped; for others, such as a pipe, use [`open`](BlackboxLog::open).
    ///
    /// # Safety
    ///
    /// As for [`Log::map`]: nobody may write to the file or shorten it while the log is in use.
    ///
    /// # Errors
    ///
    /// If the file can't be opened or mapped.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        // SAFETY: as above.
        unsafe { mapped(path.as_ref()) }.map(BlackboxLog::of)
    }
}

#[cfg(feature = "blackbox")]
impl AnyLog<'static> {
    /// Maps a file into memory instead of reading it. This saves the copy: the system loads the pages that are used.
    ///
    /// Only a regular file can be mapped; for others, such as a pipe, use [`open`](AnyLog::open).
    ///
    /// # Safety
    ///
    /// As for [`Log::map`]: nobody may write to the file or shorten it while the log is in use.
    ///
    /// # Errors
    ///
    /// If the file can't be opened or mapped, and [`InvalidData`](std::io::ErrorKind::InvalidData) if it isn't a log.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        // SAFETY: as above.
        unsafe { mapped(path) }.and_then(|bytes| AnyLog::of_file(path, bytes))
    }
}

/// The bytes of a file.
///
/// # Safety
///
/// The file may not change while they are in use.
unsafe fn mapped(path: &Path) -> Result<Bytes<'static>, OpenError> {
    let Some(file) = bytes::open_regular(path)? else {
        // An empty file can't be mapped, nor can one that reports length 0, as those of /proc do.
        return bytes::read(path);
    };
    // SAFETY: as the caller guarantees.
    let map: Mmap = unsafe { MmapOptions::new().map(&file) }.map_err(bytes::map_error(path))?;
    Ok(Bytes::Mapped(map))
}
