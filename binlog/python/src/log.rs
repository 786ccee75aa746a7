//! A log: its types, and the facts of its flight.

use crate::blackbox::Blackbox;
use crate::errors::{DamagedLog, open_error, select_error};
use crate::flight::{Damage, Message, Mode, seconds};
use crate::html;
use crate::record::Records;
use crate::table::{Rows, Table};
use binlog::cut::Cut;
use binlog::log::{Numbers, OpenError, OwnedRows};
use binlog::{AnyLog, Scaling};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens a log.
///
/// `scaling` says what numbers are: "shown" as pymavlink shows them, "stored" as the log has them, "units" in the
/// column's unit, times in seconds. With `map=True` the file is mapped instead of read: nobody may write to it or
/// shorten it while the log is in use. With `strict=True` a damaged log raises `DamagedLog`.
#[pyfunction]
#[pyo3(signature = (path, *, scaling = "shown", map = false, strict = false))]
pub fn open<'py>(
    py: Python<'py>,
    path: PathBuf,
    scaling: &str,
    map: bool,
    strict: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (numbers, name) = (numbers_of(scaling)?, path.display().to_string());
    let first_damage = |damage: Vec<Damage>| match damage.into_iter().next().filter(|_| strict) {
        Some(Damage { offset, length, reason }) => {
            Err(DamagedLog::new_err(format!("{name}: {length} bytes at {offset}: {reason}")))
        }
        None => Ok(()),
    };
    match py.detach(|| opened(&path, map)).map_err(open_error)? {
        AnyLog::ArduPilot(log) => {
            let log = Log { log: Arc::new(log), name: name.clone(), numbers };
            first_damage(if strict { py.detach(|| log.damage()) } else { Vec::new() })?;
            Ok(Bound::new(py, log)?.into_any())
        }
        AnyLog::Blackbox(log) => {
            let log = Blackbox::new(log, name.clone(), numbers);
            first_damage(if strict { py.detach(|| log.all_damage()) } else { Vec::new() })?;
            Ok(Bound::new(py, log)?.into_any())
        }
    }
}

/// How numbers are decoded by a scaling.
pub fn numbers_of(scaling: &str) -> PyResult<Numbers> {
    match scaling {
        "shown" => Ok(Numbers::Scaled(Scaling::Shown)),
        "stored" => Ok(Numbers::Scaled(Scaling::Stored)),
        "units" => Ok(Numbers::Scaled(Scaling::Units)),
        _ => {
            let text = format!("scaling is \"shown\", \"stored\" or \"units\", not \"{scaling}\"");
            Err(PyValueError::new_err(text))
        }
    }
}

/// A file, read or mapped.
fn opened(path: &Path, map: bool) -> Result<AnyLog<'static>, OpenError> {
    match map {
        // SAFETY: whoever passes `map=True` promises it.
        #[expect(unsafe_code, reason = "a mapped file must not change")]
        true => unsafe { AnyLog::map(path) },
        false => AnyLog::open(path),
    }
}

/// An ArduPilot log. `log["ATT"]` is a table, `log["IMU[1].GyrX"]` a column.
#[pyclass(frozen, mapping, module = "binlog")]
pub struct Log {
    log: Arc<binlog::Log<'static>>,
    name: String,
    numbers: Numbers,
}

impl Log {
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        let table = || {
            let rows = OwnedRows::new(self.log.clone(), |log| log.rows(name))?;
            Ok(Table::new(Rows::new(rows, self.numbers)?))
        };
        py.detach(table).map_err(select_error)
    }

    fn names(&self) -> Vec<String> {
        self.log.types().map(|rows| rows.name().to_owned()).collect()
    }

    fn part(&self, py: Python<'_>, what: &str, intervals: impl IntoIterator<Item = Range<u64>>) -> PyResult<Log> {
        let cut = Cut::new().during(intervals);
        let mut bytes = Vec::new();
        py.detach(|| cut.write(&self.log, &mut bytes))?;
        let log = Arc::new(binlog::Log::from_bytes(bytes));
        Ok(Log { log, name: format!("{}, {what}", self.name), numbers: self.numbers })
    }
}

