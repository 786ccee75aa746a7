//! A library for programs in other languages: the records of a type as a stream of Arrow batches.
//!
//! ```console
//! $ cargo build --release -p binlog --features arrow --example arrow
//! ```
//!
//! Any language that calls C loads it. In Python, with pyarrow:
//!
//! ```python
//! import ctypes, pyarrow
//!
//! library = ctypes.CDLL("target/release/examples/libarrow.so")
//! stream = ctypes.create_string_buffer(5 * 8)  # struct ArrowArrayStream: five pointers
//! if library.binlog_stream(b"flight.bin", b"ATT", stream) != 0:
//!     raise OSError("no such log, or no such type")
//! table = pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all()
//! ```
#![allow(unsafe_code)]

use binlog::arrow::{ArrowArrayStream, ArrowColumn};
use binlog::log::{Column, Numbers, OwnedRows};
use binlog::{Log, Scaling};
use std::error::Error;
use std::ffi::{CStr, c_char, c_int};
use std::sync::Arc;

/// Records in a batch.
const BATCH: usize = 64 * 1024;

/// Writes a stream of all records of a type to `out`, and returns 0; or else returns 1.
///
/// # Safety
///
/// `path` and `name` are texts of C, and `out` has room for a `struct ArrowArrayStream`, which the caller releases.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn binlog_stream(path: *const c_char, name: *const c_char, out: *mut ArrowArrayStream) -> c_int {
    // SAFETY: as the caller guarantees.
    let [path, name] = [path, name].map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy());
    match stream(&path, &name) {
        Ok(stream) => {
            // SAFETY: as the caller guarantees.
            unsafe { out.write(stream) };
            0
        }
        Err(_) => 1,
    }
}

/// The records of a type, batch by batch. The stream keeps the log.
fn stream(path: &str, name: &str) -> Result<ArrowArrayStream, Box<dyn Error>> {
    let log = Arc::new(Log::open(path)?);
    let rows = OwnedRows::new(log, |log| log.rows(name))?;
    let numbers = Numbers::Scaled(Scaling::Shown);
    let schema = rows.rows().schema(numbers)?;
    let (columns, count) = (schema.columns.clone(), rows.rows().len());
    let batch = move |from: usize| -> Result<Vec<ArrowColumn>, Box<dyn Error>> {
        let labels: Vec<&str> = columns.iter().map(|column| &*column.label).collect();
        let decoded = rows.rows().slice(from..from + BATCH).columns(&labels, numbers)?;
        let decoded = decoded.into_iter().map(Column::into_values);
        Ok(columns
            .iter()
            .zip(decoded)
            .map(|(column, values)| ArrowColumn::new(column.kind, values))
            .collect::<Result<_, _>>()?)
    };
    Ok(ArrowArrayStream::of_tables(schema, (0..count).step_by(BATCH).map(batch)))
}
