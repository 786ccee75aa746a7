//! A log's file mapped into memory: the one place of the crate that needs `unsafe`.
#![allow(unsafe_code)]

use super::bytes::{self, Bytes, OpenError};
use crate::Log;
use memmap2::{Mmap, MmapOptions};
use std::path::Path;

impl Log<'static> {
    /// Maps a file into memory instead of reading it, which saves the copy: the system brings in what is looked at.
    ///
    /// What isn't a regular file (a pipe, say) can't be mapped, which is an error; [`open`](Log::open) reads those.
    ///
    /// # Safety
    ///
    /// Nobody may write to the file or shorten it while the log is in use. Bytes that change under it are undefined
    /// behaviour, and a read behind the new end of a file that became shorter ends the program with SIGBUS (on Windows
    /// such a file can't be shortened). A log that is being written is for [`open`](Log::open), which takes what is
    /// there at the time.
    ///
    /// # Errors
    ///
    /// When the file can't be opened or mapped.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let file = bytes::open_regular(path)?;
        let Some(file) = file else {
            // The system maps nothing where there is nothing, or where it says so as in /proc.
            return Log::open(path);
        };
        // SAFETY: the caller sees to it that the file stays as it is while the mapping lives, which is as long as the
        // log.
        let map: Mmap = unsafe { MmapOptions::new().map(&file) }.map_err(bytes::map_error(path))?;
        Ok(Log::of(Bytes::Mapped(map)))
    }
}