/// A time in UTC, from microseconds since 1970.
fn utc(py: Python<'_>, unix_us: Option<i64>) -> PyResult<Option<Bound<'_, PyAny>>> {
    let Some(unix_us) = unix_us else { return Ok(None) };
    let datetime = py.import("datetime")?;
    let utc = datetime.getattr("timezone")?.getattr("utc")?;
    let epoch = datetime.getattr("datetime")?.call1((1970, 1, 1, 0, 0, 0, 0, utc))?;
    let since = PyDict::new(py);
    since.set_item("microseconds", unix_us)?;
    Ok(Some(epoch.add(datetime.getattr("timedelta")?.call((), Some(&since))?)?))
}

#[pymethods]
impl Log {
    /// The firmware: "Copter"; None if the log doesn't say.
    #[getter]
    fn vehicle(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.log.vehicle()).map(|vehicle| vehicle.to_string())
    }

    /// The parameters by name, with their values at the end of the log.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let params = PyDict::new(py);
        for (name, parameter) in py.detach(|| self.log.parameters()) {
            params.set_item(name, parameter.last())?;
        }
        Ok(params)
    }

    /// The modes of the flight, in order.
    #[getter]
    fn modes(&self, py: Python<'_>) -> Vec<Mode> {
        let mode = |mode: binlog::log::ModeInterval| Mode {
            name: mode.name,
            number: mode.number,
            start: seconds(mode.time_us.start),
            end: seconds(mode.time_us.end),
        };
        py.detach(|| self.log.modes().into_iter().map(mode).collect())
    }

    /// The texts of the log.
    #[getter]
    fn messages(&self, py: Python<'_>) -> Vec<Message> {
        let message = |text: binlog::log::TextMessage| Message { time: seconds(text.time_us), text: text.text };
        py.detach(|| self.log.texts().into_iter().map(message).collect())
    }

    /// The bytes outside of records, without the padding at the log's end.
    #[getter]
    fn damage(&self) -> Vec<Damage> {
        let lost = self.log.skipped().iter().filter(|skipped| !skipped.is_padding(self.log.bytes()));
        let damage = |skipped: &binlog::Skipped| Damage {
            offset: skipped.offset,
            length: skipped.length,
            reason: skipped.reason.to_string(),
        };
        lost.map(damage).collect()
    }

    /// When the log begins, in UTC; None if GPS never told the time.
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        utc(py, py.detach(|| Some(self.log.clock()?.unix_us(*self.log.time_range_us()?.start()))))
    }

    /// When the vehicle booted, in UTC, from which the times of records count; None if GPS never told the time.
    #[getter]
    fn boot<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        utc(py, py.detach(|| Some(self.log.clock()?.boot_unix_us())))
    }

    /// How long it is, in seconds.
    #[getter]
    fn duration(&self, py: Python<'_>) -> f64 {
        py.detach(|| self.log.time_range_us()).map_or(0.0, |range| seconds(range.end() - range.start()))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.log.types().count())
    }

    fn __contains__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> bool {
        name.extract::<&str>().is_ok_and(|name| py.detach(|| self.log.types().any(|rows| rows.name() == name)))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.keys(py))?.try_iter()?.into_any())
    }

    /// The names of the types with records.
    fn keys(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.names())
    }

    fn values(&self, py: Python<'_>) -> PyResult<Vec<Table>> {
        self.keys(py).iter().map(|name| self.table(py, name)).collect()
    }

    fn items(&self, py: Python<'_>) -> PyResult<Vec<(String, Table)>> {
        self.keys(py).into_iter().map(|name| Ok((name.clone(), self.table(py, &name)?))).collect()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        // The name of an instance may have a dot, that of a type hasn't.
        let after = name.rfind("].").map_or(0, |at| at + 1);
        match name[after..].find('.') {
            Some(dot) => {
                let table = self.table(py, &name[..after + dot])?;
                Ok(Bound::new(py, table.decoded(py, &name[after + dot + 1..])?)?.into_any())
            }
            None => Ok(Bound::new(py, self.table(py, name)?)?.into_any()),
        }
    }

    /// Records of these types, or of all, in the order of the log.
    #[pyo3(signature = (*names))]
    fn records(&self, py: Python<'_>, names: &Bound<'_, PyTuple>) -> PyResult<Records> {
        let mut names: Vec<String> = names.extract()?;
        if names.is_empty() {
            names = self.keys(py);
        }
        names.sort_unstable();
        names.dedup();
        let types = || {
            let mut types = Vec::new();
            for name in &names {
                let rows = OwnedRows::new(self.log.clone(), |log| log.rows(name))?;
                types.extend(Rows::of_definitions(rows, self.numbers)?.into_iter().map(Arc::new));
            }
            Ok(Records::new(types))
        };
        py.detach(types).map_err(select_error)
    }

    /// The part between two times, in seconds since boot, with the parameters and the mode that apply at its beginning.
    fn slice(&self, py: Python<'_>, start: f64, end: f64) -> PyResult<Log> {
        if start.is_nan() || end.is_nan() || start > end {
            return Err(PyValueError::new_err(format!("the part ends at {end} s, before it begins at {start} s")));
        }
        let micros = |seconds: f64| (seconds.max(0.0) * 1e6).round() as u64;
        self.part(py, &format!("{start} s to {end} s"), std::iter::once(micros(start)..micros(end)))
    }

    /// The parts in this mode.
    fn mode(&self, py: Python<'_>, name: &str) -> PyResult<Log> {
        let modes = py.detach(|| self.log.modes());
        let of_name = |mode: &&binlog::log::ModeInterval| {
            mode.name.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(name))
        };
        let intervals: Vec<Range<u64>> = modes.iter().filter(of_name).map(|mode| mode.time_us.clone()).collect();
        if intervals.is_empty() {
            let mut known: Vec<&str> = modes.iter().filter_map(|mode| mode.name.as_deref()).collect();
            known.sort_unstable();
            known.dedup();
            return Err(PyKeyError::new_err(format!("the log is never in mode `{name}`; it has {}", known.join(", "))));
        }
        self.part(py, name, intervals)
    }

    /// The parts in which the vehicle was armed.
    fn armed(&self, py: Python<'_>) -> PyResult<Log> {
        let armed = py.detach(|| self.log.armed());
        self.part(py, "armed", armed.into_iter().map(|armed| armed.time_us))
    }

    /// Registers each type as a view of a DuckDB connection.
    fn register(&self, py: Python<'_>, connection: &Bound<'_, PyAny>) -> PyResult<()> {
        for (name, table) in self.items(py)? {
            connection.call_method1("register", (name, Bound::new(py, table)?))?;
        }
        Ok(())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let vehicle = self.vehicle(py).map_or(String::new(), |vehicle| format!(" of a {vehicle}"));
        format!("<log{vehicle}: {}, {:.1} s, {} types>", self.name, self.duration(py), self.__len__(py))
    }

    fn _repr_html_(&self, py: Python<'_>) -> String {
        let row = |rows: binlog::log::Rows<'_>| {
            vec![rows.name().to_owned(), rows.len().to_string(), rows.labels().join(", ")]
        };
        let rows: Vec<Vec<String>> = py.detach(|| self.log.types().map(row).collect());
        html::table(&self.__repr__(py), &["type", "records", "columns"], rows)
    }
}
