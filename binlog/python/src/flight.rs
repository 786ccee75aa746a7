//! The facts of a flight: modes, texts, damage.

use crate::names::one_line;
use pyo3::prelude::*;

/// An interval of the flight in one mode.
#[pyclass(frozen, get_all, eq, module = "binlog")]
#[derive(PartialEq)]
pub struct Mode {
    /// The mode's name; None if nobody says it.
    pub name: Option<String>,
    /// Its number in the vehicle's list; None if the log has names only.
    pub number: Option<u8>,
    /// Where it begins, in seconds since boot.
    pub start: f64,
    /// Where it ends, in seconds since boot.
    pub end: f64,
}

#[pymethods]
impl Mode {
    #[new]
    fn new(name: Option<String>, number: Option<u8>, start: f64, end: f64) -> Self {
        Mode { name, number, start, end }
    }

    /// For pickle.
    fn __getnewargs__(&self) -> (Option<&str>, Option<u8>, f64, f64) {
        (self.name.as_deref(), self.number, self.start, self.end)
    }

    fn __repr__(&self) -> String {
        let name = match (&self.name, self.number) {
            (Some(name), _) => one_line(name),
            (None, Some(number)) => format!("mode {number}"),
            (None, None) => "a mode".to_owned(),
        };
        format!("<{name} from {:.3} s to {:.3} s>", self.start, self.end)
    }
}

/// A text of the log for people.
#[pyclass(frozen, get_all, eq, module = "binlog")]
#[derive(PartialEq)]
pub struct Message {
    /// When it was logged, in seconds since boot.
    pub time: f64,
    /// The text.
    pub text: String,
}

#[pymethods]
impl Message {
    #[new]
    fn new(time: f64, text: String) -> Self {
        Message { time, text }
    }

    /// For pickle.
    fn __getnewargs__(&self) -> (f64, &str) {
        (self.time, &self.text)
    }

    fn __repr__(&self) -> String {
        format!("<{:.3} s: {}>", self.time, one_line(&self.text))
    }

    fn __str__(&self) -> &str {
        &self.text
    }
}

/// Bytes of the log outside of records; of a text log, a line that can't be read, or not as a whole.
#[pyclass(frozen, get_all, eq, module = "binlog")]
#[derive(PartialEq)]
pub struct Damage {
    /// Where they begin, in bytes from the start of the log; of a text log, where the record would be in the binary
    /// one.
    pub offset: usize,
    /// How many they are.
    pub length: usize,
    /// Why they aren't a record.
    pub reason: String,
}

#[pymethods]
impl Damage {
    #[new]
    fn new(offset: usize, length: usize, reason: String) -> Self {
        Damage { offset, length, reason }
    }

    /// For pickle.
    fn __getnewargs__(&self) -> (usize, usize, &str) {
        (self.offset, self.length, &self.reason)
    }

    fn __repr__(&self) -> String {
        format!("<{} bytes at {}: {}>", self.length, self.offset, one_line(&self.reason))
    }
}

/// Seconds of a time in microseconds.
pub fn seconds(time_us: u64) -> f64 {
    time_us as f64 / 1e6
}
