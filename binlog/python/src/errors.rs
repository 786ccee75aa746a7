//! The library's errors as Python's.

use binlog::arrow::ArrowError;
use binlog::log::{OpenError, SelectError};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::{PyErr, create_exception};
use std::io;

create_exception!(
    binlog,
    DamagedLog,
    PyValueError,
    "The log is damaged, and `open` was asked to refuse such logs. `damage` of a log that was opened says where."
);

/// `FileNotFoundError` and the like. The text names the file.
pub fn open_error(error: OpenError) -> PyErr {
    io::Error::from(error).into()
}

/// A name that the log doesn't have is a `KeyError`, whose text has the names that were meant.
pub fn select_error(error: SelectError) -> PyErr {
    match error {
        SelectError::NoLog { .. } => PyValueError::new_err(error.to_string()),
        SelectError::Redefined { name, label } => PyValueError::new_err(format!(
            "the log redefines {name}.{label} with another format, unit or multiplier; log.records(\"{name}\") has all \
             its records"
        )),
        _ => PyKeyError::new_err(error.to_string()),
    }
}

/// What Arrow can't carry: texts of more than 2 GiB.
pub fn arrow_error(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
