//! The handle that threads log through.

use super::queue::{Candidate, Queue};
use super::walk::{Entry, IdTable};
use super::{Builder, LogThread};
use crate::declare::messages::{File, Mode, Msg, Parm};
use crate::format::{LogMessage, LogSchema, Logs, SchemaMessage};
use crate::write::sink::{Statistics, Tally, TimedSink};
use crate::write::{Sink, WriteError};
use std::fmt::{self, Display};
use std::io::Write;
use std::sync::Arc;

/// Logs from any thread of a simulator, as `binlog_embedded::Logger` does on a target: a record is queued whole, or
/// counted. A thread of its own writes the queue.
///
/// ```
/// use binlog::{HostLogger, LogSchema, messages::{Ev, Msg}};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     #[log(rate = 50)] // at most 50 records a second
///     Ev(Ev),
///     Msg(Msg),
/// }
///
/// let thread = HostLogger::<FlightLog>::spawn(Vec::new())?; // or `std::fs::File::create("flight.bin")?`
/// let log = thread.logger(); // clone it for each thread
/// log.text("armed");
/// assert!(log.log(&Ev { time_us: log.now_us(), id: 10 }));
/// let bytes = thread.finish()?;
/// # assert_eq!(binlog::Log::from_bytes(bytes).rows("EV").unwrap().len(), 1);
/// # Ok::<(), binlog::WriteError>(())
/// ```
///
/// [`log`](HostLogger::log) takes a lock, copies at most 255 bytes and returns. It never writes to the destination,
/// never allocates, and never waits for the disk, unless [`Builder::wait_for_room`] says so. The lock is held for as
/// long by the others, including the thread that writes.
///
/// The queue has two buffers of [`Builder::capacity`] bytes: while one is written, the other takes the records. What
/// doesn't fit is dropped and counted in the [`Tally`] of its message. The last bytes of the buffer are a
/// [`reserve`](Builder::reserve) for critical messages: MSG, EV, ERR and MODE, and those that the schema marks
/// `#[log(critical)]`.
///
/// Records are in the log in the order in which they were accepted, so those of one thread are in that thread's order.
pub struct HostLogger<S: LogSchema>(pub(super) Arc<Queue<S>>);

impl<S: LogSchema> HostLogger<S> {
    /// A logger with the settings of [`Builder`], which are defaults until changed.
    pub fn builder() -> Builder<S> {
        Builder::default()
    }

    /// Writes the preamble to `out` and begins to log to it, with the default settings of [`Builder`].
    ///
    /// # Errors
    ///
    /// If the preamble can't be written.
    pub fn spawn<W: Write + Send + 'static>(out: W) -> Result<LogThread<S, W>, WriteError>
    where
        S: 'static,
    {
        Self::builder().spawn(out)
    }

    /// Sets the clock, which returns microseconds since boot, as in `TimeUS`, and accepts records again after
    /// [`stop`](HostLogger::stop). Texts, parameters, modes and statistics have the clock's time.
    ///
    /// A new logger accepts records at once, and its clock counts from its creation. A simulation sets its own, which
    /// is called from any thread that logs a text, and from the thread that writes.
    pub fn start(&self, clock: impl Fn() -> u64 + Send + Sync + 'static) {
        self.0.start(Arc::new(clock));
    }

    /// Stops accepting records; they count as ignored. Queued records are written.
    pub fn stop(&self) {
        self.0.stop();
    }

    /// Requests a new log, with a preamble and a prologue of its own: at each arming, for example. Earlier records
    /// stay in the previous log. Requests without an accepted record between them are one, and the first log is not
    /// left before it has a record.
    ///
    /// Returns whether the thread that writes will try to begin one, or the newest has no record yet. It is false if
    /// the destination takes one log only or is given up, if the logger is stopped, or if a log could not be begun
    /// within the last second.
    ///
    /// It never waits, so it can't tell whether the try succeeds: then [`logs_begun`](HostLogger::logs_begun) grows. If
    /// it fails, the current log continues, and [`LogThread::finish`] returns the error.
    pub fn new_log(&self) -> bool {
        self.0.new_log()
    }

    /// How many logs have begun, the first included.
    pub fn logs_begun(&self) -> u32 {
        self.0.logs_begun()
    }

    /// Reserves bytes of the queue for critical messages, at most its capacity less 255.
    pub fn set_reserve(&self, bytes: usize) {
        self.0.set_reserve(bytes);
    }

    /// Switches a message off or on. While it is off, its records count as ignored.
    pub fn set_masked<M>(&self, masked: bool)
    where
        S: Logs<M>,
    {
        self.0.lock().gate.set_masked(<S as Logs<M>>::INDEX, masked);
    }

    /// As [`set_masked`](HostLogger::set_masked), by the message's name, for a parameter or a console. Returns false if
    /// the schema has no such message.
    pub fn set_masked_by_name(&self, name: &str, masked: bool) -> bool {
        let index = S::MESSAGES.iter().position(|message| message.definition.name == name);
        index.map(|index| self.0.lock().gate.set_masked(index, masked)).is_some()
    }

