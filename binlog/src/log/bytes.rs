//! Where a log's bytes are, and how they get there.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{fmt, ops};

/// The bytes of a log.
pub(super) enum Bytes<'a> {
    Borrowed(&'a [u8]),
    Owned(Vec<u8>),
    Mapped(memmap2::Mmap),
}

impl ops::Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Borrowed(bytes) => bytes,
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(bytes) => bytes,
        }
    }
}

/// A log's file that can't be opened, read or mapped. `Display` names the file,
/// [`source`](std::error::Error::source) is what the system said.
#[derive(Debug)]
pub struct OpenError {
    path: PathBuf,
    what: &'static str,
    source: io::Error,
}

impl OpenError {
    fn new<'p>(path: &'p Path, what: &'static str) -> impl Fn(io::Error) -> OpenError + 'p {
        move |source| OpenError { path: path.into(), what, source }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the system said.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "can't {} {}", self.what, self.path.display())
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        io::Error::new(error.kind(), error)
    }
}

/// All of a file, as long as it was when it was opened.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, OpenError> {
    let (file, metadata) = open(path)?;
    let length = metadata.is_file().then_some(metadata.len()).filter(|&length| length > 0);
    // A file that grows faster than it is read would never end. What isn't a file, or says that it has no length as
    // those of /proc do, is read until it ends.
    let bytes = match length {
        Some(length) => read_all(file.take(length), usize::try_from(length).unwrap_or(usize::MAX)),
        None => read_all(file, 0),
    };
    bytes.map_err(OpenError::new(path, "read"))
}

/// A file and what the system says of it; a directory is an error here already.
pub(super) fn open(path: &Path) -> Result<(File, Metadata), OpenError> {
    let file = File::open(path).map_err(OpenError::new(path, "open"))?;
    let metadata = file.metadata().map_err(OpenError::new(path, "open"))?;
    if metadata.is_dir() {
        return Err(OpenError::new(path, "open")(io::ErrorKind::IsADirectory.into()));
    }
    Ok((file, metadata))
}

/// A regular file that isn't empty, `None` for one that is. Anything else is an error, and isn't opened: a pipe would
/// wait for a writer.
pub(super) fn open_regular(path: &Path) -> Result<Option<File>, OpenError> {
    let metadata = std::fs::metadata(path).map_err(OpenError::new(path, "open"))?;
    if !metadata.is_file() && !metadata.is_dir() {
        let error = io::Error::new(io::ErrorKind::Unsupported, "it isn't a regular file; `Log::open` reads it");
        return Err(OpenError::new(path, "map")(error));
    }
    let (file, metadata) = open(path)?;
    Ok((metadata.len() > 0).then_some(file))
}

/// All that a reader gives, where about `length` bytes are expected.
pub(super) fn read_all(mut reader: impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // An allocation that fails is an error here, not the end of the program.
    bytes.try_reserve_exact(length).map_err(|_| {
        let text = format!("{length} bytes don't fit into memory; map the file, or stream it (`RecordStream`)");
        io::Error::new(io::ErrorKind::OutOfMemory, text)
    })?;
    reader.read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn map_error(path: &Path) -> impl Fn(io::Error) -> OpenError + '_ {
    OpenError::new(path, "map")
}
