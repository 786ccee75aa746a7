//! The part of a log that an interrupted download leaves: `00000001.BIN.part` with the bytes up to the first gap, and
//! `00000001.BIN.part.json`, which says of which log they are and how many are synced. After a power cut, a file may
//! have its length without its bytes.

use crate::commands::durable::Synced;
use crate::one_line::shown;
use crate::outcome::Failure;
use binlog::mavlink::Message;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const PACKET: u64 = Message::DATA as u64;

/// This many bytes at the end of a part are compared with the log. Logs of one firmware begin alike, and their records
/// differ by their times.
const TAIL: u64 = 10 * PACKET;

/// What tells logs apart beside their bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Identity {
    pub(super) system: u8,
    pub(super) bytes: u32,
    pub(super) time_utc: u32,
}

/// What `00000001.BIN.part.json` has.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Note {
    #[serde(flatten)]
    identity: Identity,
    /// The bytes of the part that a power cut leaves.
    synced: u64,
}

/// The range of the last bytes of a part or a log that has this length, from a packet's beginning on.
pub(super) fn tail_of(bytes: u64) -> Range<u64> {
    bytes.saturating_sub(TAIL) / PACKET * PACKET..bytes
}

/// A note is always as long, and in one sector: after a power cut it is the last one or the one before.
const NOTE: usize = 256;

impl Note {
    /// Writes the note over the one before, and syncs it.
    fn write(&self, file: &mut File) -> std::io::Result<()> {
        let mut text = serde_json::to_vec(self)?;
        text.resize(NOTE - 1, b' ');
        text.push(b'\n');
        file.rewind()?;
        file.write_all(&text)?;
        file.sync_all()
    }
}

/// Checks that a path has a file or nothing. A pipe would never end, a folder can't be replaced, and a link may lead
/// out of the folder.
///
/// # Errors
///
/// If it has something else.
pub(super) fn check_kind(path: &Path) -> Result<(), Failure> {
    let Ok(metadata) = path.symlink_metadata() else { return Ok(()) };
    let kind = match metadata.file_type() {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => "a folder",
        kind if kind.is_symlink() => "a symbolic link",
        _ => "a pipe or a device",
    };
    let name = shown(path);
    Err(Failure::new(format_args!("{name} is {kind}, not a file; remove it, or name another folder")))
}

/// A part. It stays until [`finish`](Part::finish).
pub(super) struct Part {
    path: PathBuf,
    note: PathBuf,
}