    /// Logs a message. Returns whether the record was accepted. An accepted record is written, or counted as lost.
    pub fn log<M: LogMessage>(&self, message: &M) -> bool
    where
        S: Logs<M>,
    {
        self.put(message, true)
    }

    /// As [`log`](HostLogger::log), and never waits, also if [`Builder::wait_for_room`] says so.
    pub fn log_now<M: LogMessage>(&self, message: &M) -> bool
    where
        S: Logs<M>,
    {
        self.put(message, false)
    }

    fn put<M: LogMessage>(&self, message: &M, may_wait: bool) -> bool
    where
        S: Logs<M>,
    {
        // The thread's view of the record. A `Logs` that is implemented by hand may contradict it.
        const {
            let Entry { index, length, .. } = IdTable::<S>::BY_ID[<S as Logs<M>>::ID as usize];
            assert!(
                index as usize == <S as Logs<M>>::INDEX && length as usize == M::DEFINITION.length(),
                "`Logs` contradicts the schema: derive it"
            );
        }
        let record = Candidate {
            index: const { <S as Logs<M>>::INDEX },
            id: const { <S as Logs<M>>::ID },
            rate: const { <S as Logs<M>>::RATE },
            is_critical: const { <S as Logs<M>>::CRITICAL },
            length: const { M::DEFINITION.length() },
            // A message that is implemented by hand runs its own code here, outside the lock.
            payload: message.wire(),
        };
        self.0.put(&record, may_wait)
    }

    /// Logs a text, or the output of `format_args!`, as MSG records: see [`TimedSink::text`].
    pub fn text(&self, text: impl Display) -> bool
    where
        S: Logs<Msg>,
    {
        TimedSink::text(self, text)
    }

    /// Logs a parameter: see [`TimedSink::parameter`].
    pub fn parameter(&self, name: &str, value: f32, default: Option<f32>) -> bool
    where
        S: Logs<Parm>,
    {
        TimedSink::parameter(self, name, value, default)
    }

    /// Logs a change of the flight mode: see [`TimedSink::mode`].
    pub fn mode(&self, number: u8, reason: u8) -> bool
    where
        S: Logs<Mode>,
    {
        TimedSink::mode(self, number, reason)
    }

    /// Logs a whole file in records of 64 bytes. Its name has at most 16 bytes. Returns whether all records were
    /// accepted; none is if the name or the file is too long.
    pub fn file(&self, name: &str, contents: &[u8]) -> bool
    where
        S: Logs<File>,
    {
        File::parts(name, contents).is_ok_and(|mut parts| parts.all(|part| self.log(&part)))
    }

    /// The time of the clock, in microseconds.
    pub fn now_us(&self) -> u64 {
        self.0.now_us()
    }

    /// Whether records are accepted and written: false after [`stop`](HostLogger::stop), after the end of the log
    /// ([`LogThread::finish`], or its drop), and after the destination was given up.
    pub fn is_running(&self) -> bool {
        self.0.is_running()
    }

    /// Whether the destination is given up: records are dropped, and [`LogThread::finish`] will return the error.
    pub fn has_failed(&self) -> bool {
        self.0.lock().has_failed
    }

    /// The counts of one message. `unflushed` stays 0.
    pub fn tally<M>(&self) -> Tally
    where
        S: Logs<M>,
    {
        self.tally_of(<S as Logs<M>>::INDEX).unwrap_or_default()
    }

    /// The counts of the message at a place in [`LogSchema::MESSAGES`]; `None` beyond the last.
    pub fn tally_of(&self, index: usize) -> Option<Tally> {
        self.0.lock().gate.tallies().get(index).copied()
    }

    /// Each message and its counts, in the order of the schema.
    pub fn tallies(&self) -> impl Iterator<Item = (&'static SchemaMessage, Tally)> {
        S::MESSAGES.iter().enumerate().map(|(index, message)| (message, self.tally_of(index).unwrap_or_default()))
    }

    /// The counts of all messages together, and the usage of the queue.
    pub fn statistics(&self) -> Statistics {
        let bytes = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        let (used, high_water, longest_stall_us) = self.0.usage();
        let counts = self.0.lock().gate.sum();
        Statistics { used: bytes(used), high_water: bytes(high_water), longest_stall_us, ..counts }
    }
}

impl<S: Logs<M>, M: LogMessage> Sink<M> for HostLogger<S> {
    fn log(&self, message: &M) -> bool {
        HostLogger::log(self, message)
    }
}

impl<S: LogSchema> TimedSink for HostLogger<S> {
    fn now_us(&self) -> u64 {
        self.0.now_us()
    }

    fn next_text_id(&self) -> u8 {
        self.0.next_text_id()
    }
}

impl<S: LogSchema> Clone for HostLogger<S> {
    fn clone(&self) -> Self {
        HostLogger(Arc::clone(&self.0))
    }
}

impl<S: LogSchema> fmt::Debug for HostLogger<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostLogger").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}
