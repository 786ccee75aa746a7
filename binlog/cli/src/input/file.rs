//! Opens the log in a file: a short one is read, a long one is mapped into memory.
#![allow(unsafe_code)]

use crate::outcome::Failure;
use binlog::log::OpenError;
use binlog::{AnyLog, Log, LogFormat};
use std::path::Path;

/// A shorter log is read, which takes as long as mapping it.
const MAPPED_FROM: u64 = 8 * 1024 * 1024;

/// Opens a log, and says what its format is. The outer error names the file, the inner one doesn't.
pub(super) fn open(path: &Path) -> Result<Result<(AnyLog<'static>, LogFormat), Failure>, Failure> {
    let failure = |error: OpenError| Failure::new(name_on_one_line(&error));
    let is_long = path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() >= MAPPED_FROM);
    let log = if is_long {
        // SAFETY: nobody may write to the file while it is mapped. This function can't guarantee it, and isn't `unsafe`
        // all the same: a known compromise of programs that map files. The manual page tells the user not to write to
        // an open log; one that is being written can be piped into the program, which then copies it.
        unsafe { Log::map(path) }
    } else {
        Log::open(path)
    };
    Ok(super::of(log.map_err(failure)?))
}

/// The error's text, in which the path may have a line break.
fn name_on_one_line(error: &OpenError) -> String {
    error.to_string().replace(&error.path().display().to_string(), &super::shown(error.path()))
}
