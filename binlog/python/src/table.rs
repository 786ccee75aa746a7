//! The records of one type, as columns that are decoded when somebody asks for them.

use crate::column::{Column, python};
use crate::errors::{arrow_error, select_error};
use crate::html;
use binlog::arrow::{ArrowArrayStream, ArrowColumn, ArrowSchema};
use binlog::blackbox::log::Tables;
use binlog::log::{Numbers, OwnedRows, SelectError, TableSchema, Values};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyString};
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

/// Where values come from.
pub enum Source {
    /// Records of an ArduPilot log.
    ArduPilot(OwnedRows),
    /// Frames of a session, and the place of their table.
    Blackbox(Arc<Tables>, usize),
}

/// What handles of one type share: its rows, and the columns that were decoded.
pub struct Rows {
    source: Source,
    numbers: Numbers,
    /// What the columns are.
    pub schema: TableSchema,
    columns: Vec<OnceLock<Arc<Values>>>,
    times_us: OnceLock<Vec<u64>>,
    /// The labels as Python's own strings, since names in a program are interned, too.
    names: OnceLock<Vec<Py<PyString>>>,
}

impl Rows {
    /// Records of an ArduPilot log, of which nothing is decoded.
    pub fn new(rows: OwnedRows, numbers: Numbers) -> Result<Self, SelectError> {
        let schema = rows.rows().schema(numbers)?;
        Ok(Rows::of(Source::ArduPilot(rows), numbers, schema))
    }

    /// Records of an ArduPilot log: of each definition by itself, if the log redefines the type.
    pub fn of_definitions(rows: OwnedRows, numbers: Numbers) -> Result<Vec<Self>, SelectError> {
        match Rows::new(rows.clone(), numbers) {
            Err(SelectError::Redefined { .. }) => {}
            rows => return Ok(vec![rows?]),
        }
        let of_one = |number: usize| {
            let rows = rows.select(|rows| {
                let one = rows.by_definition().nth(number);
                Ok::<_, SelectError>(one.unwrap_or_else(|| rows.slice(0..0)))
            })?;
            Rows::new(rows, numbers)
        };
        (0..rows.rows().by_definition().count()).map(of_one).collect()
    }

    /// Rows from a source, with what their columns are.
    pub fn of(source: Source, numbers: Numbers, schema: TableSchema) -> Self {
        let columns = schema.columns.iter().map(|_| OnceLock::new()).collect();
        Rows { source, numbers, schema, columns, times_us: OnceLock::new(), names: OnceLock::new() }
    }

    /// The records, unless they are frames.
    pub fn records(&self) -> Option<&OwnedRows> {
        match &self.source {
            Source::ArduPilot(rows) => Some(rows),
            Source::Blackbox(..) => None,
        }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        match &self.source {
            Source::ArduPilot(rows) => rows.rows().len(),
            Source::Blackbox(tables, table) => tables.tables()[*table].len(),
        }
    }

    /// The columns at these places, decoded in one pass where they aren't yet.
    pub fn columns(&self, places: &[usize]) -> Result<Vec<Arc<Values>>, SelectError> {
        let missing: Vec<usize> = places.iter().copied().filter(|&place| self.columns[place].get().is_none()).collect();
        // Another thread may be faster with the same values.
        let keep = |place: usize, values: Values| drop(self.columns[place].set(Arc::new(values)));
        match &self.source {
            _ if missing.is_empty() => {}
            Source::ArduPilot(rows) => {
                let labels: Vec<&str> = missing.iter().map(|&place| &*self.schema.columns[place].label).collect();
                let decoded = rows.rows().columns(&labels, self.numbers)?;
                missing.into_iter().zip(decoded).for_each(|(place, column)| keep(place, column.into_values()));
            }
            Source::Blackbox(tables, table) => {
                let columns = tables.tables()[*table].columns();
                missing.into_iter().for_each(|place| keep(place, columns[place].to_values(self.numbers)));
            }
        }
        Ok(places.iter().filter_map(|&place| self.columns[place].get().cloned()).collect())
    }

    /// The column at a place.
    pub fn column(&self, place: usize) -> Result<&Values, SelectError> {
        let column = &self.columns[place];
        match column.get() {
            Some(values) => Ok(values),
            None => self.columns(&[place]).map(|mut values| &**column.get_or_init(|| values.remove(0))),
        }
    }

