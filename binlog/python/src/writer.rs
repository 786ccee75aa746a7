//! Writes a log: records as they come, or whole columns, in the order of their times.

use crate::column::Column;
use crate::encode::{self, Fault, Given, Place};
use crate::errors::{io_error, select_error};
use crate::given;
use crate::log::{Log, numbers_of};
use crate::pending::Pending;
use crate::schema::{Schema, merge_error};
use crate::table::Table;
use binlog::log::{ColumnSchema, Numbers, SelectError};
use binlog::merge::{self, MergeError};
use binlog::{Format, LogMessage, LoggedDefinition, LoggedSchema, Value, log_messages, messages, record_header};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyString};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A type of the log.
struct Type {
    name: String,
    id: u8,
    length: usize,
    columns: Vec<TypeColumn>,
    /// Where a record has its time, and the microseconds of one.
    time: Option<(Format, usize, u64)>,
    /// The bytes that separate the instances.
    instance: Range<usize>,
}

/// A column of a type.
struct TypeColumn {
    label: Py<PyString>,
    place: Place,
    /// What its values are, in the scaling of the writer.
    schema: ColumnSchema,
}

/// A log that is open.
struct Out {
    file: File,
    /// What is on its way to the file, of which `written` bytes arrived.
    ready: Vec<u8>,
    written: usize,
    pending: Pending,
    /// The last time of each type and instance.
    last_us: HashMap<(u8, Vec<u8>), u64>,
    /// The time up to which the log is in the file.
    flushed_us: u64,
    /// The latest time, which records without a time get.
    latest_us: u64,
}

/// The records whose columns are written one after the other: they stay in the cache meanwhile.
const BLOCK: usize = 1024;

/// Why a log can't be closed.
enum CloseError {
    Io(io::Error),
    Merge(MergeError),
}

/// Writes a log: `with binlog.Writer("out.bin", schema) as log: log.write("ATT", TimeUS=0, Roll=1.5)`.
///
/// `schema` is what the log defines: a log that was opened, for its definitions; the path of a lock file; a dataclass;
/// or a list of these. With `merge=log`, the records of that flight are written, too. `scaling` says how numbers are
/// given: "shown" as readers show them, "stored" as the log has them.
///
/// An existing file is replaced, but never a log of `schema` or `merge`. The log is in the order of time when it is
/// closed. If an exception ends the block, the log has what was accepted so far.
#[pyclass(frozen, module = "binlog")]
pub struct Writer {
    path: PathBuf,
    types: Vec<Type>,
    by_name: HashMap<String, usize>,
    /// The names of dataclasses.
    names: Py<PyDict>,
    numbers: Numbers,
    preamble: Vec<u8>,
    flight: Option<(Arc<binlog::Log<'static>>, String)>,
    /// `None` once it is closed.
    out: Mutex<Option<Out>>,
}

impl Type {
    fn of(py: Python<'_>, log: &binlog::Log<'_>, definition: &LoggedDefinition<'_>, numbers: Numbers) -> Option<Self> {
        const HEADER: usize = record_header(0).len();
        let table = log.rows(definition.name()).and_then(|rows| rows.schema(numbers)).ok()?;
        let length = usize::from(definition.length());
        let shown = numbers != Numbers::Scaled(binlog::Scaling::Stored);
        let column = |(column, schema): (binlog::LoggedColumn<'_>, &ColumnSchema)| TypeColumn {
            label: PyString::intern(py, &schema.label).unbind(),
            place: Place { format: column.format, offset: HEADER + column.offset, length, shown },
            schema: schema.clone(),
        };
        // As the library reads times: old firmware has milliseconds, and in GPS those of the week beside them.
        let first = definition.columns().next().map_or("", |column| column.label);
        let is_receiver = LoggedDefinition::RECEIVERS.contains(&definition.name());
        let labels = [Some(("TimeUS", 1)), Some(("T", 1000)).filter(|_| is_receiver && first != "TimeMS")];
        let labels = labels.into_iter().flatten().chain((first == "TimeMS").then_some(("TimeMS", 1000)));
        let time = |(label, factor)| {
            let column = definition.column(label).filter(|column| column.format.is_integer())?;
            Some((column.format, HEADER + column.offset, factor))
        };
        let instance = definition.instance_column().map_or(0..0, |column| {
            let from = HEADER + column.offset;
            from..from + column.format.size()
        });
        Some(Type {
            name: definition.name().to_owned(),
            id: definition.id(),
            length,
            columns: definition.columns().zip(&table.columns).map(column).collect(),
            time: labels.into_iter().find_map(time),
            instance,
        })
    }

