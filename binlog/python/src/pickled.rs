//! What pickles, for processes that share work: a log as its path, columns and records as their values.

use crate::blackbox::Blackbox;
use crate::column::{Column, value};
use crate::errors::select_error;
use crate::log::{Opened, opened};
use crate::names::one_line;
use crate::part::Intervals;
use crate::record::Record;
use crate::table::Rows;
use binlog::field::Chars;
use binlog::log::{ColumnSchema, Kind, TableSchema, Values};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What `__reduce__` returns: a function of this module and its arguments.
pub type Pickled<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

/// The starts and ends of intervals.
type Ends = Vec<(u64, u64)>;

fn pickled<'py>(
    py: Python<'py>,
    function: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Pickled<'py>> {
    let function = py.import("binlog._binlog")?.getattr(function)?;
    Ok((function, arguments.into_pyobject(py)?))
}

/// A log, as the arguments with which it was opened, and its intervals if it is a part. One that came through a pipe is
/// an error.
pub fn log<'py>(py: Python<'py>, opened: &Opened, part: Option<(&str, &[Intervals])>) -> PyResult<Pickled<'py>> {
    if opened.is_pipe {
        let text = format!(
            "{} doesn't pickle: it can't be read again where it arrives; write it to a file and open that",
            one_line(&opened.name())
        );
        return Err(PyTypeError::new_err(text));
    }
    let part = part.map(|(name, boots)| {
        let ends = |intervals: &Intervals| intervals.iter().map(|times| (times.start, times.end)).collect();
        (name.to_owned(), boots.iter().map(ends).collect::<Vec<Ends>>())
    });
    pickled(py, "_log", (opened.path.as_os_str(), opened.scaling(), opened.map, part))
}

#[pyfunction]
pub fn _log<'py>(
    py: Python<'py>,
    path: PathBuf,
    scaling: &str,
    map: bool,
    part: Option<(String, Vec<Ends>)>,
) -> PyResult<Bound<'py, PyAny>> {
    let part = part.map(|(name, boots)| {
        let intervals = |ends: Ends| ends.into_iter().map(|(start, end)| start..end).collect();
        (name, boots.into_iter().map(intervals).collect())
    });
    opened(py, Opened::new(path, scaling, map)?, part, false)
}

/// A session, as its log and its number.
pub fn session<'py>(py: Python<'py>, log: &Py<Blackbox>, number: usize) -> PyResult<Pickled<'py>> {
    pickled(py, "_session", (log, number))
}

#[pyfunction]
pub fn _session<'py>(log: &Bound<'py, Blackbox>, number: usize) -> PyResult<Bound<'py, PyAny>> {
    log.getattr("sessions")?.get_item(number)
}

/// What a column is: label, kind, unit, scale, multiplier, description, and the names of values and bits.
type OfColumn = (String, String, String, f64, Option<f64>, String, BTreeMap<i128, String>, BTreeMap<i128, String>);

fn of_column(schema: &ColumnSchema) -> OfColumn {
    let ColumnSchema { label, kind, unit, scale, multiplier, description, values, bits, .. } = schema.clone();
    (label, format!("{kind:?}"), unit, scale, multiplier, description, values, bits)
}