    /// The times of all records, in microseconds since boot.
    pub fn times_us(&self) -> &[u64] {
        match &self.source {
            Source::ArduPilot(rows) => self.times_us.get_or_init(|| rows.rows().times_us()),
            Source::Blackbox(tables, table) => tables.tables()[*table].times_us(),
        }
    }

    /// The place of a label.
    pub fn place(&self, label: &str) -> Option<usize> {
        self.schema.columns.iter().position(|column| column.label == label)
    }

    /// The place of a name of a program.
    pub fn place_of(&self, name: &Bound<'_, PyString>) -> Option<usize> {
        let py = name.py();
        let names = self.names.get_or_init(|| {
            self.schema.columns.iter().map(|column| PyString::intern(py, &column.label).unbind()).collect()
        });
        let by_identity = names.iter().position(|known| known.is(name));
        by_identity.or_else(|| self.place(name.to_str().ok()?))
    }

    /// The error of a label that isn't there.
    pub fn no_column(&self, label: &str) -> PyErr {
        let known = self.schema.columns.iter().map(|column| column.label.clone()).collect();
        select_error(SelectError::NoColumn { name: self.schema.name.clone(), label: label.to_owned(), known })
    }
}

/// The records of one type, or of one of its instances, as columns.
///
/// A column is decoded when it is asked for, and kept. `table["Roll"]` is a column, `table[["TimeUS", "Roll"]]` a table
/// of fewer columns, `table[1]` the records of instance 1. numpy, pandas, polars, pyarrow and DuckDB take tables and
/// columns as they are.
#[pyclass(frozen, mapping, module = "binlog")]
pub struct Table {
    rows: Arc<Rows>,
    /// The places of its columns.
    places: Vec<usize>,
}

impl Table {
    /// All columns.
    pub fn new(rows: Rows) -> Self {
        Table { places: (0..rows.schema.columns.len()).collect(), rows: Arc::new(rows) }
    }

    /// What its columns are.
    fn schema(&self) -> TableSchema {
        let mut schema = self.rows.schema.clone();
        schema.columns = self.places.iter().map(|&place| self.rows.schema.columns[place].clone()).collect();
        schema
    }

    /// The column with this label, decoded.
    pub fn decoded(&self, py: Python<'_>, label: &str) -> PyResult<Column> {
        let found = self.rows.place(label).filter(|place| self.places.contains(place));
        let place = found.ok_or_else(|| self.rows.no_column(label))?;
        let values = py.detach(|| self.rows.columns(&[place])).map_err(select_error)?.remove(0);
        Ok(Column::new(values, self.rows.schema.columns[place].clone()))
    }

    fn labels(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|&place| &*self.rows.schema.columns[place].label)
    }

    fn instance(&self, instance: &str) -> PyResult<Table> {
        let none = || SelectError::NoInstances { name: self.rows.schema.name.clone() };
        let rows = || self.rows.records().ok_or_else(none)?.select(|rows| rows.instance(instance));
        let rows = rows().and_then(|rows| Rows::new(rows, self.rows.numbers)).map_err(select_error)?;
        // An instance may have fewer definitions, and so fewer columns.
        let places = self.labels().filter_map(|label| rows.place(label)).collect();
        Ok(Table { rows: Arc::new(rows), places })
    }
}

#[pymethods]
impl Table {
    /// The type's name: `ATT`, `IMU[1]`.
    #[getter]
    fn name(&self) -> String {
        self.rows.records().map_or_else(|| self.rows.schema.name.clone(), |rows| rows.rows().name().to_owned())
    }

    /// What the type is about; empty if the log doesn't say.
    #[getter]
    fn description(&self) -> &str {
        &self.rows.schema.description
    }

