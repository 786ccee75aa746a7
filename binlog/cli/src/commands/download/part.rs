//! The part of a log that an interrupted download leaves: `00000001.BIN.part` with the bytes up to the first gap, and
//! `00000001.BIN.part.json`, which says of which log they are.

use crate::one_line::shown;
use crate::outcome::Failure;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Packets of a log begin at multiples of this.
const PACKET: u64 = 90;

/// What tells logs apart beside their first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Identity {
    pub(super) system: u8,
    pub(super) bytes: u32,
    pub(super) time_utc: u32,
}

/// A part. It stays until [`finish`](Part::finish).
pub(super) struct Part {
    path: PathBuf,
    note: PathBuf,
}

impl Part {
    /// Opens the part of a log, or begins it. Returns its file, which is locked, and its length.
    ///
    /// # Errors
    ///
    /// If it can't be written, if another program writes it, or if it is of another log and isn't replaced.
    pub(super) fn begin(
        place: &Path,
        identity: Identity,
        head: &[u8],
        is_replaced: bool,
    ) -> Result<(Self, File, u64), Failure> {
        let part = Part { path: with_ending(place, ".part"), note: with_ending(place, ".part.json") };
        let name = shown(&part.path);
        let can_t =
            |what: &str, error: &dyn std::fmt::Display| Failure::new(format_args!("can't {what} {name}: {error}"));
        let exists = part.path.symlink_metadata().is_ok();
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&part.path)
            .map_err(|error| can_t("write", &error))?;
        // Where files can't be locked, nobody can know.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Failure::new(format_args!("{name} is being written by another program")));
        }
        if exists && let Some(other) = part.other(&mut file, identity, head).map_err(|error| can_t("read", &error))? {
            if !is_replaced {
                let text = "remove it, name another folder, or add --force to begin again";
                return Err(Failure::new(format_args!("{name} can't be resumed: {other}; {text}")));
            }
            file.set_len(0).map_err(|error| can_t("write", &error))?;
        }
        let mut write = || {
            let length = file.metadata()?.len().min(identity.bytes.into()) / PACKET * PACKET;
            let mut note = File::create(&part.note)?;
            note.write_all(&serde_json::to_vec(&identity)?)?;
            note.sync_all()?;
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length))
        };
        let length = write().map_err(|error| can_t("write", &error))?;
        Ok((part, file, length))
    }

    /// What the part is of, if that isn't this log.
    fn other(&self, file: &mut File, identity: Identity, head: &[u8]) -> std::io::Result<Option<String>> {
        let mut beginning = Vec::new();
        file.take(head.len() as u64).read_to_end(&mut beginning)?;
        let noted = fs::read(&self.note).ok().and_then(|note| serde_json::from_slice::<Identity>(&note).ok());
        Ok(match noted {
            // Nothing came before the interrupt.
            None if beginning.is_empty() => None,
            None => Some(format!("{}, which says of what it is a part, is missing or unreadable", shown(&self.note))),
            Some(noted) if noted.system != identity.system => Some(format!("it is of system {}", noted.system)),
            Some(noted) if noted.bytes != identity.bytes => Some(format!("it is of a log of {} bytes", noted.bytes)),
            Some(noted) if noted.time_utc != identity.time_utc => Some("it is of a log with another date".into()),
            Some(_) if !head.starts_with(&beginning) => Some("it is of a log that begins differently".into()),
            Some(_) => None,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the whole log its name, and its date.
    ///
    /// # Errors
    ///
    /// If it can't be renamed.
    pub(super) fn finish(self, place: &Path, date: Option<SystemTime>) -> Result<(), Failure> {
        if let Some(date) = date {
            // A file system may not take it.
            let _ = File::options().write(true).open(&self.path).and_then(|file| file.set_modified(date));
        }
        fs::rename(&self.path, place).map_err(|error| {
            Failure::new(format_args!("can't rename {} to {}: {error}", shown(&self.path), shown(place)))
        })?;
        // Without its part, it disturbs nobody.
        let _ = fs::remove_file(self.note);
        Ok(())
    }
}

fn with_ending(place: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(place.as_os_str());
    name.push(ending);
    name.into()
}
