//! Settings of a host's logger, and its thread.

use super::destination::{Destination, Single};
use super::output::Output;
use super::queue::Queue;
use super::reports::{Reports, append};
use super::writer::Writer;
use super::{HostLogger, Prologue};
use crate::declare::messages;
use crate::declare::messages::{Dropped, Dsf};
use crate::describe::log_messages::{self, FILE_NAME};
use crate::format::{LogSchema, Logs};
use crate::write::writer::{LONGEST_RECORD, Progress};
use crate::write::{FinishError, WriteError};
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Settings of a [`HostLogger`].
///
/// ```
/// use binlog::messages::{Dropped, Dsf, Ev, Msg, Parm};
/// use binlog::{HostLogger, LogSchema};
/// use std::time::Duration;
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Ev(Ev),
///     Msg(Msg),
///     Parm(Parm),
///     Dsf(Dsf),
///     Drop(Dropped),
/// }
///
/// let thread = HostLogger::builder()
///     .capacity(1 << 20)
///     .report_every(Duration::from_secs(1))
///     .prologue(|i| match i {
///         0 => Parm::new(0, "FRAME_CLASS", 1.0, None).ok().map(FlightLog::Parm),
///         1 => Msg::new(0, 0, "ArduCopter V4.6.0").ok().map(FlightLog::Msg),
///         _ => None,
///     })
///     .spawn(Vec::new())?;
/// thread.logger().log(&Ev { time_us: 5, id: 10 });
/// let log = binlog::Log::from_bytes(thread.finish()?);
/// assert_eq!(log.rows("DSF")?.len(), 1); // the last one
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "`spawn` begins to log"]
pub struct Builder<S: LogSchema> {
    capacity: usize,
    /// `None` for an eighth.
    reserve: Option<usize>,
    waits: bool,
    period: Duration,
    patience: Duration,
    /// Makes the records of the descriptions.
    descriptions: Option<fn() -> Vec<u8>>,
    prologue: Option<Prologue<S>>,
    reports: Option<Reports>,
}

impl<S: LogSchema> Default for Builder<S> {
    fn default() -> Self {
        Builder {
            capacity: 4 << 20,
            reserve: None,
            waits: false,
            period: Duration::from_millis(100),
            // ArduPilot's default of LOG_FILE_TIMEOUT (libraries/AP_Logger/AP_Logger.cpp).
            patience: Duration::from_secs(5),
            descriptions: None,
            prologue: None,
            reports: None,
        }
    }
}

impl<S: LogSchema> Builder<S> {
    /// The most bytes that wait to be written, at least 512; the default is 4 MiB. The queue has two such buffers, and
    /// no other memory that grows.
    ///
    /// Choose bytes per second × the longest stall in seconds.
    pub fn capacity(mut self, bytes: usize) -> Self {
        self.capacity = bytes.max(512);
        self
    }

    /// Bytes of the queue that only critical messages use, at most its capacity less 255; the default is an eighth.
    pub fn reserve(mut self, bytes: usize) -> Self {
        self.reserve = Some(bytes);
        self
    }

    /// Waits for room instead of dropping a record. For simulations that run as fast as possible: nothing is lost, and
    /// the disk sets the pace.
    ///
    /// A record is dropped nevertheless after the destination was given up, and in the thread that writes.
    pub fn wait_for_room(mut self) -> Self {
        self.waits = true;
        self
    }

    /// How long records wait at most before they are written; the default is 100 ms. They are written at once
    /// from a quarter of the queue, half of what isn't reserved or 64 KiB on, and when a record finds no room.
    pub fn write_every(mut self, period: Duration) -> Self {
        self.period = period;
        self
    }