    /// The labels of the columns.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.labels().collect()
    }

    /// The unit of each column that has one.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let units = PyDict::new(py);
        for column in self.places.iter().map(|&place| &self.rows.schema.columns[place]) {
            if !column.unit.is_empty() {
                units.set_item(&column.label, &column.unit)?;
            }
        }
        Ok(units)
    }

    /// The instances of the type: `[0, 1]` of two sensors. Empty if it has none.
    #[getter]
    fn instances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let Some(rows) = self.rows.records() else { return Ok(PyList::empty(py)) };
        let rows = rows.rows();
        let instances = rows.instances().into_iter().map(|value| python(py, value));
        PyList::new(py, instances.collect::<PyResult<Vec<_>>>()?)
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn __contains__(&self, label: &Bound<'_, PyAny>) -> bool {
        label.extract::<&str>().is_ok_and(|label| self.labels().any(|known| known == label))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.labels())?.try_iter()?.into_any())
    }

    fn keys(&self) -> Vec<&str> {
        self.labels().collect()
    }

    fn values(&self, py: Python<'_>) -> PyResult<Vec<Column>> {
        Ok(self.items(py)?.into_iter().map(|(_, column)| column).collect())
    }

    fn items(&self, py: Python<'_>) -> PyResult<Vec<(String, Column)>> {
        let columns = py.detach(|| self.rows.columns(&self.places)).map_err(select_error)?;
        let item = |(values, &place): (Arc<Values>, &usize)| {
            let schema = self.rows.schema.columns[place].clone();
            (schema.label.clone(), Column::new(values, schema))
        };
        Ok(columns.into_iter().zip(&self.places).map(item).collect())
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(label) = key.extract::<&str>() {
            return Ok(Bound::new(py, self.decoded(py, label)?)?.into_any());
        }
        if let Ok(labels) = key.extract::<Vec<String>>() {
            let place = |label: &String| {
                let found = self.rows.place(label).filter(|place| self.places.contains(place));
                found.ok_or_else(|| self.rows.no_column(label))
            };
            let places = labels.iter().map(place).collect::<PyResult<Vec<usize>>>()?;
            return Ok(Bound::new(py, Table { rows: self.rows.clone(), places })?.into_any());
        }
        if let Ok(instance) = key.extract::<i128>() {
            return Ok(Bound::new(py, self.instance(&instance.to_string())?)?.into_any());
        }
        Err(PyTypeError::new_err("a label, a list of labels, or the number of an instance"))
    }

    /// What it is in Arrow's types. DuckDB asks for it before it reads.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        PyCapsule::new_with_value(py, ArrowSchema::of_table(&self.schema()), c"arrow_schema")
    }

    /// The values for Arrow, in one batch; numbers aren't copied.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer leave conversions to the consumer.
        drop(requested_schema);
        let values = py.detach(|| self.rows.columns(&self.places)).map_err(select_error)?;
        let schema = self.schema();
        let column =
            |(values, column): (Arc<Values>, &binlog::log::ColumnSchema)| ArrowColumn::new(column.kind, values);
        let batch = py.detach(|| values.into_iter().zip(&schema.columns).map(column).collect::<Result<Vec<_>, _>>());
        let batch = batch.map_err(arrow_error)?;
        let stream = ArrowArrayStream::of_tables(schema, [Ok::<_, Infallible>(batch)]);
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The columns as a dict of lists and numbers, without any other package.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (label, column) in self.items(py)? {
            dict.set_item(label, column.to_list(py)?)?;
        }
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        let labels: Vec<&str> = self.labels().collect();
        format!("<{}: {} records of {}>", self.name(), self.rows.len(), labels.join(", "))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        const SHOWN: usize = 10;
        let head: Vec<String> = self
            .places
            .iter()
            .map(|&place| &self.rows.schema.columns[place])
            .map(|column| {
                if column.unit.is_empty() {
                    column.label.clone()
                } else {
                    format!("{} ({})", column.label, column.unit)
                }
            })
            .collect();
        let columns = self.items(py)?;
        let cell = |row: usize| columns.iter().map(|(_, column)| column.shown(row)).collect();
        let rows = (0..self.rows.len().min(SHOWN)).map(cell);
        let caption = format!("{}: {} records", self.name(), self.rows.len());
        Ok(html::table(&caption, &head.iter().map(String::as_str).collect::<Vec<_>>(), rows))
    }

    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        let meant = if self.rows.place(name).is_some() {
            format!("; write [\"{name}\"] for the column")
        } else {
            String::new()
        };
        Err(PyAttributeError::new_err(format!("a table has no attribute `{name}`{meant}")))
    }
}
