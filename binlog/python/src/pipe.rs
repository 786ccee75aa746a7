//! A log from a pipe or a device. Python reads it, so that Ctrl-C ends the wait for a writer or for bytes.

use crate::errors::io_error;
use crate::names::one_line;
use binlog::{AnyLog, LogFormat};
use pyo3::exceptions::{PyMemoryError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::Path;

/// How many bytes are read at once.
const CHUNK: usize = 1 << 20;

/// A log begins within these bytes. `/dev/zero` has no end.
const BEGINNING: usize = 64 << 20;

/// A longer log has to be a file.
const LONGEST: u64 = 4 << 30;

/// Reads a log to its end.
pub fn read(py: Python<'_>, path: &Path) -> PyResult<AnyLog<'static>> {
    let file = py.import("io")?.getattr("FileIO")?.call1((path,))?;
    let bytes = bytes(&file, path);
    file.call_method0("close")?;
    let bytes = bytes?;
    py.detach(|| AnyLog::from_bytes(bytes)).map_err(|error| io_error("read", path, &error.into()))
}

/// The bytes to the end, or those in which no log begins.
fn bytes(file: &Bound<'_, PyAny>, path: &Path) -> PyResult<Vec<u8>> {
    let py = file.py();
    let mut bytes = Vec::new();
    let mut is_log = false;
    loop {
        py.check_signals()?;
        let chunk = file.call_method1("read", (CHUNK,))?.cast_into::<PyBytes>()?;
        let chunk = chunk.as_bytes();
        if chunk.is_empty() {
            return Ok(bytes);
        }
        let room = bytes.try_reserve(chunk.len());
        room.map_err(|_| PyMemoryError::new_err("the log doesn't fit into memory; write it to a file, and map it"))?;
        bytes.extend_from_slice(chunk);
        if !is_log && bytes.len() >= BEGINNING {
            is_log = py.detach(|| LogFormat::of(&bytes)).is_some();
            if !is_log {
                return Ok(bytes);
            }
        }
        if bytes.len() as u64 > LONGEST {
            let shown = one_line(&path.display().to_string());
            let text = format!("{shown} has more than {LONGEST} bytes, and isn't a file; write it to one");
            return Err(PyOSError::new_err(text));
        }
    }
}
