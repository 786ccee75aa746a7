//! Many logs as one table, one log in memory at a time.

use crate::capsules;
use crate::chosen::{Chosen, Part};
use crate::errors::{FleetError, OnError};
use crate::html;
use crate::log::numbers_of;
use crate::members::{self, Member};
use crate::names::one_line;
use crate::stream::{self, SharedSkipped};
use binlog::arrow::ArrowColumn;
use binlog::log::{ColumnSchema, Kind, TableSchema, Values};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyString, PyTuple};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

const LOG_ID: &str = "log_id";
const SESSION: &str = "session";

/// The columns that every type has, as in a data set of Parquet.
const OWN: [&str; 2] = [LOG_ID, SESSION];

/// The logs of a folder, or these logs, as one table of a type, with the columns `log_id` and `session` (the number of
/// the boot or session in the log, from 1) before those of the type. With `columns`, `session` is there if it is named.
///
/// The table has each column that any log has, in a type that holds the values of all; where a log lacks one, it is
/// null. Logs without the type have no row. The logs are read once for their columns here, by all processors, unless
/// that was done before and they haven't changed, and once for each stream of values. One of them is in memory at a
/// time, here several, if they have less than 256 MiB together.
///
/// A log that can't be read, or that contradicts the others, is an error that names it. With `on_error="skip"` it is
/// left out, and `skipped` has the reason. Empty files are skipped in any case, and texts that end in .log or .txt.
#[pyfunction]
#[pyo3(signature = (logs, name, *, columns = None, scaling = "shown", on_error = "raise"))]
pub fn fleet(
    py: Python<'_>,
    logs: &Bound<'_, PyAny>,
    name: String,
    columns: Option<&Bound<'_, PyAny>>,
    scaling: &str,
    on_error: &str,
) -> PyResult<Fleet> {
    let (numbers, on_error) = (numbers_of(scaling)?, OnError::of(on_error)?);
    let paths = paths_of(logs)?;
    let columns = columns.map(columns_of).transpose()?;
    let chosen = Chosen { name: name.into(), columns, numbers, own: &OWN };
    let fleet = py.detach(|| {
        let (mut logs, mut skipped) = members::find(&paths, on_error)?;
        let schema = chosen.union(&mut logs, on_error, &mut skipped)?;
        Ok::<_, FleetError>(Fleet {
            core: Arc::new(Core { logs: logs.into(), chosen, schema, on_error }),
            skipped: SharedSkipped::new(skipped),
        })
    });
    Ok(fleet?)
}

/// A path, or several.
fn paths_of(logs: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    match logs.extract::<PathBuf>() {
        Ok(path) => Ok(vec![path]),
        Err(_) => items(logs, "logs is a path, or a list of paths: \"logs/\", [\"a.bin\", \"b.bin\"]"),
    }
}

/// Names of columns. One name by itself has letters, which aren't columns.
fn columns_of(columns: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    items(columns, "columns is a list of names: columns=[\"Roll\"]")
}

/// The items of a list, or of anything else that has items, such as a generator.
fn items<T: for<'a, 'py> FromPyObject<'a, 'py>>(given: &Bound<'_, PyAny>, taken: &str) -> PyResult<Vec<T>> {
    let wrong =
        |given: &Bound<'_, PyAny>| Ok::<_, PyErr>(PyTypeError::new_err(format!("{taken}, not {}", given.repr()?)));
    let is_one = given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>();
    match given.try_iter() {
        Ok(items) if !is_one => items
            .map(|item| {
                let item = item?;
                item.extract::<T>().or_else(|_| Err(wrong(&item)?))
            })
            .collect(),
        _ => Err(wrong(given)?),
    }
}

/// Many logs as one table of a type. pyarrow, polars and DuckDB take it as a stream of batches, one log after the
/// other.
#[pyclass(frozen, module = "binlog")]
pub struct Fleet {
    core: Arc<Core>,
    skipped: SharedSkipped,
}

/// What the streams of a fleet share.
struct Core {
    logs: Arc<[Member]>,
    chosen: Chosen,
    /// The columns of the logs.
    schema: TableSchema,
    on_error: OnError,
}

impl Core {
    /// The batches of a log.
    fn batches(&self, log: &Member) -> Result<Vec<Vec<ArrowColumn>>, FleetError> {
        let parts = self.chosen.parts(log, self.has_session())?;
        parts.into_iter().map(|part| self.batch(log, &part)).collect()
    }

