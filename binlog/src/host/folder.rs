//! A folder of numbered logs, as ArduPilot keeps them.

use super::destination::Destination;
use super::time_sorter::SortedLogs;
use crate::schema::LogSchema;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// The file that has the number of the last log.
const LAST_LOG: &str = "LASTLOG.TXT";

/// A folder of numbered logs, `00000001.BIN` and so on, as ArduPilot's SITL keeps them.
///
/// ```no_run
/// use binlog::{HostLogger, LogFolder, LogSchema, messages::Ev};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Ev(Ev),
/// }
///
/// let folder = LogFolder::new("logs").most_logs(100).remove_oldest();
/// let thread = HostLogger::<FlightLog>::builder().spawn_logs(folder)?;
/// let log = thread.logger();
/// log.log(&Ev { time_us: log.now_us(), id: 10 });
/// log.new_log(); // the next flight
/// # Ok::<(), binlog::WriteError>(())
/// ```
///
/// What it has in common with ArduPilot (`libraries/AP_Logger/AP_Logger_File.cpp`: `_log_file_name`, `find_last_log`,
/// `start_new_log`, `write_lastlog_file`, `find_oldest_log`):
///
/// - A name is the number with eight digits and `.BIN`. `LASTLOG.TXT` has the number of the last log, `7\r\n`; the next
///   log has the number after it. After the [last number](LogFolder::last_number), it is 1 again.
/// - The folder is created if it doesn't exist.
/// - The oldest log is the one after the last in this order, with the smallest number above the last one's, or else the
///   smallest of all.
///
/// And what differs, so that no log is ever overwritten:
///
/// - ArduPilot truncates the file that has the next number. Here a log is a new file: existing numbers are skipped,
///   also one that another process has just taken. Several processes may log into one folder.
/// - Without `LASTLOG.TXT`, ArduPilot begins with 1. Here it is the number after the largest.
/// - ArduPilot uses an empty log's number again. Here it stays: it may be another process's.
/// - Logs are removed only with [`remove_oldest`](LogFolder::remove_oldest), and never the last one.
///
/// Limits are checked when a log begins. A folder at its limits is an error of the kind
/// [`QuotaExceeded`](ErrorKind::QuotaExceeded), unless `remove_oldest` makes room.
#[derive(Clone, Debug)]
pub struct LogFolder {
    folder: PathBuf,
    last_number: u32,
    log_bytes: Option<u64>,
    most_logs: Option<usize>,
    most_bytes: Option<u64>,
    removes_oldest: bool,
    /// The log that was opened last.
    path: PathBuf,
}

/// A log in the folder.
struct Stored {
    number: u32,
    path: PathBuf,
    bytes: u64,
}

