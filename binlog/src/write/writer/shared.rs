//! One writer for several threads.

use super::{FinishError, LogWriter, WriteError};
use crate::declare::messages::{File, Mode, Msg, Parm};
use crate::format::{LogMessage, LogSchema, Logs, SchemaMessage};
use crate::write::Sink;
use crate::write::sink::{Gate, Refused, Tally};
use std::cell::RefCell;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A handle to a [`LogWriter`] that may be cloned and shared between threads.
///
/// It has no thread of its own: whoever logs into a full buffer writes it, and gets the error. A loop that must not
/// wait for a disk takes a [`HostLogger`](crate::HostLogger).
///
/// As a [`Sink`] it returns whether each record was accepted. Refused records are counted by message, and the first
/// error is kept for [`finish`](SharedWriter::finish). A message that the schema gives a `rate` is decimated as by
/// the logger of a microcontroller, so one schema serves both.
///
/// ```
/// use binlog::{LogSchema, LogWriter, Sink, messages::{Ev, Msg}};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Ev(Ev),
///     Msg(Msg),
/// }
///
/// let log = LogWriter::<FlightLog, _>::new(Vec::new())?.into_shared();
/// std::thread::scope(|threads| {
///     for id in 0..4 {
///         let log = log.clone();
///         threads.spawn(move || assert!(log.log(&Ev { time_us: 0, id })));
///     }
/// });
/// log.text(0, "landed")?;
/// let bytes = log.finish()?;
/// # assert_eq!(binlog::Records::new(&bytes).flatten().filter(|record| record.name() == "EV").count(), 4);
/// # Ok::<(), binlog::WriteError>(())
/// ```
pub struct SharedWriter<S: LogSchema, W: Write>(Arc<Shared<S, W>>);

struct Shared<S: LogSchema, W: Write> {
    state: Mutex<State<S, W>>,
    /// Apart from the state, because what a thread logs while it has the state is counted, too. Locked for a few
    /// instructions, which run no code of the program's.
    gate: Mutex<Gate<S::Counters>>,
}

struct State<S: LogSchema, W: Write> {
    /// `None` once it is finished.
    writer: Option<LogWriter<S, W>>,
    first_error: Option<WriteError>,
}

thread_local! {
    /// The states that this thread has locked, by their addresses: locking one again would never return.
    static LOCKED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// A locked state.
struct Guard<'a, S: LogSchema, W: Write>(MutexGuard<'a, State<S, W>>);

impl<S: LogSchema, W: Write> Shared<S, W> {
    /// The state, unless this thread has it already: inside [`SharedWriter::with`], or inside the destination.
    fn lock(&self) -> Option<Guard<'_, S, W>> {
        let address = &raw const self.state as usize;
        // A thread that is ending may have dropped its list; it has no lock then.
        if LOCKED.try_with(|locked| locked.borrow().contains(&address)).unwrap_or(false) {
            return None;
        }
        // A panic in another thread doesn't damage the writer; the writer itself handles a panic of its destination.
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = LOCKED.try_with(|locked| locked.borrow_mut().push(address));
        Some(Guard(state))
    }
}

impl<S: LogSchema, W: Write> Shared<S, W> {
    fn gate(&self) -> MutexGuard<'_, Gate<S::Counters>> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: LogSchema, W: Write> Drop for Guard<'_, S, W> {
    fn drop(&mut self) {
        // Guards of one thread are dropped in the reverse order.
        let _ = LOCKED.try_with(|locked| locked.borrow_mut().pop());
    }
}

impl<S: LogSchema, W: Write> SharedWriter<S, W> {
    pub(super) fn new(writer: LogWriter<S, W>) -> Self {
        let state = Mutex::new(State { writer: Some(writer), first_error: None });
        SharedWriter(Arc::new(Shared { state, gate: Mutex::new(Gate::NEW) }))
    }

