//! A folder of numbered logs, as ArduPilot keeps them.

use super::destination::Destination;
use super::time_sorter::SortedLogs;
use crate::format::LogSchema;
use crate::wording::plural::Plural;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

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
/// let folder = LogFolder::new("logs").max_logs(100).remove_oldest();
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
/// - `LASTLOG.TXT` may be out of date: a process may die after it created a log, or two may begin at once. So logs
///   whose numbers follow that number without a gap are newer, unless all numbers are taken. For this, the number after
///   the last log's stays free: a folder has one log less than its last number says.
/// - Logs are removed only with [`remove_oldest`](LogFolder::remove_oldest). Neither the last one, nor the one that
///   `LASTLOG.TXT` names, nor the one that this `LogFolder` opened last is ever removed, even if a limit is exceeded by
///   that. Another process's log may be, when it is the oldest: let the limits leave room for all that log.
///
/// Limits are checked when a log begins. A folder at its limits is an error of the kind
/// [`QuotaExceeded`](ErrorKind::QuotaExceeded), unless `remove_oldest` makes room.
#[derive(Clone, Debug)]
pub struct LogFolder {
    folder: PathBuf,
    last_number: u32,
    log_bytes: Option<u64>,
    max_logs: Option<usize>,
    max_bytes: Option<u64>,
    removes_oldest: bool,
    /// The log that was opened last.
    path: PathBuf,
    /// The number of the one that this folder, or a clone of it, opened last; 0 before.
    own: Arc<AtomicU32>,
}

