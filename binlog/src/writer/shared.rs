//! One writer for several threads.

use super::{LogWriter, WriteError};
use crate::{LogMessage, LogSchema, Logs, Sink};
use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{error, fmt};

/// A handle to a [`LogWriter`] that may be cloned and shared between threads.
///
/// As a [`Sink`] it tells of each record whether it was accepted; it counts what was refused and keeps the first error
/// for [`finish`](SharedWriter::finish).
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
/// log.with(|log| log.text(0, "what is more than one record"))?;
/// let bytes = log.finish()?;
/// # assert_eq!(binlog::Records::new(&bytes).flatten().filter(|record| record.name() == "EV").count(), 4);
/// # Ok::<(), binlog::WriteError>(())
/// ```
pub struct SharedWriter<S: LogSchema, W: Write>(Arc<Shared<S, W>>);

struct Shared<S: LogSchema, W: Write> {
    state: Mutex<State<S, W>>,
    /// Apart from the state, because what a thread logs while it has the state is refused too.
    refused: AtomicU64,
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
        // Where the thread ends and its list is gone already, it is inside of nothing.
        if LOCKED.try_with(|locked| locked.borrow().contains(&address)).unwrap_or(false) {
            return None;
        }
        // A writer is as good after a panic elsewhere as before, and looks after its own destination's.
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = LOCKED.try_with(|locked| locked.borrow_mut().push(address));
        Some(Guard(state))
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
        SharedWriter(Arc::new(Shared { state, refused: AtomicU64::new(0) }))
    }

    /// Does something with the writer, for what is more than one record: texts, parameters, flushing.
    ///
    /// Other threads wait meanwhile. An error is the caller's: `finish` doesn't tell it again.
    ///
    /// # Errors
    ///
    /// The error of `action`; [`NotConnected`](io::ErrorKind::NotConnected) when the log is finished;
    /// [`Deadlock`](io::ErrorKind::Deadlock) inside of another `with`.
    pub fn with<T>(&self, action: impl FnOnce(&mut LogWriter<S, W>) -> Result<T, WriteError>) -> Result<T, WriteError> {
        let mut guard = self.0.lock().ok_or_else(locked)?;
        action(guard.0.writer.as_mut().ok_or_else(finished)?)
    }

    /// Records that were not accepted: for want of a working destination, because the log was finished, or because the
    /// thread was inside of [`with`](SharedWriter::with).
    pub fn refused(&self) -> u64 {
        self.0.refused.load(Ordering::Relaxed)
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
    let error = io::Error::new(io::ErrorKind::NotConnected, "the log is finished");
    WriteError::new(error, None, Default::default())
}

fn locked() -> WriteError {
    let error = io::Error::new(io::ErrorKind::Deadlock, "this thread is inside of `SharedWriter::with` already");
    WriteError::new(error, None, Default::default())
}

impl<S: Logs<M>, M: LogMessage, W: Write> Sink<M> for SharedWriter<S, W> {
    fn log(&self, message: &M) -> bool {
        if let Some(mut guard) = self.0.lock() {
            let state = &mut *guard.0;
            match state.writer.as_mut().map(|writer| writer.write(message)) {
                Some(Ok(())) => return true,
                Some(Err(error)) => drop(state.first_error.get_or_insert(error)),
                None => {}
            }
        }
        self.0.refused.fetch_add(1, Ordering::Relaxed);
        false
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

/// Why a shared log has not all that was to be logged.
///
/// It converts into the [`WriteError`] in it, and into an [`io::Error`], so that `?` works.
pub struct FinishError<W> {
    /// What went wrong.
    pub error: WriteError,
    /// Records that were not accepted.
    pub refused: u64,
    /// The destination, if it has all records that were accepted.
    pub out: Option<W>,
}

impl<W> fmt::Display for FinishError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        if self.refused > 0 {
            write!(f, "; {} records were refused", self.refused)?;
        }
        Ok(())
    }
}

impl<W> fmt::Debug for FinishError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FinishError")
            .field("error", &self.error)
            .field("refused", &self.refused)
            .finish_non_exhaustive()
    }
}

impl<W> error::Error for FinishError<W> {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&self.error)
    }
}

impl<W> From<FinishError<W>> for WriteError {
    fn from(error: FinishError<W>) -> Self {
        error.error
    }
}

impl<W> From<FinishError<W>> for io::Error {
    fn from(error: FinishError<W>) -> Self {
        error.error.into()
    }
}
