//! Many logs as one table, one log in memory at a time.

use crate::capsules;
use crate::errors::{open_error, select_error};
use crate::log::numbers_of;
use crate::table::{Rows, Source};
use binlog::AnyLog;
use binlog::arrow::ArrowColumn;
use binlog::log::{ColumnSchema, Kind, Numbers, OpenError, OwnedRows, SchemaUnion, SelectError, TableSchema};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The logs of a folder, or these logs, as one table of a type, with the column `log_id` before those of the type.
///
/// The table has each column that any log has, in a type that holds the values of all; where a log lacks one, it is
/// null. Logs without the type have no row. The logs are read once for their columns here, and once for each stream of
/// values; one of them is in memory at a time.
#[pyfunction]
#[pyo3(signature = (logs, name, *, columns = None, scaling = "shown"))]
pub fn fleet(
    py: Python<'_>,
    logs: &Bound<'_, PyAny>,
    name: String,
    columns: Option<Vec<String>>,
    scaling: &str,
) -> PyResult<Fleet> {
    let numbers = numbers_of(scaling)?;
    let paths = match logs.extract::<PathBuf>() {
        Ok(path) => vec![path],
        Err(_) => logs.extract::<Vec<PathBuf>>()?,
    };
    let found = py.detach(|| {
        let mut found = Vec::new();
        paths.iter().try_for_each(|path| find(path, path, &mut found)).map(|()| found)
    });
    let logs = found?;
    let chosen = Chosen { name, columns, numbers };
    let schema = py.detach(|| chosen.schema(&logs)).map_err(FleetError::python)?;
    if let Some(missing) = chosen.columns.iter().flatten().find(|label| schema.column(label).is_none()) {
        let known: Vec<&str> = schema.columns.iter().map(|column| &*column.label).collect();
        let text = format!("no log has a column `{missing}` in {}; they have {}", chosen.name, known.join(", "));
        return Err(PyKeyError::new_err(text));
    }
    Ok(Fleet { logs: Arc::new(logs), chosen: Arc::new(chosen), schema })
}

/// A log and its id: its path from the folder that was given.
struct Member {
    id: String,
    path: PathBuf,
}

/// Extensions of logs, in lower case.
const EXTENSIONS: [&str; 4] = ["bin", "log", "bbl", "bfl"];

/// Finds the logs of a path: the file itself, or those in the folder and its folders, by name. Empty files aren't logs.
fn find(root: &Path, path: &Path, found: &mut Vec<Member>) -> PyResult<()> {
    if path.is_dir() {
        let entries = path.read_dir()?.collect::<Result<Vec<_>, _>>()?;
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        let is_log = |path: &Path| {
            let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
            extension.is_some_and(|extension| EXTENSIONS.contains(&&*extension))
        };
        // A link to a folder may lead back to where it is.
        let is_folder = |path: &Path| path.is_dir() && !path.is_symlink();
        return paths
            .iter()
            .filter(|path| is_folder(path) || is_log(path))
            .try_for_each(|path| find(root, path, found));
    }
    let named = |error: io::Error| io::Error::new(error.kind(), format!("can't read {}: {error}", path.display()));
    if path.metadata().map_err(named)?.len() > 0 {
        let id = path.strip_prefix(root).ok().filter(|id| !id.as_os_str().is_empty()).unwrap_or(path);
        found.push(Member { id: id.to_string_lossy().into_owned(), path: path.to_owned() });
    }
    Ok(())
}

/// The type, its columns, and how numbers are decoded.
struct Chosen {
    name: String,
    columns: Option<Vec<String>>,
    numbers: Numbers,
}

/// Why a log, or several, can't be read as one table.
enum FleetError {
    Open(OpenError),
    Select(SelectError),
    /// With the text for people.
    Other(String),
}

impl FleetError {
    fn python(self) -> PyErr {
        match self {
            FleetError::Open(error) => open_error(error),
            FleetError::Select(error) => select_error(error),
            FleetError::Other(text) => PyValueError::new_err(text),
        }
    }
}

impl fmt::Display for FleetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FleetError::Open(error) => error.fmt(f),
            FleetError::Select(error) => error.fmt(f),
            FleetError::Other(text) => f.write_str(text),
        }
    }
}

impl From<SelectError> for FleetError {
    fn from(error: SelectError) -> Self {
        FleetError::Select(error)
    }
}

impl Chosen {
    /// The records of the type in a log: one part for each definition or session.
    fn parts(&self, log: &Member) -> Result<Vec<Rows>, FleetError> {
        match AnyLog::open(&log.path).map_err(FleetError::Open)? {
            AnyLog::ArduPilot(log) => {
                let rows = OwnedRows::new(Arc::new(log), |log| log.rows(&self.name));
                let rows = match rows {
                    Err(SelectError::NoType { .. } | SelectError::NoInstance { .. }) => return Ok(Vec::new()),
                    rows => rows?,
                };
                Ok(Rows::of_definitions(rows, self.numbers)?)
            }
            AnyLog::Blackbox(log) => {
                let tables = log.tables().into_iter().map(Arc::new).zip(log.sessions());
                let parts = tables.filter_map(|(tables, session)| {
                    let place = tables.tables().iter().position(|table| table.name() == self.name)?;
                    let schema = session.schema(tables.tables()[place].letter(), self.numbers);
                    Some(Rows::of(Source::Blackbox(tables, place), self.numbers, schema))
                });
                Ok(parts.collect())
            }
        }
    }