    /// How long the destination may return errors, or take nothing, until it is given up; the default is 5 s. Until
    /// then the thread tries again, and the queue takes records as long as it has room.
    pub fn retry_for(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Puts the descriptions of the schema's messages into every log, after the preamble, as the embedded file
    /// [`LogMessages.xml`](crate::log_messages::FILE_NAME): see
    /// [`LogWriter::descriptions`](crate::LogWriter::descriptions). It takes about 250 bytes a column, and no room in
    /// the queue.
    pub fn descriptions(mut self) -> Self
    where
        S: Logs<messages::File>,
    {
        self.descriptions = Some(|| {
            let text = log_messages::xml::<S>().to_string();
            let mut records = Vec::new();
            // The name fits, and no schema has 4 GiB of descriptions.
            for part in messages::File::parts(FILE_NAME, text.as_bytes()).into_iter().flatten() {
                append::<S, _>(&part, &mut records);
            }
            records
        });
        self
    }

    /// Adds a prologue, which follows the preamble in every log: `prologue` returns the `i`th record for 0, 1, 2 and so
    /// on, then `None`. Viewers want the parameters, the firmware's name as MSG and the flight mode there. It runs in
    /// the thread that writes.
    pub fn prologue(mut self, prologue: impl FnMut(usize) -> Option<S> + Send + 'static) -> Self {
        self.prologue = Some(Box::new(prologue));
        self
    }

    /// Logs a DSF record at this interval of the logger's clock, at least 1 ms, and at the end, followed by a DROP
    /// record for each message that has lost records since its last one. They go directly into the log and use no room
    /// in the queue.
    ///
    /// As in ArduPilot, `DSF.Dp` counts from boot; `Blk` (blocks of 512 bytes) and `Bytes` count from the previous DSF.
    pub fn report_every(mut self, interval: Duration) -> Self
    where
        S: Logs<Dsf> + Logs<Dropped>,
    {
        self.reports = Some(Reports::new::<S>(u64::try_from(interval.as_micros()).unwrap_or(u64::MAX)));
        self
    }

    /// Writes the preamble to `out` and begins to log to it.
    ///
    /// # Errors
    ///
    /// If the preamble can't be written, or the system has no thread.
    pub fn spawn<W: Write + Send + 'static>(self, out: W) -> Result<LogThread<S, W>, WriteError>
    where
        S: 'static,
    {
        self.begin(Single { out: Some(out), path: None }, false)
    }

    /// Creates a log in a file, which is overwritten if it exists, and begins to log to it. All errors name the file.
    ///
    /// Two loggers that create the same file, in one process or in two, overwrite each other's records, and no error
    /// says so. For several loggers in one place use a [`LogFolder`](super::LogFolder), which gives each a file of its
    /// own.
    ///
    /// # Errors
    ///
    /// If the file can't be created, and as [`spawn`](Builder::spawn).
    pub fn create(self, path: impl AsRef<Path>) -> Result<LogThread<S, File>, WriteError>
    where
        S: 'static,
    {
        let path = path.as_ref();
        let file = File::create(path).map_err(|error| WriteError::new(error, Some(path), Progress::default()))?;
        self.begin(Single { out: Some(file), path: Some(path.into()) }, false)
    }

    /// Opens the first log of a destination, such as a [`LogFolder`](super::LogFolder), and begins to log to it.
    /// [`HostLogger::new_log`] begins the next.
    ///
    /// # Errors
    ///
    /// If the log can't be opened, if the preamble can't be written, or if the system has no thread.
    pub fn spawn_logs<D: Destination>(self, destination: D) -> Result<LogThread<S, D::Log>, WriteError>
    where
        S: 'static,
    {
        self.begin(destination, true)
    }

    fn begin<D: Destination>(mut self, destination: D, has_more_logs: bool) -> Result<LogThread<S, D::Log>, WriteError>
    where
        S: 'static,
    {
        if let Some(reports) = &mut self.reports {
            reports.set_capacity(self.capacity);
        }
        let reserve = self.reserve.unwrap_or(self.capacity / 8).min(self.capacity - LONGEST_RECORD);
        let (queue, batch) = Queue::new(self.capacity, reserve, self.waits, has_more_logs);
        let queue = Arc::new(queue);
        let output = Output::open(Arc::clone(&queue), destination, self.patience, self.reports)?;
        let descriptions = self.descriptions.map(|records| records()).unwrap_or_default();
        let (prologue, period) = (self.prologue, self.period);
        let writer = Writer {
            queue: Arc::clone(&queue),
            output,
            descriptions,
            prologue,
            period,
            batch,
            at: 0,
            has_record: false,
        };
        let thread = thread::Builder::new().name("binlog".into()).spawn(|| writer.run());
        let thread = thread.map_err(|error| WriteError::new(error, None, Progress::default()))?;
        Ok(LogThread { logger: HostLogger(queue), thread: Some(thread) })
    }
}

impl<S: LogSchema> fmt::Debug for Builder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("capacity", &self.capacity)
            .field("reserve", &self.reserve)
            .field("waits", &self.waits)
            .field("period", &self.period)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

/// What the thread returns: the last log, and the first error that a further try didn't overcome.
type Ended<W> = (Option<W>, Option<WriteError>);

/// The thread that writes the log of a [`HostLogger`]. Keep it for as long as the program logs, and end with
/// [`finish`](LogThread::finish).
///
/// **Dropping it ends the log**, also while clones of the logger live on: it writes everything that was accepted, and
/// what they log afterwards is ignored, though counted. It can't report errors. So a function that returns
/// `thread.logger().clone()` alone ends the log when it returns: return the `LogThread`, too. `let _ =` drops it at
/// once; `let _thread =` keeps it. [`HostLogger::is_running`] tells.
///
/// [`std::process::exit`] drops nothing: what is queued is lost. Call `finish` before it.
#[must_use = "dropping it ends the log"]
pub struct LogThread<S: LogSchema, W> {
    logger: HostLogger<S>,
    /// `None` once it is joined.
    thread: Option<JoinHandle<Ended<W>>>,
}

impl<S: LogSchema, W> LogThread<S, W> {
    /// The logger. Clone it for each thread.
    pub fn logger(&self) -> &HostLogger<S> {
        &self.logger
    }