    /// Writes a message and returns the error, if any, as [`LogWriter::write`] does.
    ///
    /// The record is neither decimated nor counted, and [`finish`](SharedWriter::finish) doesn't return its error
    /// again. [`Sink::log`] decimates, counts, and leaves the error to `finish`.
    ///
    /// ```
    /// use binlog::{LogSchema, LogWriter, messages::Ev};
    ///
    /// #[derive(LogSchema)]
    /// enum FlightLog {
    ///     Ev(Ev),
    /// }
    ///
    /// let log = LogWriter::<FlightLog, _>::new(Vec::new())?.into_shared();
    /// log.write(&Ev { time_us: 0, id: 10 })?;
    /// # Ok::<(), binlog::WriteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`LogWriter::write`] and [`with`](SharedWriter::with).
    pub fn write<M: LogMessage>(&self, message: &M) -> Result<(), WriteError>
    where
        S: Logs<M>,
    {
        self.with(|log| log.write(message))
    }

    /// Logs a text, as [`LogWriter::text`] does.
    ///
    /// # Errors
    ///
    /// Those of [`LogWriter::text`] and [`with`](SharedWriter::with).
    pub fn text(&self, time_us: u64, text: &str) -> Result<(), WriteError>
    where
        S: Logs<Msg>,
    {
        self.with(|log| log.text(time_us, text))
    }

    /// Logs a parameter, as [`LogWriter::parameter`] does.
    ///
    /// # Errors
    ///
    /// Those of [`LogWriter::parameter`] and [`with`](SharedWriter::with).
    pub fn parameter(&self, time_us: u64, name: &str, value: f32, default: Option<f32>) -> Result<(), WriteError>
    where
        S: Logs<Parm>,
    {
        self.with(|log| log.parameter(time_us, name, value, default))
    }

    /// Logs a change of the flight mode, as [`LogWriter::mode`] does.
    ///
    /// # Errors
    ///
    /// Those of [`LogWriter::mode`] and [`with`](SharedWriter::with).
    pub fn mode(&self, time_us: u64, number: u8, reason: u8) -> Result<(), WriteError>
    where
        S: Logs<Mode>,
    {
        self.with(|log| log.mode(time_us, number, reason))
    }

    /// Logs a whole file, as [`LogWriter::file`] does.
    ///
    /// # Errors
    ///
    /// Those of [`LogWriter::file`] and [`with`](SharedWriter::with).
    pub fn file(&self, name: &str, contents: &[u8]) -> Result<(), WriteError>
    where
        S: Logs<File>,
    {
        self.with(|log| log.file(name, contents))
    }

    /// Calls `action` with the writer, for example to flush. Records written this way are neither decimated nor
    /// counted.
    ///
    /// Other threads wait meanwhile. The error is the caller's: `finish` doesn't return it again.
    ///
    /// # Errors
    ///
    /// The error of `action`; [`NotConnected`](io::ErrorKind::NotConnected) when the log is finished;
    /// [`Deadlock`](io::ErrorKind::Deadlock) inside of another `with`.
    pub fn with<T>(&self, action: impl FnOnce(&mut LogWriter<S, W>) -> Result<T, WriteError>) -> Result<T, WriteError> {
        let mut guard = self.0.lock().ok_or_else(locked)?;
        action(guard.0.writer.as_mut().ok_or_else(finished)?)
    }

    /// Counts of one message that was logged through [`Sink`]: *written* were accepted, *dropped* failed at the
    /// destination, *decimated* came sooner than their rate allows, *ignored* came after `finish` or inside of
    /// [`with`](SharedWriter::with). `unflushed` and `lost` stay 0: [`finish`](SharedWriter::finish) says what the
    /// destination has.
    pub fn tally<M>(&self) -> Tally
    where
        S: Logs<M>,
    {
        self.tally_of(<S as Logs<M>>::INDEX).unwrap_or_default()
    }

    /// Counts of the message at a place in [`LogSchema::MESSAGES`].
    pub fn tally_of(&self, index: usize) -> Option<Tally> {
        self.0.gate().tallies().get(index).copied()
    }

    /// Counts of each message in the order of the schema, with what it is.
    pub fn tallies(&self) -> impl Iterator<Item = (&'static SchemaMessage, Tally)> {
        S::MESSAGES.iter().enumerate().map(|(index, message)| (message, self.tally_of(index).unwrap_or_default()))
    }

