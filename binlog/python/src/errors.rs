//! The library's errors as Python's.

use crate::names::{hint, one_line};
use binlog::arrow::ArrowError;
use binlog::log::{OpenError, SelectError};
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyError, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use std::io::{self, ErrorKind};

create_exception!(
    binlog,
    DamagedLog,
    PyValueError,
    "The log is damaged, and `open` was asked to refuse such logs. `damage` of a log that was opened says where."
);

/// `FileNotFoundError` and the like, with `errno` and `filename`; of a file that isn't a log an `OSError` that says so.
pub fn open_error(error: OpenError) -> PyErr {
    let path = error.path().as_os_str().to_owned();
    let shown = error.path().display();
    if let Some(number) = error.raw_os_error() {
        let text = io::Error::from_raw_os_error(number).to_string();
        let text = text.split(" (os error").next().unwrap_or_default().to_owned();
        // On Windows, Python finds its own number for that of the system.
        let (number, of_windows) = if cfg!(windows) { (0, Some(number)) } else { (number, None) };
        return PyOSError::new_err((number, text, path, of_windows));
    }
    match error.kind() {
        // The number that all systems have in C's `errno.h`.
        ErrorKind::IsADirectory => PyOSError::new_err((21, "Is a directory", path)),
        ErrorKind::OutOfMemory => PyMemoryError::new_err(format!("{shown} doesn't fit into memory; pass map=True")),
        ErrorKind::Unsupported => {
            PyOSError::new_err(format!("can't map {shown}: it isn't a regular file; open it without map=True"))
        }
        _ => io::Error::from(error).into(),
    }
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
