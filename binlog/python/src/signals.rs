//! Ctrl-C, while the module works for long without Python.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Python is asked no more often than this: each time waits for a thread that runs Python.
const INTERVAL: Duration = Duration::from_millis(50);

/// When Python was last asked for signals, and the thread that asks.
pub struct Signals {
    asked: Instant,
    thread: ThreadId,
}

impl Signals {
    /// Begins a long work of this thread.
    pub fn new() -> Self {
        Signals { asked: Instant::now(), thread: thread::current().id() }
    }

    /// Runs the handlers of signals that came in. One that raises an exception ends the work, as Ctrl-C does. Another
    /// thread asks nothing: it may belong to an engine for which Python waits.
    pub fn check(&mut self) -> PyResult<()> {
        if self.asked.elapsed() < INTERVAL || self.thread != thread::current().id() {
            return Ok(());
        }
        self.asked = Instant::now();
        Python::attach(|py| py.check_signals())
    }
}

/// Makes Ctrl-C come again if this is the exception that it raised. An engine raises an error of its own for it, which
/// `except OSError` would take for a log that can't be read.
pub fn again(raised: &PyErr) {
    Python::attach(|py| {
        if raised.is_instance_of::<PyKeyboardInterrupt>(py) {
            // The engine's error remains.
            let _ = py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main"));
        }
    });
}
