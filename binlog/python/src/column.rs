//! The values of one column.

use crate::errors::arrow_error;
use crate::names::one_line;
use crate::pickled::{self, Pickled};
use binlog::Value;
use binlog::arrow::{ArrowArray, ArrowColumn, ArrowSchema};
use binlog::log::{ColumnSchema, Kind, Values};
use pyo3::exceptions::{PyAttributeError, PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyInt, PyIterator, PyList, PySlice, PyString, PyTuple};
use std::sync::Arc;

/// The values of a column: a number, a text or an array for each record.
///
/// `numpy.asarray(column)` is a view of the values, which can't be written to; the column stays alive with it.
#[pyclass(frozen, sequence, module = "binlog")]
pub struct Column {
    values: Arc<Values>,
    schema: ColumnSchema,
}

impl Column {
    fn list<'py>(&self, py: Python<'py>, rows: impl Iterator<Item = usize>) -> PyResult<Bound<'py, PyList>> {
        let values = rows.map(|row| value(py, &self.values, self.schema.kind, row));
        PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)
    }

    /// A column that was decoded.
    pub fn new(values: Arc<Values>, schema: ColumnSchema) -> Self {
        Column { values, schema }
    }

    /// The values, which others keep, too.
    pub fn shared(&self) -> Arc<Values> {
        self.values.clone()
    }

    /// What the values are.
    pub fn schema(&self) -> &ColumnSchema {
        &self.schema
    }

    /// A value as a notebook shows it.
    pub fn shown(&self, row: usize) -> String {
        match &*self.values {
            Values::F32(values) => values.get(row).map_or(String::new(), f32::to_string),
            Values::Chars4(values) => values.get(row).map_or(String::new(), |text| one_line(&text.to_string())),
            Values::Chars16(values) => values.get(row).map_or(String::new(), |text| one_line(&text.to_string())),
            Values::Chars64(values) if self.schema.kind == Kind::Bytes => {
                values.get(row).map_or(String::new(), |data| format!("b'{}'", data.raw().escape_ascii()))
            }
            Values::Chars64(values) => values.get(row).map_or(String::new(), |text| one_line(&text.to_string())),
            Values::I16x32(values) => values.get(row).map_or(String::new(), |samples| format!("{samples:?}")),
            values => values.number(row).map_or(String::new(), |number| number.to_string()),
        }
    }
}

/// A value as Python's.
pub fn python<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Signed(number) | Value::Hundredths(number) => number.into_pyobject(py)?.into_any(),
        Value::Unsigned(number) => number.into_pyobject(py)?.into_any(),
        Value::Coordinate(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => number.into_pyobject(py)?.into_any(),
        Value::Text(text) => PyString::new(py, &text.to_string()).into_any(),
        Value::Samples(samples) => PyList::new(py, samples)?.into_any(),
    })
}

/// The value of a row.
pub fn value<'py>(py: Python<'py>, values: &Values, kind: Kind, row: usize) -> PyResult<Bound<'py, PyAny>> {
    macro_rules! at {
        ($values:expr) => {
            $values.get(row).ok_or_else(|| PyIndexError::new_err("there is no such record"))?
        };
    }
    Ok(match values {
        Values::I8(values) => at!(values).into_pyobject(py)?.into_any(),
        Values::U8(values) => at!(values).into_pyobject(py)?.into_any(),
        Values::I16(values) => at!(values).into_pyobject(py)?.into_any(),
        Values::U16(values) => at!(values).into_pyobject(py)?.into_any(),
        Values::I32(values) => at!(values).into_pyobject(py)?.into_any(),
        Values::U32(values) => at!(values).into_pyobject(py)?.into_any(),
        Values::I64(values) => at!(values).into_pyobject(py)?.into_any(),
        Values::U64(values) => at!(values).into_pyobject(py)?.into_any(),
        Values::F32(values) => at!(values).into_pyobject(py)?.into_any(),
        Values::F64(values) => at!(values).into_pyobject(py)?.into_any(),
        Values::Chars4(values) => PyString::new(py, &at!(values).to_string()).into_any(),
        Values::Chars16(values) => PyString::new(py, &at!(values).to_string()).into_any(),
        Values::Chars64(values) if kind == Kind::Bytes => PyBytes::new(py, at!(values).raw()).into_any(),
        Values::Chars64(values) => PyString::new(py, &at!(values).to_string()).into_any(),
        Values::I16x32(values) => PyList::new(py, at!(values))?.into_any(),
        _ => py.None().into_bound(py),
    })
}

#[pymethods]
impl Column {
    /// The label: `Roll`.
    #[getter]
    fn name(&self) -> &str {
        &self.schema.label
    }

    /// The unit of the values: `deg`; empty for none.
    #[getter]
    fn unit(&self) -> &str {
        &self.schema.unit
    }

    /// What the values are multiplied by to be in the unit: 0.01 for stored hundredths, else 1.
    #[getter]
    fn scale(&self) -> f64 {
        self.schema.scale
    }

    /// The log's multiplier of its stored numbers; None if it has none. `scale` is that of these values.
    #[getter]
    fn multiplier(&self) -> Option<f64> {
        self.schema.multiplier
    }

    /// What the column is; empty if the log doesn't say.
    #[getter]
    fn description(&self) -> &str {
        &self.schema.description
    }

