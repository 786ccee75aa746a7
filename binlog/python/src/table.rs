//! The records of one type, as columns that are decoded when somebody asks for them.

use crate::column::{Column, python};
use crate::errors::{arrow_error, or_default, select_error};
use crate::names::{name_of, one_line};
use crate::record::Record;
use crate::{capsules, html};
use binlog::arrow::ArrowColumn;
use binlog::blackbox::log::Tables;
use binlog::log::{ColumnSchema, Numbers, OwnedRows, SelectError, TableSchema, Values};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyDict, PyList, PyString, PyTuple};
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

/// Where values come from.
pub enum Source {
    /// Records of an ArduPilot log.
    ArduPilot(OwnedRows),
    /// Frames of a session, and the place of their table.
    Blackbox(Arc<Tables>, usize),
    /// Values that are here already, with the times of their records.
    Values(Vec<u64>),
}

/// What handles of one type share: its rows, and the columns that were decoded.
pub struct Rows {
    source: Source,
    numbers: Numbers,
    /// What the columns are.
    pub schema: TableSchema,
    columns: Vec<OnceLock<Arc<Values>>>,
    times_us: OnceLock<Vec<u64>>,
    /// The labels as Python's own strings, since names in a program are interned, too, and whether an attribute of
    /// records has the name.
    names: PyOnceLock<Vec<(Py<PyString>, bool)>>,
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
        Rows { source, numbers, schema, columns, times_us: OnceLock::new(), names: PyOnceLock::new() }
    }

    /// Values with the times of their records: a list of values for each column.
    pub fn of_values(schema: TableSchema, times_us: Vec<u64>, values: Vec<Values>) -> Self {
        let columns = values.into_iter().map(|values| OnceLock::from(Arc::new(values))).collect();
        Rows { columns, ..Rows::of(Source::Values(times_us), Numbers::Native, schema) }
    }

    /// The records of an ArduPilot log.
    pub fn records(&self) -> Option<&OwnedRows> {
        match &self.source {
            Source::ArduPilot(rows) => Some(rows),
            Source::Blackbox(..) | Source::Values(_) => None,
        }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        match &self.source {
            Source::ArduPilot(rows) => rows.rows().len(),
            Source::Blackbox(tables, table) => tables.tables()[*table].len(),
            Source::Values(times_us) => times_us.len(),
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
            // None is missing.
            Source::Values(_) => {}
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
            Source::Values(times_us) => times_us,
        }
    }

    /// The place of a label.
    pub fn place(&self, label: &str) -> Option<usize> {
        self.schema.columns.iter().position(|column| column.label == label)
    }

    /// The place of a name of a program, and whether an attribute of records has the name.
    pub fn place_of(&self, name: &Bound<'_, PyString>) -> Option<(usize, bool)> {
        let py = name.py();
        let names = self.names.get_or_init(py, || {
            let attributes = py.get_type::<Record>().dir().ok();
            let is_attribute =
                |label: &str| attributes.as_ref().is_some_and(|names| names.contains(label).is_ok_and(|is| is));
            let name =
                |column: &ColumnSchema| (PyString::intern(py, &column.label).unbind(), is_attribute(&column.label));
            self.schema.columns.iter().map(name).collect()
        });
        let by_identity = names.iter().position(|(known, _)| known.is(name));
        let place = by_identity.or_else(|| self.place(name.to_str().ok()?))?;
        Some((place, names[place].1))
    }

    /// The error of a label that isn't there.
    pub fn no_column(&self, label: &str) -> PyErr {
        self.not_one_of(label, self.schema.columns.iter().map(|column| &*column.label))
    }

    fn not_one_of<'l>(&self, label: &str, known: impl Iterator<Item = &'l str>) -> PyErr {
        let (name, known) = (self.schema.name.clone(), known.map(str::to_owned).collect());
        select_error(SelectError::NoColumn { name, label: label.to_owned(), known })
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

    /// Keeps columns that were decoded, which are all those of its records, in order.
    pub fn keep(&self, columns: Vec<binlog::log::Column>) {
        for (place, column) in self.rows.columns.iter().zip(columns) {
            drop(place.set(Arc::new(column.into_values())));
        }
    }

    /// Decodes all its columns.
    pub fn decode(&self) -> Result<(), SelectError> {
        self.rows.columns(&self.places).map(drop)
    }

    /// The column with this label, decoded.
    pub fn decoded(&self, py: Python<'_>, label: &str) -> PyResult<Column> {
        let place = self.place(label)?;
        let values = py.detach(|| self.rows.columns(&[place])).map_err(select_error)?.remove(0);
        Ok(Column::new(values, self.rows.schema.columns[place].clone()))
    }

    /// The place of one of its labels.
    fn place(&self, label: &str) -> PyResult<usize> {
        let found = self.rows.place(label).filter(|place| self.places.contains(place));
        found.ok_or_else(|| self.rows.not_one_of(label, self.labels()))
    }

    /// The columns, with numbers as somebody else wants them.
    pub fn decoded_as(&self, numbers: Numbers) -> Result<Vec<(ColumnSchema, Arc<Values>)>, SelectError> {
        let rows = &self.rows;
        let (schema, values): (TableSchema, Vec<Arc<Values>>) = match &rows.source {
            _ if numbers == rows.numbers => (self.schema(), rows.columns(&self.places)?),
            Source::ArduPilot(records) => {
                let labels: Vec<&str> = self.labels().collect();
                let columns = records.rows().columns(&labels, numbers)?;
                let mut schema = records.rows().schema(numbers)?;
                schema.columns.retain(|column| labels.contains(&&*column.label));
                schema.columns.sort_by_key(|column| labels.iter().position(|label| *label == column.label));
                (schema, columns.into_iter().map(|column| Arc::new(column.into_values())).collect())
            }
            // What its columns are says in which unit.
            Source::Blackbox(..) | Source::Values(_) => (self.schema(), rows.columns(&self.places)?),
        };
        Ok(schema.columns.into_iter().zip(values).collect())
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
        name_of(label).is_some_and(|label| self.labels().any(|known| known == label))
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
        if let Some(label) = name_of(key) {
            return Ok(Bound::new(py, self.decoded(py, &label)?)?.into_any());
        }
        if let Ok(labels) = key.extract::<Vec<String>>() {
            let places = labels.iter().map(|label| self.place(label)).collect::<PyResult<Vec<usize>>>()?;
            return Ok(Bound::new(py, Table { rows: self.rows.clone(), places })?.into_any());
        }
        if let Ok(instance) = key.extract::<i128>() {
            return Ok(Bound::new(py, self.instance(&instance.to_string())?)?.into_any());
        }
        Err(PyTypeError::new_err(format!(
            "[{}] isn't in a table: [\"Roll\"] is a column, [[\"TimeUS\", \"Roll\"]] a table of fewer columns, [1] the \
             records of instance 1; records have places in a column, and times in log.slice",
            key.repr()?
        )))
    }

    /// The column, or the default if there is none.
    #[pyo3(signature = (key, default = None))]
    fn get<'py>(&self, key: &Bound<'py, PyAny>, default: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        or_default(self.__getitem__(key.py(), key), default, key.py())
    }

    /// What it is in Arrow's types. DuckDB asks for it before it reads.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::schema(py, &self.schema())
    }

    /// The values for Arrow, in one batch; numbers aren't copied.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let values = py.detach(|| self.rows.columns(&self.places)).map_err(select_error)?;
        let schema = self.schema();
        let column = |(values, column): (Arc<Values>, &ColumnSchema)| ArrowColumn::new(column.kind, values);
        let batch = py.detach(|| values.into_iter().zip(&schema.columns).map(column).collect::<Result<Vec<_>, _>>());
        capsules::stream(py, schema, [Ok::<_, Infallible>(batch.map_err(arrow_error)?)])
    }

    /// An error, because numpy would make one object of it, and pandas a column of its labels.
    #[pyo3(signature = (*_arguments, **_named))]
    fn __array__(&self, _arguments: &Bound<'_, PyTuple>, _named: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a table has columns of several types: numpy.asarray(table[\"Roll\"]) is one of them; \
             pandas.DataFrame(dict(table)), polars.DataFrame(table) and pyarrow.table(table) have all",
        ))
    }

    /// An error in place of `False`, since two tables of a type may have the same records.
    fn __richcmp__(&self, _other: &Bound<'_, PyAny>, _operator: CompareOp) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "tables aren't compared; their values are: pyarrow.table(table).equals(…), or table.to_dict()",
        ))
    }

    fn __copy__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    /// Nothing in it can change.
    fn __deepcopy__<'py>(this: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        this
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a table doesn't pickle, since it reads its log when a column is asked for: pickle the log, a column, \
             table.to_dict() or pyarrow.table(table)",
        ))
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
        one_line(&format!("<{}: {} records of {}>", self.name(), self.rows.len(), labels.join(", ")))
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

    fn __getattr__(&self, name: &Bound<'_, PyString>) -> PyResult<Py<PyAny>> {
        let name = name.to_string_lossy();
        let meant = if self.rows.place(&name).is_some() {
            format!("; write [\"{name}\"] for the column")
        } else {
            String::new()
        };
        Err(PyAttributeError::new_err(format!("a table has no attribute `{name}`{meant}")))
    }
}