    /// Records of zeros.
    fn records(&self, count: usize) -> Vec<u8> {
        let mut record = vec![0; self.length];
        record.iter_mut().zip(record_header(self.id)).for_each(|(to, byte)| *to = byte);
        record.repeat(count)
    }

    fn time_us(&self, record: &[u8]) -> Option<u64> {
        let (format, offset, factor) = self.time?;
        let time = Value::of(format, record.get(offset..)?)?.to_integer()?;
        u64::try_from(time).ok()?.checked_mul(factor)
    }

    /// How errors call a column.
    fn column_name(&self, column: &TypeColumn) -> String {
        format!("{}.{}", self.name, column.schema.label)
    }

    fn no_column(&self, label: &str) -> PyErr {
        let known = self.columns.iter().map(|column| column.schema.label.clone()).collect();
        select_error(SelectError::NoColumn { name: self.name.clone(), label: label.to_owned(), known })
    }

    /// Whether each label is that of a column.
    fn require_known(&self, values: &Bound<'_, PyDict>) -> PyResult<()> {
        values.keys().iter().try_for_each(|label| {
            let label: String = label.extract()?;
            match self.columns.iter().any(|column| column.schema.label == label) {
                true => Ok(()),
                false => Err(self.no_column(&label)),
            }
        })
    }

    /// An error about a value of a column.
    fn fault(&self, column: &TypeColumn, fault: Fault) -> PyErr {
        let row = fault.row.map_or_else(String::new, |row| format!(", row {row}"));
        let text = format!("{}{row}: {}", self.column_name(column), fault.text);
        if fault.is_type { PyTypeError::new_err(text) } else { PyValueError::new_err(text) }
    }

    fn lacks(&self, column: &TypeColumn) -> PyErr {
        PyValueError::new_err(format!("{} has no value; a record has all its columns", self.column_name(column)))
    }
}

impl Out {
    /// Accepts records of a type, all of them or none.
    fn accept(&mut self, of: &Type, records: &[u8], is_row: bool) -> PyResult<()> {
        let mut times = Vec::with_capacity(records.len() / of.length);
        // Of each instance; there are few.
        let mut last_us: Vec<(&[u8], u64)> = Vec::new();
        let mut latest_us = self.latest_us;
        for (row, record) in records.chunks_exact(of.length).enumerate() {
            let Some(time_us) = of.time_us(record) else {
                times.push(latest_us);
                continue;
            };
            let instance = &record[of.instance.clone()];
            let place = last_us.iter().position(|(of, _)| *of == instance).unwrap_or_else(|| {
                let before = self.last_us.get(&(of.id, instance.to_vec())).copied();
                last_us.push((instance, before.unwrap_or_default()));
                last_us.len() - 1
            });
            let last_us = &mut last_us[place].1;
            let (before, what) = match time_us {
                time_us if time_us < *last_us => (*last_us, "that of the record before"),
                time_us if time_us < self.flushed_us => (self.flushed_us, "up to which the log is written"),
                time_us => {
                    *last_us = time_us;
                    latest_us = latest_us.max(time_us);
                    times.push(time_us);
                    continue;
                }
            };
            let row = if is_row { String::new() } else { format!(", row {row}") };
            let text = format!("{}{row}: the time {time_us} us is before {before} us, {what}", of.name);
            return Err(PyValueError::new_err(text));
        }
        last_us.into_iter().for_each(|(instance, time_us)| {
            self.last_us.insert((of.id, instance.to_vec()), time_us);
        });
        self.latest_us = latest_us;
        self.pending.add(records, of.length, &times);
        Ok(())
    }