    fn has_session(&self) -> bool {
        self.chosen.columns.as_ref().is_none_or(|columns| columns.iter().any(|name| name == SESSION))
    }

    /// The values of a part in the columns of the union, after those that every type has.
    fn batch(&self, log: &Member, Part { rows, session }: &Part) -> Result<Vec<ArrowColumn>, FleetError> {
        let in_log = |error: &dyn std::fmt::Display| FleetError::in_log(&log.id, error);
        let columns = &self.schema.columns;
        let places: Vec<Option<usize>> = columns.iter().map(|column| self.chosen.place(rows, &column.label)).collect();
        let present: Vec<usize> = places.iter().copied().flatten().collect();
        let mut values = rows.columns(&present).map_err(|error| in_log(&error))?.into_iter();
        let mut batch = vec![ArrowColumn::one_text(&log.id, rows.len()).map_err(|error| in_log(&error))?];
        if self.has_session() {
            let sessions = Arc::new(Values::I32(vec![*session; rows.len()].into()));
            batch.push(ArrowColumn::new(Kind::I32, sessions).map_err(|error| in_log(&error))?);
        }
        for (column, place) in columns.iter().zip(places) {
            batch.push(match place.and_then(|_| values.next()) {
                None => ArrowColumn::nulls(column.kind, rows.len()),
                Some(values) => ArrowColumn::new(column.kind, values)
                    .map_err(|error| in_log(&format_args!("it has changed: {}: {error}", column.label)))?,
            });
        }
        Ok(batch)
    }
}

impl Fleet {
    /// The columns with those that every type has before them.
    fn schema(&self) -> TableSchema {
        let mut schema = self.core.schema.clone();
        let own = [(LOG_ID, Kind::Text), (SESSION, Kind::I32)].map(|(name, kind)| ColumnSchema::new(name, kind));
        schema.columns.splice(0..0, own.into_iter().take(1 + usize::from(self.core.has_session())));
        schema
    }

    fn title(&self) -> String {
        let (name, logs, skipped) = (&self.core.chosen.name, self.core.logs.len(), self.skipped().len());
        let s = if logs == 1 { "" } else { "s" };
        let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
        format!("{name} of {logs} log{s}{skipped}")
    }
}

#[pymethods]
impl Fleet {
    /// The ids of the logs: their paths, from the folder if one folder was given.
    #[getter]
    fn logs(&self) -> Vec<&str> {
        self.core.logs.iter().map(|log| &*log.id).collect()
    }

    /// The files that were left out, with the reason. A stream adds those that it can't read.
    #[getter]
    fn skipped(&self) -> BTreeMap<String, String> {
        self.skipped.by_log()
    }

    /// The labels of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema().columns.into_iter().map(|column| column.label).collect()
    }

    /// The unit of each column that has one.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let units = PyDict::new(py);
        for column in self.core.schema.columns.iter().filter(|column| !column.unit.is_empty()) {
            units.set_item(&column.label, &column.unit)?;
        }
        Ok(units)
    }

    /// What it is in Arrow's types.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::schema(py, &self.schema())
    }

    /// The values for Arrow: batches of one log after the other, which is read when its first batch is asked for.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let core = self.core.clone();
        let of_log = move |log: &Member| core.batches(log);
        let batches = stream::batches(self.core.logs.clone(), self.core.on_error, self.skipped.clone(), of_log);
        capsules::stream(py, self.schema(), batches)
    }

    /// An error, because numpy would make one object of it.
    #[pyo3(signature = (*_arguments, **_named))]
    fn __array__(&self, _arguments: &Bound<'_, PyTuple>, _named: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a fleet has columns of several types: polars.DataFrame(fleet), pyarrow.table(fleet) and \
             pyarrow.table(fleet).to_pandas() have all",
        ))
    }

    fn __repr__(&self) -> String {
        one_line(&format!("<{}: {}>", self.title(), self.columns().join(", ")))
    }

    fn _repr_html_(&self) -> String {
        let schema = self.schema();
        let column = |column: ColumnSchema| {
            vec![column.label, format!("{:?}", column.kind).to_lowercase(), column.unit, column.description]
        };
        let skipped = self.skipped();
        let mut html = html::table(
            &self.title(),
            &["column", "type", "unit", "description"],
            schema.columns.into_iter().map(column),
        );
        if !skipped.is_empty() {
            let rows = skipped.into_iter().map(|(log, reason)| vec![log, reason]);
            html += &html::table("Skipped", &["log", "reason"], rows);
        }
        html
    }
}
