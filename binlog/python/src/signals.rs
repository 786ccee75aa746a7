//! Ctrl-C, while the module works for long without Python.

use pyo3::prelude::*;
use std::time::{Duration, Instant};

/// Python is asked no more often than this: each time waits for a thread that runs Python.
const INTERVAL: Duration = Duration::from_millis(50);

/// When Python was last asked for signals.
pub struct Signals(Instant);

impl Signals {
    /// Begins a long work.
    pub fn new() -> Self {
        Signals(Instant::now())
    }

    /// Runs the handlers of signals that came in. One that raises an exception ends the work, as Ctrl-C does.
    pub fn check(&mut self) -> PyResult<()> {
        if self.0.elapsed() < INTERVAL {
            return Ok(());
        }
        self.0 = Instant::now();
        Python::attach(|py| py.check_signals())
    }
}
