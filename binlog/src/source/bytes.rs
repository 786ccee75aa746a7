//! The bytes of a log, and how they are loaded.

use super::text_log::TextLog;
use crate::wording::debug_text::debug_is_text;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{fmt, ops};

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
        Some(length) => read_length(file.take(length), usize::try_from(length).unwrap_or(usize::MAX)),
        None => read_all(file, 0).map(Bytes::Owned),
    };
    bytes.map_err(read_error(path))
}

/// Reads a reader of at most this many bytes to its end.
fn read_length(reader: impl Read, length: usize) -> io::Result<Bytes<'static>> {
    #[cfg(target_os = "linux")]
    if length >= HUGE_BYTES {
        return read_to_huge_pages(reader, length);
    }
    read_all(reader, length).map(Bytes::Owned)
}

/// The same into new memory with huge pages: small ones take half of the time.
#[cfg(target_os = "linux")]
fn read_to_huge_pages(mut reader: impl Read, length: usize) -> io::Result<Bytes<'static>> {
    let mut memory = memmap2::MmapMut::map_anon(length).map_err(|_| no_memory(length))?;
    // Otherwise the pages are small.
    let _ = memory.advise(memmap2::Advice::HugePage);
    let mut end = 0;
    while let Some(room) = memory.get_mut(end..).filter(|room| !room.is_empty()) {
        match reader.read(room) {
            // The file has become shorter.
            Ok(0) => return Ok(Bytes::Owned(memory[..end].to_vec())),
            Ok(read) => end += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    memory.make_read_only().map(Bytes::Mapped)
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
        let read = read(&path);
        std::fs::remove_file(&path).expect("it is there");
        assert!(*read.expect("a file") == *bytes);
        // It has become shorter since its length was asked for, and comes in pieces.
        let pieces = bytes[..100].chain(&bytes[100..1000]);
        assert_eq!(*read_length(pieces, HUGE_BYTES).expect("bytes"), bytes[..1000]);
        let error = read_length(io::empty(), usize::MAX).map(|bytes| bytes.len()).expect_err("no memory");
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
    }
}