/// Values of a kind, as [`plain`] has them.
fn values_of(kind: &str, values: &Bound<'_, PyAny>) -> PyResult<(Kind, Values)> {
    let texts = || Ok::<_, PyErr>(values.extract::<Vec<[u8; 64]>>()?.into_iter().map(Chars::from_raw).collect());
    Ok(match kind {
        "I8" => (Kind::I8, Values::I8(values.extract::<Vec<_>>()?.into())),
        "U8" => (Kind::U8, Values::U8(values.extract::<Vec<_>>()?.into())),
        "I16" => (Kind::I16, Values::I16(values.extract::<Vec<_>>()?.into())),
        "U16" => (Kind::U16, Values::U16(values.extract::<Vec<_>>()?.into())),
        "I32" => (Kind::I32, Values::I32(values.extract::<Vec<_>>()?.into())),
        "U32" => (Kind::U32, Values::U32(values.extract::<Vec<_>>()?.into())),
        "I64" => (Kind::I64, Values::I64(values.extract::<Vec<_>>()?.into())),
        "U64" => (Kind::U64, Values::U64(values.extract::<Vec<_>>()?.into())),
        "F32" => (Kind::F32, Values::F32(values.extract::<Vec<_>>()?.into())),
        "F64" => (Kind::F64, Values::F64(values.extract::<Vec<_>>()?.into())),
        "Text" => (Kind::Text, Values::Chars64(texts()?)),
        "Bytes" => (Kind::Bytes, Values::Chars64(texts()?)),
        "Samples" => (Kind::Samples, Values::I16x32(values.extract::<Vec<_>>()?.into())),
        kind => return Err(PyValueError::new_err(format!("this version of binlog has no columns of {kind}"))),
    })
}

/// The values of some rows: texts and raw data as bytes of full width, others as Python's.
fn plain<'py>(
    py: Python<'py>,
    values: &Values,
    kind: Kind,
    rows: impl Iterator<Item = usize>,
) -> PyResult<Bound<'py, PyList>> {
    let bytes = |text: &[u8]| {
        let mut whole = [0; 64];
        whole.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
        PyBytes::new(py, &whole).into_any()
    };
    let of_row = |row: usize| {
        Ok(match values {
            Values::Chars4(values) => bytes(values[row].raw()),
            Values::Chars16(values) => bytes(values[row].raw()),
            Values::Chars64(values) => bytes(values[row].raw()),
            values => value(py, values, kind, row)?,
        })
    };
    PyList::new(py, rows.map(of_row).collect::<PyResult<Vec<_>>>()?)
}

/// A column.
pub fn column<'py>(py: Python<'py>, schema: &ColumnSchema, values: &Values) -> PyResult<Pickled<'py>> {
    let list = plain(py, values, schema.kind, 0..values.len())?;
    pickled(py, "_column", (of_column(schema), list))
}

#[pyfunction]
pub fn _column(of_column: OfColumn, values: &Bound<'_, PyAny>) -> PyResult<Column> {
    let (label, kind, unit, scale, multiplier, description, names, bits) = of_column;
    let (kind, values) = values_of(&kind, values)?;
    let mut schema = ColumnSchema::new(label, kind);
    (schema.unit, schema.scale, schema.multiplier, schema.description) = (unit, scale, multiplier, description);
    (schema.values, schema.bits) = (names, bits);
    Ok(Column::new(Arc::new(values), schema))
}

/// A record: its type, its time, and the label, the kind and the value of each column.
pub fn record<'py>(py: Python<'py>, rows: &Rows, row: usize) -> PyResult<Pickled<'py>> {
    let mut columns = Vec::new();
    for (place, schema) in rows.schema.columns.iter().enumerate() {
        let values = rows.column(place).map_err(select_error)?;
        columns.push((&*schema.label, format!("{:?}", schema.kind), plain(py, values, schema.kind, row..row + 1)?));
    }
    let time_us = rows.times_us().get(row).copied();
    pickled(py, "_record", (&*rows.schema.name, time_us, columns))
}

#[pyfunction]
pub fn _record(
    name: String,
    time_us: Option<u64>,
    columns: Vec<(String, String, Bound<'_, PyAny>)>,
) -> PyResult<Record> {
    let mut schema = TableSchema::new(name);
    let mut all = Vec::new();
    for (label, kind, values) in columns {
        let (kind, values) = values_of(&kind, &values)?;
        schema.columns.push(ColumnSchema::new(label, kind));
        all.push(values);
    }
    Ok(Record::new(Arc::new(Rows::of_values(schema, time_us.into_iter().collect(), all)), 0))
}
