//! The logs of a host's folder.

extern crate std;

use super::{LogEntry, LogStore, Piece};
use binlog::LogFolder;
use core::cell::Cell;
use core::ops::ControlFlow;
use core::time::Duration;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::time::{Instant, UNIX_EPOCH};

/// The logs of a [`LogFolder`], which a [`Server`](super::super::Server) of a simulator lists and sends while a
/// [`HostLogger`](binlog::HostLogger) writes to the folder.
///
/// Dates are when a file was written last, UTC. A log that is removed while it is downloaded can be read to its end
/// where the operating system keeps open files.
///
/// ```no_run
/// use binlog::LogFolder;
/// use binlog_embedded::mavlink::{FolderLogs, Server, ServerOptions};
///
/// let mut logs = FolderLogs::new(LogFolder::new("logs"));
/// let mut server: Server<64> = Server::new(ServerOptions::DEFAULT);
/// if let Some(message) = server.next(0, &mut logs)? {
///     println!("send {message:?}");
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct FolderLogs {
    folder: LogFolder,
    /// The log that was read last.
    open: Option<(u32, File)>,
    /// Whether the newest log is being written.
    is_logging: bool,
    /// The newest log and its length, and when that was looked up.
    newest: Cell<Option<(u32, u32)>>,
    looked_up: Cell<Option<Instant>>,
}

/// How long the newest log isn't looked up again.
const FRESH: Duration = Duration::from_millis(50);

impl FolderLogs {
    /// The logs of a folder, which needn't exist yet.
    pub fn new(folder: LogFolder) -> Self {
        FolderLogs { folder, open: None, is_logging: true, newest: Cell::new(None), looked_up: Cell::new(None) }
    }

    /// Whether the newest log is being written, which is so by default. When it isn't any more, after
    /// [`LogThread::finish`](binlog::host::LogThread::finish), a [`Follow`](super::super::Follow) sends the rest of it.
    pub fn set_logging(&mut self, is_logging: bool) {
        self.is_logging = is_logging;
        self.looked_up.set(None);
    }
}

impl LogStore for FolderLogs {
    type Error = io::Error;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> io::Result<()> {
        // A number may be another log's from now on.
        self.open = None;
        for (order, log) in (1..).zip(self.folder.logs()?) {
            let since = log.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let saturated = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
            let (bytes, seconds) = (saturated(log.bytes), since.map_or(0, |since| saturated(since.as_secs())));
            if visit(LogEntry { number: log.number, order, bytes, seconds }).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> io::Result<Piece> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != number) {
            self.open = None;
            match File::open(self.folder.log_path(number)) {
                Ok(file) => self.open = Some((number, file)),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let Some((_, file)) = &mut self.open else { return Ok(Piece::NoLog) };
        file.seek(SeekFrom::Start(offset.into()))?;
        Ok(Piece::Bytes(file.read(into)?))
    }

    /// The newest log. It is looked up 20 times a second at most.
    fn open_log(&self) -> Option<(u32, u32)> {
        if !self.is_logging {
            return None;
        }
        if self.looked_up.get().is_none_or(|looked_up| looked_up.elapsed() > FRESH) {
            // After an error, the log counts as open still: its end can't be undone.
            if let Ok(logs) = self.folder.logs() {
                let newest = logs.last().map(|log| (log.number, u32::try_from(log.bytes).unwrap_or(u32::MAX)));
                self.newest.set(newest);
            }
            self.looked_up.set(Some(Instant::now()));
        }
        self.newest.get()
    }
}
