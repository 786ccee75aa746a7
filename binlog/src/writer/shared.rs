//! One writer for several threads.

use super::{LogWriter, WriteError};
use crate::{LogMessage, LogSchema, Logs, Sink};
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A handle to a [`LogWriter`] that may be cloned and shared between threads.
///
/// As a [`Sink`] it tells of each record whether it was accepted; it keeps the first error for
/// [`finish`](SharedWriter::finish) and counts what was refused.
///
/// ```
/// use binlog::{LogSchema, LogWriter, Sink, messages::Ev};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Ev(Ev),
/// }
///
/// let log = LogWriter::<FlightLog, _>::new(Vec::new())?.into_shared();
/// std::thread::scope(|threads| {
///     for id in 0..4 {
///         let log = log.clone();
///         threads.spawn(move || assert!(log.log(&Ev { time_us: 0, id })));
///     }
/// });
/// log.with(|log| log.flush())?;
/// let bytes = log.finish()?;
/// # assert_eq!(binlog::Records::new(&bytes).flatten().filter(|record| record.name() == "EV").count(), 4);
/// # Ok::<(), binlog::WriteError>(())
/// ```
pub struct SharedWriter<S: LogSchema, W: Write>(Arc<Mutex<State<S, W>>>);

struct State<S: LogSchema, W: Write> {
    /// `None` once it is finished.
    writer: Option<LogWriter<S, W>>,
    first_error: Option<WriteError>,
    refused: u64,
}

impl<S: LogSchema, W: Write> SharedWriter<S, W> {
    pub(super) fn new(writer: LogWriter<S, W>) -> Self {
        SharedWriter(Arc::new(Mutex::new(State { writer: Some(writer), first_error: None, refused: 0 })))
    }

    /// A writer is as good after a panic elsewhere as before: it looks after its own destination's.
    fn lock(&self) -> MutexGuard<'_, State<S, W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the writer, for what is more than one record: texts, parameters, flushing.
    ///
    /// # Errors
    ///
    /// The error of `action`, and [`NotConnected`](io::ErrorKind::NotConnected) when the log is finished.
    pub fn with<T>(&self, action: impl FnOnce(&mut LogWriter<S, W>) -> Result<T, WriteError>) -> Result<T, WriteError> {
        match &mut self.lock().writer {
            Some(writer) => action(writer),
            None => Err(finished()),
        }
    }

    /// Records that were not accepted, for want of a working destination or because the log was finished.
    pub fn refused(&self) -> u64 {
        self.lock().refused
    }

    /// Finishes the log for all handles and gives the destination back.
    ///
    /// # Errors
    ///
    /// The first error that a record met, or else the error of finishing;
    /// [`NotConnected`](io::ErrorKind::NotConnected) when the log is finished already.
    pub fn finish(&self) -> Result<W, WriteError> {
        let mut state = self.lock();
        let first_error = state.first_error.take();
        let finished = state.writer.take().ok_or_else(finished)?.finish();
        match first_error {
            Some(error) => Err(error),
            None => finished,
        }
    }
}

fn finished() -> WriteError {
    let error = io::Error::new(io::ErrorKind::NotConnected, "the log is finished");
    WriteError::new(error, None, Default::default())
}

impl<S: Logs<M>, M: LogMessage, W: Write> Sink<M> for SharedWriter<S, W> {
    fn log(&self, message: &M) -> bool {
        let mut state = self.lock();
        let error = match state.writer.as_mut().map(|writer| writer.write(message)) {
            Some(Ok(())) => return true,
            Some(Err(error)) => Some(error),
            None => None,
        };
        state.refused += 1;
        if state.first_error.is_none() {
            state.first_error = error;
        }
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
        let state = self.lock();
        f.debug_struct("SharedWriter")
            .field("writer", &state.writer)
            .field("first_error", &state.first_error)
            .field("refused", &state.refused)
            .finish()
    }
}
