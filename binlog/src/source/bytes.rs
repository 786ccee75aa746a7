//! The bytes of a log, and how they are loaded.

use super::text_log::TextLog;
use crate::wording::debug_text::debug_is_text;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{fmt, ops};
#[cfg(target_os = "linux")]
use {
    super::huge_pages::huge_pages,
    super::threads::{self, in_threads, threads_for},
    std::iter,
    std::os::unix::fs::FileExt,
    std::sync::Mutex,
};

/// The bytes of a log.
pub(crate) enum Bytes<'a> {
    Borrowed(&'a [u8]),
    Owned(Vec<u8>),
    Mapped(memmap2::Mmap),
    /// Those of a binary log that was a text log.
    #[cfg_attr(not(feature = "blackbox"), expect(dead_code, reason = "`AnyLog` needs both formats"))]
    OfText(Box<TextLog>),
}

impl ops::Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Borrowed(bytes) => bytes,
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(bytes) => bytes,
            Bytes::OfText(log) => &log.bytes,
        }
    }
}

/// An error in opening, reading or mapping a log's file. `Display` names the file and has the text of the system's
/// error.
pub struct OpenError {
    path: PathBuf,
    what: &'static str,
    source: io::Error,
}

impl OpenError {
    fn new<'p>(path: &'p Path, what: &'static str) -> impl Fn(io::Error) -> OpenError + 'p {
        move |source| OpenError { path: path.into(), what, source }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The kind of the system's error.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }

    /// The number of the system's error; `None` if the error isn't the system's.
    pub fn raw_os_error(&self) -> Option<i32> {
        self.source.raw_os_error()
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "can't {} {}: {}", self.what, self.path.display(), self.source)
    }
}

debug_is_text!(OpenError);

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The text has the system's error.
        self.source.source()
    }
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        io::Error::new(error.kind(), error)
    }
}

/// A file of as many bytes is read into huge pages. Smaller ones have no gain from it.
#[cfg(target_os = "linux")]
const HUGE_BYTES: usize = 8 << 20;

/// Each thread reads one of them at a time.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Reads a file up to the length that it had when it was opened.
pub(crate) fn read(path: &Path) -> Result<Bytes<'static>, OpenError> {
    let (file, metadata) = open(path)?;
    read_opened(path, file, &metadata)
}

/// Reads a file that is open.
pub(crate) fn read_opened(path: &Path, file: File, metadata: &Metadata) -> Result<Bytes<'static>, OpenError> {
    // Otherwise a file that grows faster than it is read would never end. Anything but a regular file, and a file of
    // length 0 such as those of /proc, is read to its end.
    let bytes = match length(metadata) {
        Some(length) => read_length(file, length),
        None => read_all(file, 0).map(Bytes::Owned),
    };
    bytes.map_err(read_error(path))
}

/// Reads the first `length` bytes of a file, or fewer if it has become shorter.
fn read_length(file: File, length: u64) -> io::Result<Bytes<'static>> {
    let bytes = usize::try_from(length).unwrap_or(usize::MAX);
    #[cfg(target_os = "linux")]
    if bytes >= HUGE_BYTES {
        return read_to_huge_pages(&file, bytes);
    }
    read_all(file.take(length), bytes).map(Bytes::Owned)
}

/// The same into new memory with huge pages: small ones take twice the time. Several threads read, each the next piece,
/// so that a disk reads in order.
#[cfg(target_os = "linux")]
fn read_to_huge_pages(file: &File, length: usize) -> io::Result<Bytes<'static>> {
    let mut memory = huge_pages(length).ok_or_else(|| no_memory(length))?;
    let pieces = Mutex::new(memory.chunks_mut(HUGE_PAGE).zip((0..).step_by(HUGE_PAGE)));
    let end_of =
        |(room, at): (&mut [u8], usize)| read_at(file, room, at).map(|read| (read < room.len()).then_some(at + read));
    let read = || iter::from_fn(|| threads::next(&pieces)).map(end_of).collect::<io::Result<Vec<_>>>();
    let ends = in_threads(threads_for(length, HUGE_BYTES / 2), read);
    let mut end = length;
    for ends in ends {
        end = ends?.into_iter().flatten().fold(end, usize::min);
    }
    match end < length {
        true => Ok(Bytes::Owned(memory[..end].to_vec())),
        false => memory.make_read_only().map(Bytes::Mapped),
    }
}