impl LogFolder {
    /// A folder without limits other than the last number.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        // ArduPilot's default of LOG_MAX_FILES, and its largest value (libraries/AP_Logger/AP_Logger.cpp).
        let last_number = 500;
        LogFolder {
            path: folder.clone(),
            folder,
            last_number,
            log_bytes: None,
            most_logs: None,
            most_bytes: None,
            removes_oldest: false,
        }
    }

    /// The number after which numbers begin again: ArduPilot's `LOG_MAX_FILES`. From 2 to 99,999,999; other numbers become
    /// the nearest. The default is 500.
    pub fn last_number(mut self, number: u32) -> Self {
        self.last_number = number.clamp(2, 99_999_999);
        self
    }

    /// The most bytes of a log, after which the next one begins by itself. No limit by default.
    pub fn log_bytes(mut self, bytes: u64) -> Self {
        self.log_bytes = Some(bytes);
        self
    }

    /// The most logs in the folder, at least two, including the one that begins. No limit by default.
    pub fn most_logs(mut self, logs: usize) -> Self {
        self.most_logs = Some(logs.max(2));
        self
    }

    /// The most bytes of the logs that are in the folder when another one begins. No limit by default.
    pub fn most_bytes(mut self, bytes: u64) -> Self {
        self.most_bytes = Some(bytes);
        self
    }

    /// Removes the oldest logs to make room for a new one: for the limits, and for a number when all are taken. Never the
    /// last log.
    pub fn remove_oldest(mut self) -> Self {
        self.removes_oldest = true;
        self
    }

    /// Sorts the records of each log by time, with a window of `window` bytes, limited to 4096 … 1 GiB: see
    /// [`TimeSorter`](super::TimeSorter).
    pub fn sorted_by_time<S: LogSchema + 'static>(self, window: usize) -> SortedLogs<S, Self> {
        SortedLogs { destination: self, window, schema: PhantomData }
    }

    /// Begins the next log: a new, empty file. Its path is [`path`](Destination::path).
    ///
    /// # Errors
    ///
    /// If the folder or the file can't be created, or a log can't be removed; [`QuotaExceeded`](ErrorKind::QuotaExceeded)
    /// if the folder is at its limits. Errors name the path.
    pub fn create_log(&mut self) -> io::Result<File> {
        self.path.clone_from(&self.folder);
        fs::create_dir_all(&self.folder).map_err(|error| named(error, "create the folder", &self.folder))?;
        let last = self.make_room()?;
        let mut number = last;
        for _ in 0..self.last_number {
            number = if number >= self.last_number { 1 } else { number + 1 };
            let path = self.path_of(number);
            match File::create_new(&path) {
                Ok(file) => {
                    self.path = path;
                    let place = self.folder.join(LAST_LOG);
                    fs::write(&place, format!("{number}\r\n")).map_err(|error| named(error, "write", &place))?;
                    return Ok(file);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(named(error, "create", &path)),
            }
        }
        Err(self.full(&format!("all numbers up to {}", self.last_number)))
    }

    fn path_of(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number:08}.BIN"))
    }

    /// Removes old logs until the limits hold. Returns the number of the last log, 0 without one.
    fn make_room(&self) -> io::Result<u32> {
        let mut logs = self.logs()?;
        let last = self.last(&logs);
        // The oldest first.
        logs.sort_unstable_by_key(|log| (log.number <= last, log.number));
        let mut bytes: u64 = logs.iter().map(|log| log.bytes).sum();
        let mut count = logs.len();
        let numbers = usize::try_from(self.last_number).unwrap_or(usize::MAX);
        let most_logs = self.most_logs.unwrap_or(usize::MAX);
        for log in &logs {
            let lacks_room = count >= most_logs || count >= numbers || self.most_bytes.is_some_and(|most| bytes > most);
            if !lacks_room {
                break;
            }
            if !self.removes_oldest {
                return Err(self.full(&format!("{count} logs of {bytes} bytes")));
            }
            if log.number == last {
                break;
            }
            match fs::remove_file(&log.path) {
                // Another process removed it.
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(named(error, "remove", &log.path)),
                _ => (bytes, count) = (bytes - log.bytes, count - 1),
            }
        }
        Ok(last)
    }

    /// The number of the last log: that of `LASTLOG.TXT`, or else the largest.
    fn last(&self, logs: &[Stored]) -> u32 {
        let text = fs::read_to_string(self.folder.join(LAST_LOG)).unwrap_or_default();
        // As `strtol` reads it: ArduPilot marks a log with a `D` that it will discard.
        let digits = text.trim_start().split(|character: char| !character.is_ascii_digit()).next();
        let noted =
            digits.and_then(|digits| digits.parse().ok()).filter(|number| (1..=self.last_number).contains(number));
        noted.or_else(|| logs.iter().map(|log| log.number).max()).unwrap_or(0)
    }

    /// The logs in the folder with numbers up to the last, in no order.
    fn logs(&self) -> io::Result<Vec<Stored>> {
        let entries = fs::read_dir(&self.folder).map_err(|error| named(error, "read the folder", &self.folder))?;
        let mut logs = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| named(error, "read the folder", &self.folder))?;
            let name = entry.file_name();
            let digits = name.to_str().and_then(|name| name.strip_suffix(".BIN")).unwrap_or_default();
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = digits.parse().ok().filter(|number| is_number && (1..=self.last_number).contains(number));
            // Another process may remove a log meanwhile.
            if let (Some(number), Ok(metadata)) = (number, entry.metadata()) {
                logs.push(Stored { number, path: entry.path(), bytes: metadata.len() });
            }
        }
        Ok(logs)
    }

    fn full(&self, what: &str) -> io::Error {
        let folder = self.folder.display();
        let text = format!("the folder {folder} has {what}, which is its limit: remove logs, or call `remove_oldest`");
        io::Error::new(ErrorKind::QuotaExceeded, text)
    }
}

impl Destination for LogFolder {
    type Log = File;

    fn open(&mut self) -> io::Result<File> {
        self.create_log()
    }

    fn log_bytes(&self) -> Option<u64> {
        self.log_bytes
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }
}

fn named(error: io::Error, action: &str, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("can't {action} {}: {error}", path.display()))
}
