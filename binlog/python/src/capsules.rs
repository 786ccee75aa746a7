//! Arrow's C data interface as Python passes it on: capsules.

use binlog::arrow::{ArrowArrayStream, ArrowColumn, ArrowSchema};
use binlog::log::TableSchema;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::fmt::Display;

/// A table's `__arrow_c_schema__`.
pub fn schema<'py>(py: Python<'py>, schema: &TableSchema) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, ArrowSchema::of_table(schema), c"arrow_schema")
}

/// A table's `__arrow_c_stream__`. The protocol lets a producer leave conversions to the consumer, so that a schema
/// that it requests may be ignored.
pub fn stream<'py, B, E>(py: Python<'py>, schema: TableSchema, batches: B) -> PyResult<Bound<'py, PyCapsule>>
where
    B: IntoIterator<Item = Result<Vec<ArrowColumn>, E>, IntoIter: Send + 'static>,
    E: Display,
{
    PyCapsule::new_with_value(py, ArrowArrayStream::of_tables(schema, batches), c"arrow_array_stream")
}