    /// Writes what is accepted.
    fn flush(&mut self) -> io::Result<()> {
        self.flushed_us = self.latest_us;
        let mut records = self.pending.take();
        match self.ready.is_empty() {
            true => self.ready = records,
            false => self.ready.append(&mut records),
        }
        while self.written < self.ready.len() {
            match self.file.write(&self.ready[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => self.written += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        (self.ready, self.written) = (Vec::new(), 0);
        Ok(())
    }
}

impl Writer {
    fn type_of(&self, name: &str) -> PyResult<&Type> {
        if let Some(&place) = self.by_name.get(name) {
            return Ok(&self.types[place]);
        }
        if LoggedDefinition::DEFINING.contains(&name) {
            return Err(PyValueError::new_err(format!("{name} defines the log, and is written already")));
        }
        let known: Vec<&str> = self.types.iter().map(|of| &*of.name).collect();
        let meant = known.iter().find(|known| known.eq_ignore_ascii_case(name));
        Err(PyKeyError::new_err(match meant {
            Some(meant) => format!("the log has no type `{name}`; did you mean `{meant}`?"),
            None => format!("the log has no type `{name}`; it has {}", known.join(", ")),
        }))
    }

    /// Does something with the log that is open. Waits for other threads without stopping Python.
    fn with_out<T>(&self, py: Python<'_>, then: impl FnOnce(&mut Out) -> PyResult<T>) -> PyResult<T> {
        let mut out = self.out.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        match &mut *out {
            Some(out) => then(out),
            None => Err(PyValueError::new_err(format!("{}: the log is closed", self.path.display()))),
        }
    }

    /// The values of each column of a type, by whoever gives them.
    fn given(&self, py: Python<'_>, of: &Type, columns: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Given)>> {
        if let Ok(table) = columns.cast::<Table>() {
            let table = table.get();
            let columns = py.detach(|| table.decoded_as(self.numbers)).map_err(select_error)?;
            let given = |(schema, values): (ColumnSchema, _)| {
                of.columns
                    .iter()
                    .filter(|column| column.schema.label == schema.label)
                    .try_for_each(|column| same_unit(&of.column_name(column), &column.schema, &schema))?;
                Ok((schema.label, Given::Values(values)))
            };
            return columns.into_iter().map(given).collect();
        }
        if !columns.hasattr("items")? {
            return given::table(columns, &of.name)?.ok_or_else(|| {
                let text = "columns are a dict of arrays, a table, or what exports itself by Arrow";
                PyTypeError::new_err(format!("{}: {text}", of.name))
            });
        }
        let mut given = Vec::new();
        for item in columns.call_method0("items")?.try_iter()? {
            let (label, values): (String, Bound<'_, PyAny>) = item?.extract()?;
            let Some(column) = of.columns.iter().find(|column| column.schema.label == label) else {
                return Err(of.no_column(&label));
            };
            let name = of.column_name(column);
            if let Ok(values) = values.cast::<Column>() {
                same_unit(&name, &column.schema, values.get().schema())?;
            }
            given.push((label, given::column(&values, column.place.format, &name)?));
        }
        Ok(given)
    }

    /// Writes the log's end. Without an error, the log is closed; after one, it can be tried again, unless a part of
    /// the log was merged.
    fn finish(&self, log: &mut Option<Out>) -> Result<(), CloseError> {
        if let (None, Some(out)) = (&self.flight, &mut *log) {
            out.flush().map_err(CloseError::Io)?;
        }
        let (Some(mut out), Some((flight, _))) = (log.take(), &self.flight) else { return Ok(()) };
        let mut records = self.preamble.clone();
        records.append(&mut out.pending.take());
        let new = binlog::Log::from_bytes(records);
        match merge::merge([&**flight, &new], &mut out.file) {
            Ok(_) => Ok(()),
            Err(MergeError::Io(error)) => Err(CloseError::Io(error)),
            Err(error) => Err(CloseError::Merge(error)),
        }
    }

    fn io_error(&self, error: &io::Error) -> PyErr {
        io_error("write", &self.path, error)
    }
}

/// Values of a log in another unit than the column's would be other numbers.
fn same_unit(name: &str, column: &ColumnSchema, given: &ColumnSchema) -> PyResult<()> {
    let has_units = !column.unit.is_empty() && !given.unit.is_empty();
    if column.scale == given.scale && (!has_units || column.unit == given.unit) {
        return Ok(());
    }
    let shown = |schema: &ColumnSchema| match schema.scale {
        1.0 => schema.unit.clone(),
        scale => format!("{scale} {}", schema.unit),
    };
    Err(PyValueError::new_err(format!("{name} is in {}, and the values are in {}", shown(column), shown(given))))
}

/// A new file in place of one that exists. Whoever has mapped or opened the old one keeps it.
fn create(path: &Path) -> io::Result<File> {
    let Some(existing) = fs::canonicalize(path).ok().filter(|existing| existing.is_file()) else {
        return File::create(path);
    };
    let permissions = File::options().write(true).open(&existing)?.metadata()?.permissions();
    fs::remove_file(&existing)?;
    let file = File::create_new(&existing)?;
    file.set_permissions(permissions)?;
    Ok(file)
}

/// The records of the file with the descriptions, if the log has the format's own FILE.
fn embedded(schema: &LoggedSchema, descriptions: &str) -> Vec<u8> {
    let own = |file: &LoggedDefinition<'_>| file.check(&messages::File::DEFINITION).is_ok();
    let Some(file) = schema.message("FILE").filter(own) else { return Vec::new() };
    let parts = messages::File::parts(log_messages::FILE_NAME, descriptions.as_bytes());
    let record = |part: messages::File| [&record_header(file.id())[..], part.wire()].concat();
    parts.into_iter().flatten().flat_map(record).collect()
}

#[pymethods]
impl Writer {
    #[new]
    #[pyo3(signature = (path, schema, *, merge = None, scaling = "shown"))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        schema: &Bound<'_, PyAny>,
        merge: Option<&Bound<'_, Log>>,
        scaling: &str,
    ) -> PyResult<Self> {
        let numbers = match scaling {
            "shown" | "stored" => numbers_of(scaling)?,
            _ => return Err(PyValueError::new_err(format!("scaling is \"shown\" or \"stored\", not \"{scaling}\""))),
        };
        let Schema { mut preamble, names, descriptions, logs } = Schema::of(schema, merge.map(Bound::get))?;
        if fs::canonicalize(&path).is_ok_and(|path| logs.contains(&path)) {
            let text = format!("{} is the log that is read; choose another path", path.display());
            return Err(PyValueError::new_err(text));
        }
        let flight = match merge.map(Bound::get) {
            Some(flight) => Some((py.detach(|| flight.alone())?, flight.name.clone())),
            None => None,
        };
        if let Some((flight, name)) = &flight {
            let boots = py.detach(|| flight.boots().len());
            if boots > 1 {
                let text = format!("{name} has {boots} boots, whose times begin again; slice one of them");
                return Err(PyValueError::new_err(text));
            }
        }
        let log = binlog::Log::from_bytes(preamble.clone());
        let defined = LoggedSchema::from_bytes(&preamble);
        let types = defined.messages().filter(|message| !LoggedDefinition::DEFINING.contains(&message.name()));
        let types: Vec<Type> = types.filter_map(|message| Type::of(py, &log, &message, numbers)).collect();
        if !descriptions.is_empty() {
            preamble.append(&mut embedded(&defined, &descriptions));
        }
        let mut file = create(&path).map_err(|error| io_error("write", &path, &error))?;
        if flight.is_none() {
            file.write_all(&preamble).map_err(|error| io_error("write", &path, &error))?;
        }
        let out = Out {
            file,
            ready: Vec::new(),
            written: 0,
            pending: Pending::default(),
            last_us: HashMap::new(),
            flushed_us: 0,
            latest_us: 0,
        };
        let by_name = types.iter().enumerate().map(|(place, of)| (of.name.clone(), place)).collect();
        Ok(Writer { path, types, by_name, names, numbers, preamble, flight, out: Mutex::new(Some(out)) })
    }

    /// Writes a record: `write("ATT", TimeUS=0, Roll=1.5)`, or `write(attitude)` with an instance of a dataclass.
    #[pyo3(signature = (record, /, **values))]
    fn write(&self, py: Python<'_>, record: &Bound<'_, PyAny>, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let (of, values) = match record.cast::<PyString>() {
            Ok(name) => (self.type_of(&name.to_cow()?)?, Some(values)),
            Err(_) => {
                let Some(name) = self.names.bind(py).get_item(record.get_type())? else {
                    let text = "is neither the name of a type nor an instance of a dataclass of the schema";
                    return Err(PyTypeError::new_err(format!("{} {text}", record.repr()?)));
                };
                if values.is_some() {
                    return Err(PyTypeError::new_err("an instance of a dataclass has all its values"));
                }
                (self.type_of(name.cast::<PyString>()?.to_cow()?.as_ref())?, None)
            }
        };
        if let Some(Some(values)) = values
            && values.len() > of.columns.len()
        {
            of.require_known(values)?;
        }
        let mut bytes = of.records(1);
        for column in &of.columns {
            let value = match values {
                None => Some(record.getattr(column.label.bind(py))?),
                Some(None) => None,
                Some(Some(values)) => values.get_item(column.label.bind(py))?,
            };
            let Some(value) = value else {
                // A label that is misspelt leaves a column without a value.
                if let Some(Some(values)) = values {
                    of.require_known(values)?;
                }
                return Err(of.lacks(column));
            };
            let name = || of.column_name(column);
            let place = column.place;
            let to = &mut bytes[place.offset..place.offset + place.format.size()];
            let written = match place.format {
                format if format.is_text() => encode::text(&given::text(&value, name)?, place, to),
                Format::I16x32 => {
                    let samples = given::samples(&value, name)?;
                    to.as_chunks_mut().0.iter_mut().zip(samples).for_each(|(to, sample)| *to = sample.to_le_bytes());
                    Ok(())
                }
                _ => encode::number(given::number(&value, name)?, place, to),
            };
            written.map_err(|fault| of.fault(column, fault))?;
        }
        self.with_out(py, |out| out.accept(of, &bytes, true))
    }

    /// Writes a record for each row of columns: of a dict of arrays, of a table of a log, or of a table of polars,
    /// pandas or pyarrow. All rows are accepted, or none.
    fn write_columns(&self, py: Python<'_>, name: &str, columns: &Bound<'_, PyAny>) -> PyResult<()> {
        let of = self.type_of(name)?;
        let given = self.given(py, of, columns)?;
        if let Some((label, _)) =
            given.iter().find(|(label, _)| of.columns.iter().all(|column| column.schema.label != *label))
        {
            return Err(of.no_column(label));
        }
        let mut in_order = Vec::with_capacity(of.columns.len());
        for column in &of.columns {
            let mut of_column = given.iter().filter(|(label, _)| *label == column.schema.label);
            match (of_column.next(), of_column.next()) {
                (Some((_, values)), None) => in_order.push((column, values)),
                (None, _) => return Err(of.lacks(column)),
                _ => return Err(PyValueError::new_err(format!("{} is given twice", of.column_name(column)))),
            }
        }
        let count = in_order.first().map_or(0, |(_, values)| values.len());
        if let Some((column, values)) = in_order.iter().find(|(_, values)| values.len() != count) {
            let first = in_order.first().map_or("", |(column, _)| &column.schema.label);
            let (name, other) = (of.column_name(column), values.len());
            return Err(PyValueError::new_err(format!("{name} has {other} values, and {first} has {count}")));
        }
        py.detach(|| {
            let mut records = of.records(count);
            for (block, records) in records.chunks_mut(BLOCK * of.length).enumerate() {
                let rows = block * BLOCK..block * BLOCK + records.len() / of.length;
                for (column, values) in &in_order {
                    let written = values.write(column.place, rows.clone(), records);
                    written.map_err(|fault| of.fault(column, fault))?;
                }
            }
            let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
            match &mut *out {
                Some(out) => out.accept(of, &records, false),
                None => Err(PyValueError::new_err(format!("{}: the log is closed", self.path.display()))),
            }
        })
    }

    /// Writes what was accepted to the file: it survives the end of the program. Later records can't be before it.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        if self.flight.is_some() {
            return Err(PyValueError::new_err("a log that is merged with a flight is written when it is closed"));
        }
        self.with_out(py, |_| Ok(()))?;
        let flush = || {
            let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
            out.as_mut().map_or(Ok(()), Out::flush)
        };
        py.detach(flush).map_err(|error| self.io_error(&error))
    }

    /// Writes the log's end. A log that is closed stays so.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let finish = || self.finish(&mut self.out.lock().unwrap_or_else(PoisonError::into_inner));
        py.detach(finish).map_err(|error| match error {
            CloseError::Io(error) => self.io_error(&error),
            CloseError::Merge(error) => {
                let flight = self.flight.as_ref().map_or("", |(_, name)| name);
                merge_error(&error, &[flight.to_owned(), self.path.display().to_string()])
            }
        })
    }

    /// Whether it is closed.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        self.out.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).is_none()
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.close(py).map(|()| false)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let state = if self.closed(py) { "closed" } else { "open" };
        format!("<writer of {}: {} types, {state}>", self.path.display(), self.types.len())
    }
}

/// A writer that nobody closed writes what was accepted, but can't report errors.
impl Drop for Writer {
    fn drop(&mut self) {
        let mut out = std::mem::take(self.out.get_mut().unwrap_or_else(PoisonError::into_inner));
        let _ = self.finish(&mut out);
    }
}
