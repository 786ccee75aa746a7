//! Single records, in the order of the log.

use crate::column::value;
use crate::errors::select_error;
use crate::flight::seconds;
use crate::names::one_line;
use crate::pickled::{self, Pickled};
use crate::table::Rows;
use binlog::log::TableSchema;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::vec;

/// A record of the log: `record.Roll`, `record["Roll"]`. Of a column that is called as a method, such as `time`, only
/// `record["time"]` is the value.
#[pyclass(frozen, module = "binlog")]
pub struct Record {
    rows: Arc<Rows>,
    /// Changes only while nobody has the record.
    row: AtomicU32,
}

impl Record {
    /// The record at a row.
    pub fn new(rows: Arc<Rows>, row: u32) -> Self {
        Record { rows, row: row.into() }
    }

    fn row(&self) -> usize {
        self.row.load(Ordering::Relaxed) as usize
    }

    fn at<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyAny>> {
        let values = self.rows.column(place).map_err(select_error)?;
        value(py, values, self.rows.schema.columns[place].kind, self.row())
    }
}

#[pymethods]
impl Record {
    /// The type's name, as pymavlink's `get_type`.
    fn get_type(&self) -> &str {
        &self.rows.schema.name
    }

    /// The labels, as pymavlink's `get_fieldnames`.
    fn get_fieldnames(&self) -> Vec<&str> {
        self.rows.schema.columns.iter().map(|column| &*column.label).collect()
    }

    /// The time in seconds since boot; NaN without one.
    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        let times = py.detach(|| self.rows.times_us());
        times.get(self.row()).map_or(f64::NAN, |&time_us| seconds(time_us))
    }

    /// The values by label.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("mavpackettype", self.get_type())?;
        for (place, column) in self.rows.schema.columns.iter().enumerate() {
            dict.set_item(&column.label, self.at(py, place)?)?;
        }
        Ok(dict)
    }

    fn __getitem__<'py>(&self, label: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Ok(label) = label.cast::<PyString>() else {
            let text = format!("a record has values by label, and none at [{}]; to_dict() has all", label.repr()?);
            return Err(PyTypeError::new_err(text));
        };
        match self.rows.place_of(label) {
            Some((place, _)) => self.at(label.py(), place),
            None => Err(self.rows.no_column(&label.to_string_lossy())),
        }
    }

    fn __contains__(&self, label: &Bound<'_, PyAny>) -> bool {
        label.cast::<PyString>().is_ok_and(|label| self.rows.place_of(label).is_some())
    }

    /// Columns first, since looking for a method that isn't there costs more than a column; those with the name of a
    /// method are left to `__getitem__`.
    fn __getattribute__<'py>(this: &Bound<'py, Self>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let record = this.get();
        match record.rows.place_of(name) {
            Some((place, false)) => record.at(this.py(), place),
            _ => generic(this, name),
        }
    }

    /// What Python asks after `__getattribute__`: here the error of a name that isn't there.
    fn __getattr__(&self, name: &Bound<'_, PyString>) -> PyResult<Py<PyAny>> {
        Err(no_attribute(&self.rows.schema, &name.to_string_lossy()))
    }

    fn __copy__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    /// Nothing in it can change.
    fn __deepcopy__<'py>(this: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        this
    }

    /// A record pickles as its values, which need no log where they arrive.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled::record(py, &self.rows, self.row())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut values = Vec::new();
        for (place, column) in self.rows.schema.columns.iter().enumerate() {
            values.push(format!("{} : {}", column.label, self.at(py, place)?.str()?));
        }
        Ok(one_line(&format!("{} {{{}}}", self.get_type(), values.join(", "))))
    }
}

/// The error of an attribute that isn't there. Programs ask for attributes that may not be there, so it costs little.
fn no_attribute(schema: &TableSchema, name: &str) -> PyErr {
    let labels = || schema.columns.iter().map(|column| &*column.label);
    let hint = match labels().find(|label| label.eq_ignore_ascii_case(name)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("it has {}", labels().collect::<Vec<_>>().join(", ")),
    };
    PyAttributeError::new_err(one_line(&format!("{} has no column `{name}`; {hint}", schema.name)))
}

/// A method or a property, as any object has them.
fn generic<'py>(record: &Bound<'py, Record>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    static GENERIC: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = record.py();
    let object = || Ok::<_, PyErr>(py.import("builtins")?.getattr("object")?.getattr("__getattribute__")?.unbind());
    GENERIC.get_or_try_init(py, object)?.bind(py).call1((record, name))
}

/// Records of some types, one after the other.
#[pyclass(module = "binlog")]
pub struct Records {
    types: Vec<OfType>,
    /// The type of each record, in the order of the log.
    order: vec::IntoIter<u32>,
}

/// The records of a type.
struct OfType {
    rows: Arc<Rows>,
    /// The row of the next one.
    next: u32,
    /// The last two records. One that nobody else has becomes the next: a loop over records has the one before still.
    last: [Option<Py<Record>>; 2],
}

impl OfType {
    fn next(&mut self, py: Python<'_>) -> PyResult<Py<Record>> {
        let row = self.next;
        self.next += 1;
        self.last.swap(0, 1);
        match &self.last[0] {
            Some(free) if is_free(free, py) => {
                free.get().row.store(row, Ordering::Relaxed);
                Ok(free.clone_ref(py))
            }
            _ => {
                let record = Py::new(py, Record::new(self.rows.clone(), row))?;
                Ok(self.last[0].insert(record).clone_ref(py))
            }
        }
    }
}

/// Whether only its iterator has a record.
fn is_free(record: &Py<Record>, py: Python<'_>) -> bool {
    #[expect(deprecated, reason = "what replaces it is `unsafe`")]
    let owners = record.get_refcnt(py);
    owners == 1
}

impl Records {
    /// The records of these types.
    pub fn new(types: Vec<Arc<Rows>>) -> Self {
        let mut places: Vec<(usize, u32)> = Vec::with_capacity(types.iter().map(|rows| rows.len()).sum());
        for (number, rows) in (0..).zip(&types) {
            let Some(records) = rows.records() else { continue };
            places.extend(records.rows().offsets().map(|offset| (offset, number)));
        }
        // Types are runs in order, which a stable sort merges.
        places.sort_by_key(|&(offset, _)| offset);
        let order: Vec<u32> = places.into_iter().map(|(_, number)| number).collect();
        let types = types.into_iter().map(|rows| OfType { rows, next: 0, last: [None, None] });
        Records { types: types.collect(), order: order.into_iter() }
    }
}

#[pymethods]
impl Records {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __len__(&self) -> usize {
        self.order.len()
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Py<Record>>> {
        match self.order.next() {
            Some(number) => self.types[number as usize].next(py).map(Some),
            None => Ok(None),
        }
    }
}
