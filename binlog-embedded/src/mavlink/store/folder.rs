//! The logs of a host's folder.

extern crate std;

use super::{LogEntry, LogStore, Piece};
use binlog::LogFolder;
use core::cell::Cell;
use core::ops::ControlFlow;
use core::time::Duration;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::time::{Instant, UNIX_EPOCH};

/// The logs of a [`LogFolder`], which a [`Server`](super::super::Server) of a simulator lists and sends while a
/// [`HostLogger`](binlog::HostLogger) writes to the folder.
///
/// The log that is being written is the one that this `LogFolder` or a clone of it began last: give the logger a clone,
/// and another program may log into the same folder. Without one, it is the newest log of the folder.
///
/// Dates are when a file was written last, UTC. A log that is removed while it is downloaded can be read to its end
/// where the operating system keeps open files.
///
/// ```no_run
/// use binlog::LogFolder;
/// use binlog_embedded::mavlink::{FolderLogs, Server, ServerOptions};
///
/// # use binlog::{HostLogger, LogSchema, messages::Ev};
/// # #[derive(LogSchema)]
/// # enum FlightLog {
/// #     Ev(Ev),
/// # }
/// let folder = LogFolder::new("logs");
/// let thread = HostLogger::<FlightLog>::builder().spawn_logs(folder.clone())?;
/// let mut logs = FolderLogs::new(folder);
/// let mut server: Server<64> = Server::new(ServerOptions::DEFAULT);
/// if let Some(message) = server.next(0, &mut logs)? {
///     println!("send {message:?}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FolderLogs {
    folder: LogFolder,
    /// The log that was read last.
    open: Option<(u32, File)>,
    /// Whether a log is being written.
    is_logging: bool,
    /// That log and its length, and when it was looked up.
    written: Cell<Option<(u32, u32)>>,
    looked_up: Cell<Option<Instant>>,
}

/// How long the log that is being written isn't looked up again.
const FRESH: Duration = Duration::from_millis(50);

impl FolderLogs {
    /// The logs of a folder, which needn't exist yet.
    pub fn new(folder: LogFolder) -> Self {
        FolderLogs { folder, open: None, is_logging: true, written: Cell::new(None), looked_up: Cell::new(None) }
    }

    /// Whether a log is being written, which is so by default. When it isn't any more, after
    /// [`LogThread::finish`](binlog::host::LogThread::finish), a [`Follow`](super::super::Follow) sends the rest of it.
    pub fn set_logging(&mut self, is_logging: bool) {
        self.is_logging = is_logging;
        self.looked_up.set(None);
    }

    /// The log that is being written, and its length.
    fn look_up(&self) -> io::Result<Option<(u32, u64)>> {
        match self.folder.own_log() {
            Some(own) => Ok(Some((own, fs::metadata(self.folder.log_path(own))?.len()))),
            None => Ok(self.folder.logs()?.last().map(|log| (log.number, log.bytes))),
        }
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

    /// It is looked up 20 times a second at most.
    fn open_log(&self) -> Option<(u32, u32)> {
        if !self.is_logging {
            return None;
        }
        if self.looked_up.get().is_none_or(|looked_up| looked_up.elapsed() > FRESH) {
            // After an error, the log counts as open still: its end can't be undone.
            if let Ok(written) = self.look_up() {
                self.written.set(written.map(|(number, bytes)| (number, u32::try_from(bytes).unwrap_or(u32::MAX))));
            }
            self.looked_up.set(Some(Instant::now()));
        }
        self.written.get()
    }
}
