//! The file of a log that is there already, from an earlier download.

use super::part::tail_of;
use crate::counted::counted;
use crate::one_line::shown;
use crate::outcome::Failure;
use binlog::mavlink::{ListedLog, Message};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// A file that has the name of a log.
pub(super) struct Earlier {
    pub(super) bytes: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Earlier {
    /// The file at a path; `None` if nothing is at it.
    ///
    /// # Errors
    ///
    /// If it can't be read.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, Failure> {
        if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Ok(None);
        }
        let read = || {
            let mut file = File::open(path)?;
            let bytes = file.metadata()?.len();
            let (mut head, mut tail_bytes) = (Vec::new(), Vec::new());
            (&file).take(Message::DATA as u64).read_to_end(&mut head)?;
            file.seek(SeekFrom::Start(tail_of(bytes).start))?;
            file.read_to_end(&mut tail_bytes)?;
            Ok(Earlier { bytes, head, tail: tail_bytes })
        };
        read().map(Some).map_err(|error: io::Error| Failure::new(format_args!("can't read {}: {error}", shown(path))))
    }

    /// The range of its last bytes, which tell whether it is of a log.
    pub(super) fn tail(&self) -> Range<u64> {
        tail_of(self.bytes)
    }

    /// Checks that it is a log, or its beginning. `head` and `tail` are what the log has in its first bytes and in the
    /// [`tail`](Self::tail).
    ///
    /// # Errors
    ///
    /// If it is something else, which is kept.
    pub(super) fn check(
        &self,
        path: &Path,
        (system, log): (u8, ListedLog),
        head: &[u8],
        tail: &[u8],
    ) -> Result<(), Failure> {
        let other = if self.bytes > log.size.into() {
            format!("has {}", counted(self.bytes, "byte"))
        } else if !head.starts_with(&self.head) {
            "begins differently".to_owned()
        } else if self.tail != tail {
            "continues differently".to_owned()
        } else {
            return Ok(());
        };
        Err(Failure::new(format_args!(
            "{} exists and isn't log {} of system {system}, which has {}: the file {other}; name another folder, \
             or add --force to replace it",
            shown(path),
            log.id,
            counted(log.size, "byte")
        )))
    }
}