    /// The columns that any of the logs has.
    fn schema(&self, logs: &[Member]) -> Result<TableSchema, FleetError> {
        let mut union: Option<SchemaUnion> = None;
        for log in logs {
            for rows in self.parts(log)?.into_iter().filter(|rows| rows.len() > 0) {
                let mut schema = rows.schema.clone();
                schema.columns.retain(|column| self.wants(&column.label));
                for column in &mut schema.columns {
                    // Firmware may name a value differently over the years.
                    (column.values, column.bits) = Default::default();
                }
                match &mut union {
                    None => union = Some(SchemaUnion::new(&log.id, schema)),
                    Some(union) => {
                        union.add(&log.id, &schema).map_err(|error| FleetError::Other(error.to_string()))?;
                    }
                }
            }
        }
        match union {
            Some(union) => Ok(union.schema().clone()),
            None => {
                let text = format!("none of {} logs has a record of {}", logs.len(), self.name);
                Err(FleetError::Other(text))
            }
        }
    }

    fn wants(&self, label: &str) -> bool {
        self.columns.as_ref().is_none_or(|columns| columns.iter().any(|wanted| wanted == label))
    }

    /// The values of a part in the columns of the union, after the id of the log.
    fn batch(&self, log: &Member, rows: &Rows, schema: &TableSchema) -> Result<Vec<ArrowColumn>, FleetError> {
        let other = |error: binlog::arrow::ArrowError| FleetError::Other(format!("{}: {error}", log.id));
        let places: Vec<Option<usize>> = schema.columns.iter().map(|column| rows.place(&column.label)).collect();
        let mut values = rows.columns(&places.iter().copied().flatten().collect::<Vec<_>>())?.into_iter();
        let ids = ArrowColumn::texts(std::iter::repeat_n(Some(&log.id), rows.len())).map_err(other)?;
        let mut columns = vec![ids];
        for (column, place) in schema.columns.iter().zip(places) {
            let values = place.and_then(|_| values.next());
            columns.push(match values {
                None => ArrowColumn::nulls(column.kind, rows.len()),
                Some(values) if values.kind() == column.kind || !column.kind.is_number() => {
                    ArrowColumn::new(column.kind, values).map_err(other)?
                }
                Some(values) => {
                    let changed = |_| FleetError::Other(format!("{} has changed: {}", log.id, column.label));
                    let values = Arc::unwrap_or_clone(values).widened(column.kind).map_err(changed)?;
                    ArrowColumn::new(column.kind, values).map_err(other)?
                }
            });
        }
        Ok(columns)
    }
}

/// Many logs as one table of a type. pyarrow, polars and DuckDB take it as a stream of batches, one for each log.
#[pyclass(frozen, module = "binlog")]
pub struct Fleet {
    logs: Arc<Vec<Member>>,
    chosen: Arc<Chosen>,
    schema: TableSchema,
}

impl Fleet {
    /// The columns with that of the logs before them.
    fn with_id(&self) -> TableSchema {
        let mut schema = self.schema.clone();
        schema.columns.insert(0, ColumnSchema::new("log_id", Kind::Text));
        schema
    }
}

#[pymethods]
impl Fleet {
    /// The ids of the logs: their paths from the folder.
    #[getter]
    fn logs(&self) -> Vec<&str> {
        self.logs.iter().map(|log| &*log.id).collect()
    }

    /// The labels of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.with_id().columns.into_iter().map(|column| column.label).collect()
    }

    /// The unit of each column that has one.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let units = PyDict::new(py);
        for column in self.schema.columns.iter().filter(|column| !column.unit.is_empty()) {
            units.set_item(&column.label, &column.unit)?;
        }
        Ok(units)
    }

    /// What it is in Arrow's types.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::schema(py, &self.with_id())
    }

    /// The values for Arrow: a batch for each log, which is read when the batch is asked for.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let (logs, chosen, schema) = (self.logs.clone(), self.chosen.clone(), self.schema.clone());
        let batches = (0..logs.len()).flat_map(move |log| {
            let log = &logs[log];
            let batch = |rows: Rows| chosen.batch(log, &rows, &schema);
            match chosen.parts(log) {
                Ok(parts) => parts.into_iter().filter(|rows| rows.len() > 0).map(batch).collect(),
                Err(error) => vec![Err(error)],
            }
        });
        capsules::stream(py, self.with_id(), batches)
    }

    fn __repr__(&self) -> String {
        format!("<{} of {} logs: {}>", self.chosen.name, self.logs.len(), self.columns().join(", "))
    }
}