    /// What the log calls values: `{3: "AUTO"}`. Empty if it names none, and for texts.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for (value, name) in &self.schema.values {
            names.set_item(value, name)?;
        }
        Ok(names)
    }

    /// What the log calls bits: `{0: "SURFACE_FRONT"}`. Empty if it names none.
    #[getter]
    fn bits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for (bit, name) in &self.schema.bits {
            names.set_item(bit, name)?;
        }
        Ok(names)
    }

    fn __len__(&self) -> usize {
        self.values.len()
    }

    /// The value of a record, counted from the end if it is negative; the values of a slice as a list.
    fn __getitem__<'py>(&self, row: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, count) = (row.py(), self.values.len());
        if let Ok(slice) = row.cast::<PySlice>() {
            let slice = slice.indices(count as isize)?;
            let rows = (0..slice.slicelength as isize).map(|i| (slice.start + i * slice.step) as usize);
            return Ok(self.list(py, rows)?.into_any());
        }
        let from_start = match row.extract::<isize>() {
            Ok(from_start) => from_start,
            // Beyond any column.
            Err(_) if row.is_instance_of::<PyInt>() => isize::MAX,
            Err(_) => {
                let text = "a column takes a place or a slice; its array takes more: numpy.asarray(column)[…]";
                return Err(PyTypeError::new_err(text));
            }
        };
        let from_start = if from_start < 0 { from_start + count as isize } else { from_start };
        match usize::try_from(from_start) {
            Ok(place) if place < count => value(py, &self.values, self.schema.kind, place),
            _ => {
                let label = one_line(&self.schema.label);
                Err(PyIndexError::new_err(format!("{label} has {count} values, and none at {row}")))
            }
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.to_list(py)?.try_iter()
    }

    /// The values as a list.
    pub fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, 0..self.values.len())
    }

    /// An error in place of `False`, since whoever compares a column means its values. numpy's arrays and numbers, and
    /// columns of pandas and polars, compare them.
    fn __richcmp__<'py>(&self, other: &Bound<'py, PyAny>, operator: CompareOp) -> PyResult<Bound<'py, PyAny>> {
        if other.hasattr("__array_ufunc__")? || other.hasattr("__array_priority__")? {
            return Ok(other.py().NotImplemented().into_bound(other.py()));
        }
        let operator = match operator {
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        };
        Err(PyTypeError::new_err(format!(
            "a column isn't compared itself; its values are: numpy.asarray(column) {operator} …, or column.to_list()"
        )))
    }

    fn __getattr__(&self, name: &Bound<'_, PyString>) -> PyResult<Py<PyAny>> {
        let name = name.to_string_lossy();
        let text = format!("a column has no attribute `{name}`; numpy.asarray(column) has those of an array");
        Err(PyAttributeError::new_err(text))
    }

    fn __copy__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    /// Nothing in it can change.
    fn __deepcopy__<'py>(this: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        this
    }

    /// A column pickles as its values, which need no log where they arrive.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled::column(py, &self.schema, &self.values)
    }

    /// For numpy: a view of the values.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let values = &*self.values;
        let (shape, typestr) = match values {
            Values::I8(_) => (vec![values.len()], "|i1"),
            Values::U8(_) => (vec![values.len()], "|u1"),
            Values::I16(_) => (vec![values.len()], "i2"),
            Values::U16(_) => (vec![values.len()], "u2"),
            Values::I32(_) => (vec![values.len()], "i4"),
            Values::U32(_) => (vec![values.len()], "u4"),
            Values::I64(_) => (vec![values.len()], "i8"),
            Values::U64(_) => (vec![values.len()], "u8"),
            Values::F32(_) => (vec![values.len()], "f4"),
            Values::F64(_) => (vec![values.len()], "f8"),
            Values::I16x32(_) => (vec![values.len(), 32], "i2"),
            // An array of numpy's texts, `S64`, would lose zeros at the end.
            Values::Chars64(_) if self.schema.kind == Kind::Bytes => (vec![values.len()], "|V64"),
            _ => return Err(PyAttributeError::new_err("texts have no array interface; numpy takes `to_list()`")),
        };
        let order = if cfg!(target_endian = "little") { "<" } else { ">" };
        let typestr = if typestr.starts_with('|') { typestr.to_owned() } else { format!("{order}{typestr}") };
        let interface = PyDict::new(py);
        interface.set_item("shape", PyTuple::new(py, shape)?)?;
        interface.set_item("typestr", typestr)?;
        interface.set_item("data", (values.as_bytes().as_ptr().addr(), true))?;
        interface.set_item("version", 3)?;
        Ok(interface)
    }

    /// For pandas, which otherwise makes an object of each number. Texts and arrays are objects there.
    #[getter]
    fn __array__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let is_number = !matches!(this.get().schema.kind, Kind::Text | Kind::Bytes | Kind::Samples);
        match this.py().import("numpy") {
            Ok(numpy) if is_number => numpy.call_method1("asarray", (this,))?.getattr("__array__"),
            _ => Err(PyAttributeError::new_err("only numbers are an array for pandas, and only with numpy")),
        }
    }

    /// What it is in Arrow's types.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        PyCapsule::new_with_value(py, ArrowSchema::of_column(&self.schema), c"arrow_schema")
    }

    /// The values for Arrow; numbers aren't copied.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The protocol lets a producer leave conversions to the consumer.
        drop(requested_schema);
        let array = py.detach(|| {
            let column = ArrowColumn::new(self.schema.kind, self.values.clone())?;
            ArrowArray::of_column(&self.schema, column)
        });
        let array = array.map_err(arrow_error)?;
        Ok((self.__arrow_c_schema__(py)?, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }

    fn __repr__(&self) -> String {
        const SHOWN: usize = 5;
        let shown: Vec<String> = (0..self.values.len().min(SHOWN)).map(|row| self.shown(row)).collect();
        let more = if self.values.len() > SHOWN { ", …" } else { "" };
        let unit = if self.schema.unit.is_empty() { String::new() } else { format!(" {}", self.schema.unit) };
        let head = one_line(&format!("{}: {} values{unit}", self.schema.label, self.values.len()));
        format!("<{head}: {}{more}>", shown.join(", "))
    }
}