impl Part {
    /// Opens the part of a log, or creates it. Returns its file, which is locked.
    ///
    /// # Errors
    ///
    /// If it can't be written, if it isn't a file, or if another program writes it.
    pub(super) fn open(place: &Path) -> Result<(Self, File), Failure> {
        let part = Part { path: with_ending(place, ".part"), note: with_ending(place, ".part.json") };
        check_kind(&part.path)?;
        check_kind(&part.note)?;
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&part.path)
            .map_err(|error| part.can_t("write", &error))?;
        // Where files can't be locked, nobody can know.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Failure::new(format_args!("{} is being written by another program", shown(&part.path))));
        }
        Ok((part, file))
    }

    /// The range of the last bytes that the part has for sure of a log of `bytes`. They tell whether it is of that log.
    ///
    /// # Errors
    ///
    /// If it can't be read.
    pub(super) fn tail(&self, file: &File, bytes: u32) -> Result<Range<u64>, Failure> {
        let end = self.length(file, bytes).map_err(|error| self.can_t("read", &error))?;
        Ok(tail_of(end))
    }

    /// Begins to write the part, at its end. Returns its length, and what notes how much of it is synced. `head` and
    /// `tail` are what the log has in its first bytes and in the part's [`tail`](Self::tail).
    ///
    /// # Errors
    ///
    /// If it can't be written, or if it is of another log and isn't replaced.
    pub(super) fn begin(
        &self,
        file: &mut File,
        identity: Identity,
        head: &[u8],
        tail: &[u8],
        is_replaced: bool,
    ) -> Result<(u64, Synced), Failure> {
        let other = self.other(file, identity, head, tail).map_err(|error| self.can_t("read", &error))?;
        match other {
            Some(other) if !is_replaced => {
                let text = "remove it, name another folder, or add --force to begin again";
                let name = shown(&self.path);
                return Err(Failure::new(format_args!("{name} can't be resumed: {other}; {text}")));
            }
            Some(_) => file.set_len(0).map_err(|error| self.can_t("write", &error))?,
            None => {}
        }
        let length = self.length(file, identity.bytes).map_err(|error| self.can_t("read", &error))?;
        self.write_from(file, identity, length).map_err(|error| self.can_t("write", &error))
    }

    /// As [`begin`](Self::begin), with the file that has the log's first bytes: a part that is shorter, or of something
    /// else, begins with a copy of them. The file stays until the whole log takes its place.
    ///
    /// # Errors
    ///
    /// If it can't be written, or the file can't be read.
    pub(super) fn begin_with(
        &self,
        file: &mut File,
        identity: Identity,
        head: &[u8],
        tail: &[u8],
        (path, bytes): (&Path, u64),
    ) -> Result<(u64, Synced), Failure> {
        let mut begin = || {
            let length = self.length(file, identity.bytes)?;
            if self.other(file, identity, head, tail)?.is_none() && length >= bytes / PACKET * PACKET {
                return self.write_from(file, identity, length);
            }
            file.set_len(0)?;
            file.rewind()?;
            let copied = std::io::copy(&mut File::open(path)?.take(bytes), file)?;
            file.sync_all()?;
            self.write_from(file, identity, copied / PACKET * PACKET)
        };
        begin().map_err(|error| self.can_t("write", &error))
    }

    /// Writes from `length` on.
    fn write_from(&self, file: &mut File, identity: Identity, length: u64) -> std::io::Result<(u64, Synced)> {
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        let mut note = File::options().write(true).create(true).truncate(false).open(&self.note)?;
        Note { identity, synced: length }.write(&mut note)?;
        note.set_len(NOTE as u64)?;
        // A length that isn't noted costs only time.
        Ok((length, Box::new(move |synced| _ = Note { identity, synced }.write(&mut note))))
    }

    fn noted(&self) -> Option<Note> {
        fs::read(&self.note).ok().and_then(|note| serde_json::from_slice(&note).ok())
    }

    /// The synced bytes of the part that are whole packets of a log of `bytes`.
    fn length(&self, file: &File, bytes: u32) -> std::io::Result<u64> {
        let synced = self.noted().map_or(0, |note| note.synced);
        Ok(file.metadata()?.len().min(synced).min(bytes.into()) / PACKET * PACKET)
    }

    /// What the part is of, if that isn't this log. A log that the vehicle is writing grows, and its date changes.
    fn other(&self, file: &mut File, identity: Identity, head: &[u8], tail: &[u8]) -> std::io::Result<Option<String>> {
        let (mut beginning, mut end) = (Vec::new(), Vec::new());
        file.rewind()?;
        let length = self.length(file, identity.bytes)?;
        file.take(length.min(head.len() as u64)).read_to_end(&mut beginning)?;
        let tail_range = tail_of(length);
        file.seek(SeekFrom::Start(tail_range.start))?;
        file.take(tail_range.end - tail_range.start).read_to_end(&mut end)?;
        Ok(match self.noted().map(|note| note.identity) {
            // Nothing came before the interrupt.
            _ if file.metadata()?.len() == 0 => None,
            None => Some(format!("{}, which says of what it is a part, is missing or unreadable", shown(&self.note))),
            Some(noted) if noted.system != identity.system => Some(format!("it is of system {}", noted.system)),
            Some(noted) if noted.bytes > identity.bytes => Some(format!("it is of a log of {} bytes", noted.bytes)),
            Some(noted)
                if noted.time_utc > identity.time_utc
                    || (noted.bytes == identity.bytes && noted.time_utc < identity.time_utc) =>
            {
                Some("it is of a log with another date".into())
            }
            Some(_) if !head.starts_with(&beginning) => Some("it is of a log that begins differently".into()),
            Some(_) if tail != end => Some("it is of a log that continues differently".into()),
            Some(_) => None,
        })
    }

    fn can_t(&self, what: &str, error: &dyn std::fmt::Display) -> Failure {
        Failure::new(format_args!("can't {what} {}: {error}", shown(&self.path)))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, because it isn't the beginning of one log.
    pub(super) fn remove(&self) {
        // Without its note, a part isn't resumed.
        let _ = fs::remove_file(&self.note);
        let _ = fs::remove_file(&self.path);
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
        // The note is harmless without its part.
        let _ = fs::remove_file(self.note);
        Ok(())
    }
}

fn with_ending(place: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(place.as_os_str());
    name.push(ending);
    name.into()
}