/// Reads bytes of a file until there is no more room, or the file ends. Returns how many there were.
#[cfg(target_os = "linux")]
fn read_at(file: &File, room: &mut [u8], at: usize) -> io::Result<usize> {
    let mut end = 0;
    while end < room.len() {
        match file.read_at(&mut room[end..], (at + end) as u64) {
            Ok(0) => break,
            Ok(read) => end += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(end)
}

fn no_memory(length: usize) -> io::Error {
    let text = format!("{length} bytes don't fit into memory; map the file, or stream it (`RecordStream`)");
    io::Error::new(io::ErrorKind::OutOfMemory, text)
}

/// The length of a regular file that says it.
pub(crate) fn length(metadata: &Metadata) -> Option<u64> {
    metadata.is_file().then_some(metadata.len()).filter(|&length| length > 0)
}

/// Opens a file and returns its metadata. A directory is an error.
pub(crate) fn open(path: &Path) -> Result<(File, Metadata), OpenError> {
    let file = File::open(path).map_err(OpenError::new(path, "open"))?;
    let metadata = file.metadata().map_err(OpenError::new(path, "open"))?;
    if metadata.is_dir() {
        return Err(OpenError::new(path, "open")(io::ErrorKind::IsADirectory.into()));
    }
    Ok((file, metadata))
}

/// Opens a regular file; `None` if it is empty. Anything else is an error and isn't opened, because opening a pipe
/// would wait for a writer.
pub(crate) fn open_regular(path: &Path) -> Result<Option<File>, OpenError> {
    let metadata = std::fs::metadata(path).map_err(OpenError::new(path, "open"))?;
    if !metadata.is_file() && !metadata.is_dir() {
        let error = io::Error::new(io::ErrorKind::Unsupported, "only a regular file can be mapped; use `Log::open`");
        return Err(OpenError::new(path, "map")(error));
    }
    let (file, metadata) = open(path)?;
    Ok((metadata.len() > 0).then_some(file))
}

/// Reads a reader to its end; `length` is the expected number of bytes.
pub(crate) fn read_all(mut reader: impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A failed allocation becomes an error and doesn't abort the program.
    bytes.try_reserve_exact(length).map_err(|_| no_memory(length))?;
    reader.read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(crate) fn read_error(path: &Path) -> impl Fn(io::Error) -> OpenError + '_ {
    OpenError::new(path, "read")
}

pub(crate) fn map_error(path: &Path) -> impl Fn(io::Error) -> OpenError + '_ {
    OpenError::new(path, "map")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_read_as_it_is() {
        let bytes: Vec<u8> = (0..HUGE_BYTES + 5).map(|i| (i / 7) as u8).collect();
        let path = std::env::temp_dir().join(format!("binlog-large-{}.bin", std::process::id()));
        std::fs::write(&path, &bytes).expect("room");
        assert!(*read(&path).expect("a file") == *bytes);
        let file = || File::open(&path).expect("a file");
        // It has become shorter since its length was asked for, or longer.
        for length in [bytes.len() + 1, 2 * bytes.len(), 5 * bytes.len()] {
            assert!(*read_length(file(), length as u64).expect("bytes") == *bytes);
        }
        let shorter = bytes.len() - 100;
        assert!(*read_length(file(), shorter as u64).expect("bytes") == bytes[..shorter]);
        let error = read_length(file(), u64::MAX).map(|bytes| bytes.len()).expect_err("no memory");
        std::fs::remove_file(&path).expect("it is there");
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
    }
}