    /// Writes everything that was accepted and the last statistics, flushes, and returns the destination. It waits for
    /// the destination as long as that takes. Later records count as ignored. To survive a power cut as well, call
    /// `thread.finish()?.sync_all()?` for a file.
    ///
    /// # Errors
    ///
    /// If the destination was given up, or if a new log could not be begun: the first such error, with the records that
    /// were refused or lost. `out` has the destination if it took all accepted records. Errors that a retry overcame
    /// are not returned. If the destination panicked: an error of the kind [`Other`](io::ErrorKind::Other).
    pub fn finish(mut self) -> Result<W, FinishError<W>> {
        let ended = self.end();
        let statistics = self.logger.statistics();
        let refused = [statistics.dropped, statistics.ignored, statistics.lost].map(u64::from).iter().sum();
        match ended {
            Some((Some(out), None)) => Ok(out),
            Some((out, Some(error))) => {
                Err(FinishError { error, refused, out: out.filter(|_| !self.logger.has_failed()) })
            }
            Some((None, None)) | None => {
                let error = io::Error::other("the destination panicked, so it is unknown how much it wrote");
                Err(FinishError { error: WriteError::new(error, None, Progress::default()), refused, out: None })
            }
        }
    }

    /// Ends the log. `None` if the thread panicked, or has ended before.
    fn end(&mut self) -> Option<Ended<W>> {
        self.logger.0.end();
        self.thread.take()?.join().ok()
    }
}

impl<S: LogSchema, W> Drop for LogThread<S, W> {
    fn drop(&mut self) {
        // Drop can't return the error; `finish` does.
        let _ = self.end();
    }
}

impl<S: LogSchema, W> fmt::Debug for LogThread<S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogThread").field("logger", &self.logger).finish_non_exhaustive()
    }
}
