//! The library's errors as Python's.

use crate::names::{hint, hint_of, one_line};
use binlog::arrow::ArrowError;
use binlog::log::{OpenError, SelectError};
use pyo3::create_exception;
use pyo3::exceptions::{PyFileNotFoundError, PyKeyError, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

create_exception!(
    binlog,
    DamagedLog,
    PyValueError,
    "The log is damaged, and `open` was asked to refuse such logs. `damage` of a log that was opened says where."
);

/// `FileNotFoundError` and the like, with `errno` and `filename`; of a file that isn't a log an `OSError` that says so.
pub fn open_error(error: OpenError) -> PyErr {
    let shown = one_line(&error.path().display().to_string());
    if let Some(number) = error.raw_os_error() {
        return system_error(number, error.path());
    }
    match error.kind() {
        // The number that all systems have in C's `errno.h`.
        ErrorKind::IsADirectory => PyOSError::new_err((21, "Is a directory", error.path().as_os_str().to_owned())),
        ErrorKind::OutOfMemory => PyMemoryError::new_err(format!("{shown} doesn't fit into memory; pass map=True")),
        ErrorKind::Unsupported => {
            PyOSError::new_err(format!("can't map {shown}: it isn't a regular file; open it without map=True"))
        }
        kind => io::Error::new(kind, one_line(&error.to_string())).into(),
    }
}

/// The same for a file that is read or written in another way, with what can't be done where the system has no number.
pub fn io_error(what: &str, path: &Path, error: &io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(number) => system_error(number, path),
        None => {
            let text = format!("can't {what} {}: {error}", path.display());
            io::Error::new(error.kind(), one_line(&text)).into()
        }
    }
}

/// An error of the system, by its number.
fn system_error(number: i32, path: &Path) -> PyErr {
    let text = io::Error::from_raw_os_error(number).to_string();
    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
    // On Windows, Python finds its own number for that of the system.
    let (number, of_windows) = if cfg!(windows) { (0, Some(number)) } else { (number, None) };
    PyOSError::new_err((number, text, path.as_os_str().to_owned(), of_windows))
}

/// A name that the log doesn't have is a `KeyError`, whose text has the names that may have been meant.
pub fn select_error(error: SelectError) -> PyErr {
    PyKeyError::new_err(match error {
        SelectError::NoLog { .. } => return PyValueError::new_err(error.to_string()),
        SelectError::Redefined { name, label } => {
            let column = one_line(&format!("{name}.{label}"));
            return PyValueError::new_err(format!(
                "the log redefines {column} with another format, unit or multiplier; log.records(\"{}\") has all its \
                 records",
                one_line(&name)
            ));
        }
        SelectError::NoType { name, .. } if name.contains('.') => {
            format!("`{name}` isn't a type; a column is log[\"{name}\"]")
        }
        SelectError::NoType { name, .. } if name.contains('[') => {
            format!("the log has no type `{name}`; an instance is written as IMU[1]")
        }
        SelectError::NoType { name, known } => format!("the log has no type `{name}`; {}", hint(&name, &known)),
        SelectError::NoColumn { name, label, known } => {
            format!("{name} has no column `{label}`; {}", hint(&label, &known))
        }
        SelectError::NoInstances { name } => format!("{name} has no instances: {name} itself has all records"),
        error => error.to_string(),
    })
}

/// What Arrow can't carry: texts of more than 2 GiB.
pub fn arrow_error(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What a mapping's `get` returns: the default in place of a `KeyError`.
pub fn or_default<'py>(
    found: PyResult<Bound<'py, PyAny>>,
    default: Option<Bound<'py, PyAny>>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    match found {
        Err(error) if error.is_instance_of::<PyKeyError>(py) => Ok(default.unwrap_or_else(|| py.None().into_bound(py))),
        found => found,
    }
}

/// What happens with a log of a fleet that can't be read, or that contradicts the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// It is an error, whose text names the log.
    Raise,
    /// It is left out, and listed with the reason.
    Skip,
}

impl OnError {
    /// By its name in Python.
    pub fn of(name: &str) -> PyResult<Self> {
        match name {
            "raise" => Ok(OnError::Raise),
            "skip" => Ok(OnError::Skip),
            _ => Err(PyValueError::new_err(format!("on_error is \"raise\" or \"skip\", not \"{name}\""))),
        }
    }
}

/// Why a log, or several, can't be read as one table.
#[derive(Debug)]
pub enum FleetError {
    /// A log can't be read, or isn't one.
    Open(OpenError),
    /// A file or a folder can't be looked at.
    Find(PathBuf, io::Error),
    /// There is no log.
    NoLog(String),
    /// A name that no log has.
    Key(String),
    /// Anything else.
    Value(String),
    /// Python's own: that of Ctrl-C.
    Raised(PyErr),
}

impl FleetError {
    /// What is wrong in a log.
    pub fn in_log(log: &str, error: impl fmt::Display) -> Self {
        FleetError::Value(format!("{log}: {error}"))
    }

    /// A name that no log has, with the one that was meant, or with those that there are.
    pub fn no_name(what: impl fmt::Display, name: &str, mut known: Vec<String>) -> Self {
        known.sort_unstable();
        known.dedup();
        FleetError::Key(format!("no log has {what}; {}", hint_of("they have", name, &known)))
    }
}

impl fmt::Display for FleetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names of files and of logs' types may have any character.
        f.write_str(&one_line(&match self {
            FleetError::Open(error) => error.to_string(),
            FleetError::Find(path, error) => format!("can't read {}: {error}", path.display()),
            FleetError::NoLog(text) | FleetError::Key(text) | FleetError::Value(text) => text.clone(),
            FleetError::Raised(error) => ended_by(error),
        }))
    }
}

impl From<OpenError> for FleetError {
    fn from(error: OpenError) -> Self {
        FleetError::Open(error)
    }
}

/// What is said of a work that a signal's handler ended by this exception.
pub fn ended_by(raised: &PyErr) -> String {
    format!("a signal ended it: {}", raised.to_string().trim_end_matches(": "))
}

impl From<FleetError> for PyErr {
    fn from(error: FleetError) -> Self {
        let text = error.to_string();
        match error {
            FleetError::Open(error) => open_error(error),
            FleetError::Find(path, error) => io_error("read", &path, &error),
            FleetError::NoLog(_) => PyFileNotFoundError::new_err(text),
            FleetError::Key(_) => PyKeyError::new_err(text),
            FleetError::Value(_) => PyValueError::new_err(text),
            FleetError::Raised(error) => error,
        }
    }
}

/// The logs that were left out, with the reason.
#[derive(Clone, Default)]
pub struct Skipped(BTreeMap<String, String>);

impl Skipped {
    /// Lists a log, or fails.
    pub fn add(&mut self, log: String, error: FleetError, on_error: OnError) -> Result<(), FleetError> {
        match on_error {
            OnError::Raise => Err(error),
            OnError::Skip => {
                self.0.insert(log, error.to_string());
                Ok(())
            }
        }
    }

    /// Whether none was left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The end of an error: some of the logs, with the reasons. Empty if none was left out.
    pub fn listed(&self) -> String {
        const LISTED: usize = 4;
        let listed: Vec<String> = self.0.iter().take(LISTED).map(|(log, reason)| format!("{log} ({reason})")).collect();
        match self.0.len() {
            0 => String::new(),
            1..=LISTED => format!("; left out: {}", listed.join(", ")),
            more => format!("; left out: {} and {} more", listed.join(", "), more - LISTED),
        }
    }

    /// By the ids of the logs.
    pub fn by_log(&self) -> &BTreeMap<String, String> {
        &self.0
    }
}