/// A log in a [`LogFolder`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FolderLog {
    /// The number: 12 for `00000012.BIN`.
    pub number: u32,
    /// The file.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// When it was written last, if the file system knows it.
    pub modified: Option<SystemTime>,
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
            max_logs: None,
            max_bytes: None,
            removes_oldest: false,
            own: Arc::default(),
        }
    }

    /// The number after which numbers begin again: ArduPilot's `LOG_MAX_FILES`. From 3 to 99,999,999; other numbers
    /// become the nearest. The default is 500. The folder has one log less, because one number stays free.
    pub fn last_number(mut self, number: u32) -> Self {
        self.last_number = number.clamp(3, 99_999_999);
        self
    }

    /// The most bytes of a log, after which the next one begins by itself. No limit by default.
    pub fn log_bytes(mut self, bytes: u64) -> Self {
        self.log_bytes = Some(bytes);
        self
    }

    /// The most logs in the folder, at least two, including the one that begins. No limit by default.
    pub fn max_logs(mut self, logs: usize) -> Self {
        self.max_logs = Some(logs.max(2));
        self
    }

    /// The most bytes of the logs that are in the folder when another one begins. No limit by default.
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Removes the oldest logs to make room for a new one: for the limits, and for a number when all are taken. Never
    /// the last log.
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
    /// If the folder or the file can't be created, or a log can't be removed;
    /// [`QuotaExceeded`](ErrorKind::QuotaExceeded) if the folder is at its limits. Errors name the path.
    pub fn create_log(&mut self) -> io::Result<File> {
        let before = std::mem::replace(&mut self.path, self.folder.clone());
        fs::create_dir_all(&self.folder).map_err(|error| named(error, "create the folder", &self.folder))?;
        // Numbers that other processes took meanwhile.
        let mut taken = BTreeSet::new();
        for _ in 0..self.last_number {
            let Some(number) = self.make_room(&before, &taken)? else { break };
            let path = self.log_path(number);
            match File::create_new(&path) {
                Ok(file) => {
                    if let Err(error) = self.note(number) {
                        // Otherwise each try would leave an empty log.
                        let _ = fs::remove_file(&path);
                        return Err(error);
                    }
                    self.path = path;
                    self.own.store(number, Ordering::Relaxed);
                    return Ok(file);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => _ = taken.insert(number),
                Err(error) => return Err(named(error, "create", &path)),
            }
        }
        Err(self.full(&format!("no free number up to {} with a free one after it", self.last_number)))
    }

    /// The logs in the folder, the oldest first; none if there is no such folder.
    ///
    /// # Errors
    ///
    /// If the folder can't be read.
    pub fn logs(&self) -> io::Result<Vec<FolderLog>> {
        let mut logs = match self.stored() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            stored => stored?,
        };
        let last = self.last(self.noted(), &logs.iter().map(|log| log.number).collect());
        logs.sort_unstable_by_key(|log| (log.number <= last, log.number));
        Ok(logs)
    }

    /// The number of the log that this `LogFolder` or a clone of it began last, whoever else logs into the folder;
    /// `None` before the first one.
    pub fn own_log(&self) -> Option<u32> {
        Some(self.own.load(Ordering::Relaxed)).filter(|number| *number > 0)
    }

    /// The path of the log with a number, whether it exists or not.
    pub fn log_path(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number:08}.BIN"))
    }

    fn after(&self, number: u32) -> u32 {
        if number >= self.last_number { 1 } else { number + 1 }
    }

    /// Removes old logs until the limits hold and two numbers after the last log's are free. Returns the first of them,
    /// or `None` if they can't be freed. `open` is the log that this folder opened last; it stays.
    fn make_room(&self, open: &Path, taken: &BTreeSet<u32>) -> io::Result<Option<u32>> {
        let mut logs = self.stored()?;
        let mut numbers: BTreeSet<u32> = logs.iter().map(|log| log.number).chain(taken.iter().copied()).collect();
        let noted = self.noted();
        let last = self.last(noted, &numbers);
        let next = self.after(last);
        let free = [next, self.after(next)];
        // The oldest first.
        logs.sort_unstable_by_key(|log| (log.number <= last, log.number));
        let newest = logs.last().map(|log| log.number);
        let mut bytes: u64 = logs.iter().map(|log| log.bytes).sum();
        let mut count = logs.len();
        let max_logs = self.max_logs.unwrap_or(usize::MAX);
        for log in &logs {
            let exceeds = count >= max_logs || self.max_bytes.is_some_and(|max| bytes > max);
            if !exceeds && free.iter().all(|number| !numbers.contains(number)) {
                break;
            }
            if !self.removes_oldest {
                return Err(self.full(&format!("{} of {}", Plural(count, "log"), Plural(bytes, "byte"))));
            }
            if Some(log.number) == newest || Some(log.number) == noted || log.path == open {
                continue;
            }
            match fs::remove_file(&log.path) {
                // Another process removed it.
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(named(error, "remove", &log.path)),
                _ => (bytes, count) = (bytes - log.bytes, count - 1),
            }
            numbers.remove(&log.number);
        }
        Ok(free.iter().all(|number| !numbers.contains(number)).then_some(next))
    }

    /// The number of the last log, 0 without one. That is the number in `LASTLOG.TXT` or those that follow it without a
    /// gap: of these logs, the process or another one had no time to write the number. The number after the last log's
    /// is kept free, so the oldest log doesn't follow directly.
    fn last(&self, noted: Option<u32>, numbers: &BTreeSet<u32>) -> u32 {
        let mut last = noted.or_else(|| numbers.last().copied()).unwrap_or(0);
        // ArduPilot leaves no gap when it uses all numbers.
        if u64::from(self.last_number) > numbers.len() as u64 {
            while numbers.contains(&self.after(last)) {
                last = self.after(last);
            }
        }
        last
    }

    /// The number in `LASTLOG.TXT`.
    fn noted(&self) -> Option<u32> {
        let text = fs::read_to_string(self.folder.join(LAST_LOG)).unwrap_or_default();
        // As `strtol` reads it: ArduPilot marks a log with a `D` that it will discard.
        let digits = text.trim_start().split(|character: char| !character.is_ascii_digit()).next()?;
        digits.parse().ok().filter(|number| (1..=self.last_number).contains(number))
    }

    /// Writes the number of a log that has just begun to `LASTLOG.TXT`, unless another process has begun a later log.
    /// The file is replaced as a whole.
    fn note(&self, number: u32) -> io::Result<()> {
        // Those that follow without a gap began later.
        let mut later = self.after(number);
        let noted = self.noted();
        while later != number && self.log_path(later).exists() {
            if noted == Some(later) {
                return Ok(());
            }
            later = self.after(later);
        }
        let place = self.folder.join(LAST_LOG);
        // One name for each log, so that no two processes write to one file.
        let beside = self.folder.join(format!("LASTLOG.{number:08}.tmp"));
        let replaced = fs::write(&beside, format!("{number}\r\n")).and_then(|()| fs::rename(&beside, &place));
        replaced.map_err(|error| {
            let _ = fs::remove_file(&beside);
            named(error, "write", &place)
        })
    }

    /// The logs in the folder with numbers up to the last, in no order.
    fn stored(&self) -> io::Result<Vec<FolderLog>> {
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
                let (bytes, modified) = (metadata.len(), metadata.modified().ok());
                logs.push(FolderLog { number, path: entry.path(), bytes, modified });
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