    /// Records of all messages that were not accepted although they were due: those dropped and those ignored.
    pub fn refused(&self) -> u64 {
        self.tallies().map(|(_, tally)| u64::from(tally.dropped) + u64::from(tally.ignored)).sum()
    }

    /// Finishes the log for all handles and gives the destination back.
    ///
    /// # Errors
    ///
    /// When finishing fails: that error, with what the destination has. When it works, but a record met an error
    /// before: the first of them, with the destination beside it, which has all that was accepted. Records that were
    /// refused inside of [`with`](SharedWriter::with) are only counted. When the log is finished already:
    /// [`NotConnected`](io::ErrorKind::NotConnected); inside of `with`: [`Deadlock`](io::ErrorKind::Deadlock).
    pub fn finish(&self) -> Result<W, FinishError<W>> {
        let failed = |error| FinishError { error, refused: self.refused(), out: None };
        let mut guard = self.0.lock().ok_or_else(locked).map_err(failed)?;
        let first_error = guard.0.first_error.take();
        let writer = guard.0.writer.take().ok_or_else(finished).map_err(failed)?;
        drop(guard);
        let out = writer.finish().map_err(failed)?;
        match first_error {
            Some(error) => Err(FinishError { error, refused: self.refused(), out: Some(out) }),
            None => Ok(out),
        }
    }
}

fn finished() -> WriteError {
    WriteError::refused(io::ErrorKind::NotConnected, "the log is finished", None)
}

fn locked() -> WriteError {
    let why = "this thread is inside of `SharedWriter::with` already";
    WriteError::refused(io::ErrorKind::Deadlock, why, None)
}

impl<S: Logs<M>, M: LogMessage, W: Write> Sink<M> for SharedWriter<S, W> {
    fn log(&self, message: &M) -> bool {
        let index = <S as Logs<M>>::INDEX;
        let mut guard = self.0.lock();
        let Some(State { writer: Some(writer), first_error }) = guard.as_mut().map(|guard| &mut *guard.0) else {
            self.0.gate().refuse(index, Refused::Ignored);
            return false;
        };
        // A message that is implemented by hand runs its own code here, so the counts aren't locked yet.
        let payload = message.wire();
        let Ok(due) = self.0.gate().admit(index, <S as Logs<M>>::RATE, payload) else { return false };
        let error = writer.write(message).err();
        let is_written = error.is_none();
        *first_error = first_error.take().or(error);
        let mut gate = self.0.gate();
        match is_written {
            true => {
                gate.count(index, |tally| tally.written = tally.written.wrapping_add(1));
                gate.charge(due);
            }
            false => gate.refuse(index, Refused::Full),
        }
        is_written
    }
}

impl<S: LogSchema, W: Write> Clone for SharedWriter<S, W> {
    fn clone(&self) -> Self {
        SharedWriter(Arc::clone(&self.0))
    }
}

impl<S: LogSchema, W: Write> fmt::Debug for SharedWriter<S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let guard = self.0.lock();
        f.debug_struct("SharedWriter")
            .field("writer", &guard.as_ref().map(|guard| &guard.0.writer))
            .field("refused", &self.refused())
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "derive"))]
mod tests {
    use super::*;
    use crate::declare::messages::Ev;

    #[derive(binlog_derive::LogSchema)]
    #[log(crate = "crate")]
    enum TestLog {
        Ev(Ev),
    }

    /// A destination that takes this number of bytes.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn write_returns_the_error_to_its_caller_only() {
        let out = Full(TestLog::PREAMBLE.len() + 255);
        let log = LogWriter::<TestLog, _>::with_buffer(vec![0; 255], out).expect("the preamble fits").into_shared();
        let event = Ev { time_us: 0, id: 10 };
        let error = (0..100).find_map(|_| log.write(&event).err()).expect("the destination is full");
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
        assert_eq!(log.tally::<Ev>(), Tally::default());
        assert_eq!(log.refused(), 0);
    }
}
