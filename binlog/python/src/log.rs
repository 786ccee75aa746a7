//! A log: its types, and the facts of its flight.

use crate::blackbox::Blackbox;
use crate::errors::{DamagedLog, open_error, or_default, select_error};
use crate::flight::{Damage, Message, Mode, seconds};
use crate::html;
use crate::names::{hint, name_of, one_line};
use crate::part::{Intervals, extent_us, within};
use crate::pickled::{self, Pickled};
use crate::pipe;
use crate::record::Records;
use crate::table::{Rows, Table};
use crate::threads::processors;
use binlog::cut::Cut;
use binlog::log::{DamagedLine, ModeInterval, Numbers, OwnedRows, Parameter, SelectError, TextMessage};
use binlog::{AnyLog, Scaling, Skipped};
use pyo3::exceptions::{PyAttributeError, PyKeyError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Opens a log.
///
/// `scaling` says what numbers are: "shown" as pymavlink shows them, "stored" as the log has them, "units" in the
/// column's unit, times in seconds. With `map=True` the file is mapped instead of read: nobody may write to it or
/// shorten it while the log is in use. With `strict=True` a damaged log raises `DamagedLog`.
///
/// A pipe or a device is read to its end, 4 GiB at most; a named pipe without a writer is waited for.
#[pyfunction]
#[pyo3(signature = (path, *, scaling = "shown", map = false, strict = false))]
pub fn open<'py>(
    py: Python<'py>,
    path: PathBuf,
    scaling: &str,
    map: bool,
    strict: bool,
) -> PyResult<Bound<'py, PyAny>> {
    opened(py, Opened::new(path, scaling, map)?, None, strict)
}

/// How a log was opened.
#[derive(Clone)]
pub struct Opened {
    given: PathBuf,
    /// The path from the root, since whoever opens it again may be in another folder.
    pub path: PathBuf,
    pub numbers: Numbers,
    pub map: bool,
    /// Whether it came through a pipe or from a device, so that nobody can open it again.
    pub is_pipe: bool,
}

impl Opened {
    pub fn new(path: PathBuf, scaling: &str, map: bool) -> PyResult<Self> {
        let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
        Ok(Opened { given: path, path: absolute, numbers: numbers_of(scaling)?, map, is_pipe: false })
    }

    /// What people call it: the path as it was given.
    pub fn name(&self) -> String {
        self.given.display().to_string()
    }

    /// The scaling as `open` takes it.
    pub fn scaling(&self) -> &'static str {
        match self.numbers {
            Numbers::Scaled(Scaling::Stored) => "stored",
            Numbers::Scaled(Scaling::Units) => "units",
            _ => "shown",
        }
    }
}

/// A log, or a part of it: its name and its intervals in each boot.
pub fn opened<'py>(
    py: Python<'py>,
    mut opened: Opened,
    part: Option<(String, Vec<Intervals>)>,
    strict: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let name = opened.name();
    let first_damage = |damage: Vec<Damage>| match damage.into_iter().next().filter(|_| strict) {
        Some(Damage { offset, length, reason }) => {
            Err(DamagedLog::new_err(format!("{name}: {length} bytes at {offset}: {reason}")))
        }
        None => Ok(()),
    };
    match loaded(py, &mut opened)? {
        AnyLog::ArduPilot(log) => {
            let (name, part) = part.map_or((name.clone(), None), |(name, part)| (name, Some(part)));
            let log = Log { log: Arc::new(log), opened, name, part, types: OnceLock::new() };
            first_damage(if strict { py.detach(|| log.all_damage()) } else { Vec::new() })?;
            Ok(Bound::new(py, log)?.into_any())
        }
        AnyLog::Blackbox(log) => {
            let log = Blackbox::new(log, opened);
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
fn loaded(py: Python<'_>, opened: &mut Opened) -> PyResult<AnyLog<'static>> {
    let path = &opened.given;
    let is_pipe = || path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    opened.is_pipe = !opened.map && py.detach(is_pipe);
    if opened.is_pipe {
        return pipe::read(py, path);
    }
    let load = || match opened.map {
        // SAFETY: whoever passes `map=True` promises it.
        #[expect(unsafe_code, reason = "a mapped file must not change")]
        true => unsafe { AnyLog::map(path) },
        false => AnyLog::open(path),
    };
    py.detach(load).map_err(open_error)
}

/// An ArduPilot log, or a part of it. `log["ATT"]` is a table, `log["IMU[1].GyrX"]` a column.
#[pyclass(frozen, mapping, module = "binlog")]
pub struct Log {
    /// The log, or that of which it is a part.
    pub log: Arc<binlog::Log<'static>>,
    /// The file that it was read from.
    pub opened: Opened,
    /// How texts call it, with what the part is.
    pub name: String,
    /// Of a part, its intervals in each boot.
    part: Option<Vec<Intervals>>,
    /// The names of the types with records, when they are known.
    types: OnceLock<Vec<String>>,
}

impl Log {
    fn rows(&self, name: &str) -> Result<OwnedRows, SelectError> {
        OwnedRows::new(self.log.clone(), |log| {
            let rows = log.rows(name)?;
            Ok(match &self.part {
                Some(boots) => rows.during(boots),
                None => rows,
            })
        })
    }

    /// The log, or else a copy of what its part has.
    pub fn alone(&self) -> io::Result<Arc<binlog::Log<'static>>> {
        let Some(boots) = &self.part else { return Ok(self.log.clone()) };
        let mut bytes = Vec::new();
        Cut::new().during_boots(boots.clone()).write(&self.log, &mut bytes)?;
        Ok(Arc::new(binlog::Log::from_bytes(bytes)))
    }

    fn table(&self, py: Python<'_>, name: &str) -> Result<Table, SelectError> {
        py.detach(|| Ok(Table::new(Rows::new(self.rows(name)?, self.opened.numbers)?)))
    }

    /// Each type that is one table, with a warning about those that the log redefines.
    fn types_as_tables(&self, py: Python<'_>) -> PyResult<Vec<(String, Table)>> {
        let mut tables = Vec::new();
        for name in self.keys(py) {
            match self.table(py, &name) {
                Ok(table) => tables.push((name, table)),
                Err(error @ SelectError::Redefined { .. }) => {
                    let text =
                        CString::new(format!("{} is left out: {}", one_line(&name), select_error(error).value(py)));
                    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text.unwrap_or_default(), 1)?;
                }
                Err(error) => return Err(select_error(error)),
            }
        }
        Ok(tables)
    }

    /// Decodes all columns of tables.
    fn decode(&self, tables: &[(String, Table)]) -> Result<(), SelectError> {
        // A part has other records.
        if self.part.is_none() {
            let mut of_types: BTreeMap<String, Vec<Vec<binlog::log::Column>>> = BTreeMap::new();
            for table in self.log.tables_with(self.opened.numbers, processors()) {
                of_types.entry(table.name().to_owned()).or_default().push(table.into_columns());
            }
            for (name, table) in tables {
                // A type with several definitions has their records in turn.
                if let Some(of_type) = of_types.remove(name)
                    && let Ok([columns]) = <[_; 1]>::try_from(of_type)
                {
                    table.keep(columns);
                }
            }
        }
        tables.iter().try_for_each(|(_, table)| table.decode())
    }

    fn types(&self) -> &[String] {
        self.types.get_or_init(|| {
            let has_records = |rows: &binlog::log::Rows<'_>| match &self.part {
                Some(boots) => !rows.during(boots).is_empty(),
                None => true,
            };
            self.log.types().filter(has_records).map(|rows| rows.name().to_owned()).collect()
        })
    }

    /// Whether there are records of the type or the instance, and whether they have a column with the label, if one is
    /// given.
    fn has(&self, name: &str, label: Option<&str>) -> bool {
        let has_label = |label: &str| {
            let rows = self.rows(name);
            rows.is_ok_and(|rows| {
                let rows = rows.rows();
                rows.definitions().any(|definition| definition.distinct_labels().iter().any(|known| known == label))
            })
        };
        let has_records = self.rows(name).is_ok_and(|rows| !rows.rows().is_empty());
        has_records && label.is_none_or(has_label)
    }

    /// What each boot says, with the boot's number. A log of one boot keeps its index.
    fn of_boots<T>(&self, facts: impl Fn(&binlog::Log<'_>) -> Vec<T>) -> Vec<(usize, T)> {
        let boots = self.log.boots();
        if boots.len() == 1 {
            return facts(&self.log).into_iter().map(|fact| (0, fact)).collect();
        }
        boots.enumerate().flat_map(|(i, boot)| facts(&boot.log()).into_iter().map(move |fact| (i, fact))).collect()
    }

    /// What this part has of a time of a boot.
    fn within(&self, boot: usize, time_us: &Range<u64>) -> Intervals {
        match &self.part {
            Some(boots) => boots.get(boot).map_or_else(Vec::new, |own| within(own, time_us)),
            None => std::iter::once(time_us.clone()).collect(),
        }
    }

    /// The part with these intervals, each of a boot.
    fn part(&self, what: &str, intervals: &[(usize, Range<u64>)]) -> Log {
        let of_boot = |boot: usize| {
            let of_boot = intervals.iter().filter(|(of_boot, _)| *of_boot == boot);
            of_boot.flat_map(|(_, time_us)| self.within(boot, time_us)).collect()
        };
        Log {
            log: self.log.clone(),
            opened: self.opened.clone(),
            name: format!("{}, {what}", self.name),
            part: Some((0..self.log.boots().len()).map(of_boot).collect()),
            types: OnceLock::new(),
        }
    }

    /// Whether a time of a boot is in it.
    fn has_time(&self, boot: usize, time_us: u64) -> bool {
        self.part.as_ref().is_none_or(|boots| {
            boots.get(boot).is_some_and(|intervals| intervals.iter().any(|interval| interval.contains(&time_us)))
        })
    }

    fn all_damage(&self) -> Vec<Damage> {
        let lost = self.log.skipped().iter().filter(|skipped| !skipped.is_padding(self.log.bytes()));
        let boots: Vec<Range<usize>> = self.log.boots().map(|boot| boot.range()).collect();
        let mut records = self.log.records().flatten().peekable();
        let mut last = None;
        let mut is_after_record_of_part = |damage: &Damage| {
            while let Some(record) = records.next_if(|record| record.offset() < damage.offset) {
                last = record.time_us().map(|time_us| (record.offset(), time_us)).or(last);
            }
            let boot = boots.iter().position(|boot| boot.contains(&damage.offset));
            boot.zip(last)
                .is_some_and(|(boot, (offset, time_us))| boots[boot].contains(&offset) && self.has_time(boot, time_us))
        };
        let is_here = |damage: &Damage| self.part.is_none() || is_after_record_of_part(damage);
        let damage = |skipped: &Skipped| Damage {
            offset: skipped.offset,
            length: skipped.length,
            reason: skipped.reason.to_string(),
        };
        let line = |line: &DamagedLine| Damage { offset: line.place, length: line.length, reason: line.to_string() };
        let lines = self.log.damaged_lines().unwrap_or_default();
        lost.map(damage).chain(lines.iter().map(line)).filter(is_here).collect()
    }

    /// The parameters at its end. One that is logged only later has its first value, which it has had before, too.
    fn parameters(&self) -> Vec<(String, f64)> {
        let Some(boots) = &self.part else {
            return self.log.parameters().into_iter().map(|(name, parameter)| (name, parameter.last())).collect();
        };
        let last = boots.iter().rposition(|intervals| !intervals.is_empty()).unwrap_or(0);
        let end_us = boots.get(last).and_then(|intervals| intervals.iter().map(|interval| interval.end).max());
        let value = |(name, parameter): (String, Parameter)| {
            let mut before = parameter.values.iter().rev().filter(|value| Some(value.time_us) < end_us);
            (name, before.next().map_or_else(|| parameter.first(), |value| value.value))
        };
        let of_boots = self.of_boots(|log| log.parameters().into_iter().map(value).collect());
        of_boots.into_iter().filter(|(boot, _)| *boot == last).map(|(_, parameter)| parameter).collect()
    }

    fn modes_of_boots(&self) -> Vec<(usize, ModeInterval)> {
        let parts = |(boot, mode): (usize, ModeInterval)| {
            let parts = self.within(boot, &mode.time_us);
            parts.into_iter().map(move |time_us| (boot, ModeInterval { time_us, ..mode.clone() }))
        };
        self.of_boots(|log| log.modes()).into_iter().flat_map(parts).collect()
    }

    /// Its earliest time in any boot, and how long it is in all boots, in microseconds; `None` without times.
    fn extent_us(&self) -> Option<(u64, u64)> {
        let of_boot = |(i, boot): (usize, binlog::log::Boot<'_>)| {
            let times = boot.time_range_us()?;
            extent_us(&self.within(i, &(0..u64::MAX)), &times)
        };
        let extents = self.log.boots().enumerate().filter_map(of_boot);
        extents.reduce(|(start, one), (other_start, other)| (start.min(other_start), one + other))
    }
}

/// The type or instance, and the label of `ATT.Roll` and `IMU[1].GyrX`.
fn parts_of(name: &str) -> (&str, Option<&str>) {
    // The name of an instance may have a dot, that of a type hasn't.
    let after = name.rfind("].").map_or(0, |at| at + 1);
    match name[after..].find('.') {
        Some(dot) => (&name[..after + dot], Some(&name[after + dot + 1..])),
        None => (name, None),
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
    // A damaged time isn't in the years that Python has.
    Ok(epoch.add(datetime.getattr("timedelta")?.call((), Some(&since))?).ok())
}

/// The names of types that `records` was given, of which `shown` is the first argument.
fn names_of(names: PyResult<Vec<String>>, shown: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match names {
        Ok(names) => Ok(names),
        Err(_) => {
            let text = "records takes names of types, log.records(\"ATT\", \"GPS\"), not";
            Err(PyTypeError::new_err(format!("{text} {}", shown.repr()?)))
        }
    }
}

/// What takes the place of the attributes that a log of pymavlink has.
const OF_PYMAVLINK: [(&str, &str); 5] = [
    ("recv_match", "write `for record in log.records(\"ATT\")`"),
    ("recv_msg", "write `for record in log.records()`"),
    ("flightmode", "log.modes has all modes, and log.mode(\"AUTO\") the part in one"),
    ("param", "log.params has the parameters, and log.params.get(name, default) one of them"),
    ("rewind", "each loop over log.records() begins at its start"),
];

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
        for (name, value) in py.detach(|| self.parameters()) {
            params.set_item(name, value)?;
        }
        Ok(params)
    }

    /// The modes of the flight, in order.
    #[getter]
    fn modes(&self, py: Python<'_>) -> Vec<Mode> {
        let mode = |(_, mode): (usize, ModeInterval)| Mode {
            name: mode.name,
            number: mode.number,
            start: seconds(mode.time_us.start),
            end: seconds(mode.time_us.end),
        };
        py.detach(|| self.modes_of_boots().into_iter().map(mode).collect())
    }

    /// The texts of the log.
    #[getter]
    fn messages(&self, py: Python<'_>) -> Vec<Message> {
        let is_here = |(boot, text): &(usize, TextMessage)| self.has_time(*boot, text.time_us);
        let message = |(_, text): (usize, TextMessage)| Message { time: seconds(text.time_us), text: text.text };
        py.detach(|| self.of_boots(|log| log.texts()).into_iter().filter(is_here).map(message).collect())
    }

    /// The bytes outside of records, without the padding at the log's end. Those of a part follow one of its records.
    #[getter]
    fn damage(&self, py: Python<'_>) -> Vec<Damage> {
        py.detach(|| self.all_damage())
    }

    /// When it begins, in UTC; None if GPS never told the time.
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        utc(py, py.detach(|| Some(self.log.clock()?.unix_us(self.extent_us()?.0))))
    }

    /// When the vehicle booted, in UTC, from which the times of records count; None if GPS never told the time.
    #[getter]
    fn boot<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        utc(py, py.detach(|| Some(self.log.clock()?.boot_unix_us())))
    }

    /// How long it is, in seconds: of a part, its intervals together.
    #[getter]
    fn duration(&self, py: Python<'_>) -> f64 {
        py.detach(|| self.extent_us()).map_or(0.0, |(_, length_us)| seconds(length_us))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.types().len())
    }

    /// Whether it has records of a type, `ATT`, or of an instance, `IMU[1]`, or records with a column, `ATT.Roll`.
    fn __contains__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> bool {
        let Some(name) = name_of(name) else { return false };
        let (of_type, label) = parts_of(&name);
        py.detach(|| self.has(of_type, label) || label.is_some() && self.has(&name, None))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.keys(py))?.try_iter()?.into_any())
    }

    /// The names of the types with records.
    fn keys(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.types().to_vec())
    }

    /// The tables of all types. A type that the log redefines is left out, with a warning.
    fn values(&self, py: Python<'_>) -> PyResult<Vec<Table>> {
        Ok(self.types_as_tables(py)?.into_iter().map(|(_, table)| table).collect())
    }

    /// The names and tables of all types. A type that the log redefines is left out, with a warning.
    fn items(&self, py: Python<'_>) -> PyResult<Vec<(String, Table)>> {
        self.types_as_tables(py)
    }

    /// The tables of all types by name, as `items` has them, with all columns decoded. Of a whole log they are decoded
    /// in one pass, which takes less time than one type after the other.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = self.types_as_tables(py)?;
        py.detach(|| self.decode(&tables)).map_err(select_error)?;
        let dict = PyDict::new(py);
        for (name, table) in tables {
            dict.set_item(name, table)?;
        }
        Ok(dict)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Some(name) = name_of(name) else {
            let text = format!("a log has types by name, log[\"ATT\"], and nothing at [{}]", name.repr()?);
            return Err(PyTypeError::new_err(text));
        };
        let (of_type, label) = parts_of(&name);
        match (self.table(py, of_type), label) {
            (Ok(table), Some(label)) => Ok(Bound::new(py, table.decoded(py, label)?)?.into_any()),
            (Ok(table), None) => Ok(Bound::new(py, table)?.into_any()),
            // A definition that is damaged may give a type a name with a dot.
            (Err(error), Some(_)) => match self.table(py, &name) {
                Ok(table) => Ok(Bound::new(py, table)?.into_any()),
                Err(_) => Err(select_error(error)),
            },
            (Err(error), None) => Err(select_error(error)),
        }
    }

    /// The table or the column, or the default if there is none.
    #[pyo3(signature = (key, default = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        or_default(self.__getitem__(py, key), default, py)
    }

    /// Records of these types, of those in a list, or without an argument of all, in the order of the log. A type that
    /// the log lacks is a KeyError.
    #[pyo3(signature = (*names))]
    fn records(&self, py: Python<'_>, names: &Bound<'_, PyTuple>) -> PyResult<Records> {
        let first = names.get_item(0).ok();
        let mut names = match &first {
            None => self.keys(py),
            Some(list) if names.len() == 1 && !list.is_instance_of::<PyString>() => names_of(list.extract(), list)?,
            Some(first) => names_of(names.extract(), first)?,
        };
        names.sort_unstable();
        names.dedup();
        let types = || {
            let mut types = Vec::new();
            for name in &names {
                let definitions = Rows::of_definitions(self.rows(name)?, self.opened.numbers)?;
                types.extend(definitions.into_iter().map(Arc::new));
            }
            Ok(Records::new(types))
        };
        py.detach(types).map_err(select_error)
    }

    fn __getattr__(&self, name: &Bound<'_, PyString>) -> PyResult<Py<PyAny>> {
        let name = name.to_string_lossy();
        let hint = OF_PYMAVLINK.iter().find(|(of, _)| *of == name).map(|(_, hint)| format!("; {hint}"));
        let text = format!("a log has no attribute `{name}`{}", hint.unwrap_or_default());
        Err(PyAttributeError::new_err(text))
    }

    /// The part from one time to before another, in seconds since boot: a log of the records in it, with the vehicle,
    /// the modes and the parameters of that time.
    fn slice(&self, py: Python<'_>, start: f64, end: f64) -> PyResult<Log> {
        if start.is_nan() || end.is_nan() {
            return Err(PyValueError::new_err("a part begins and ends at seconds since boot, not NaN"));
        }
        if start > end {
            return Err(PyValueError::new_err(format!("the part ends at {end} s, before it begins at {start} s")));
        }
        let micros = |seconds: f64| (seconds.max(0.0) * 1e6).round() as u64;
        let times = micros(start)..micros(end);
        Ok(py.detach(|| {
            let of_boots: Vec<_> = (0..self.log.boots().len()).map(|boot| (boot, times.clone())).collect();
            self.part(&format!("{start} s to {end} s"), &of_boots)
        }))
    }

    /// The parts in this mode.
    fn mode(&self, py: Python<'_>, name: &str) -> PyResult<Log> {
        let modes = py.detach(|| self.modes_of_boots());
        let named = modes.iter().filter_map(|(boot, mode)| Some((mode.name.as_deref()?, *boot, &mode.time_us)));
        let of_name = named.clone().filter(|(known, ..)| known.eq_ignore_ascii_case(name));
        let intervals: Vec<_> = of_name.map(|(_, boot, time_us)| (boot, time_us.clone())).collect();
        if intervals.is_empty() {
            let mut known: Vec<&str> = named.map(|(known, ..)| known).collect();
            known.sort_unstable();
            known.dedup();
            let text = format!("the log is never in mode `{name}`; {}", hint(name, &known));
            return Err(PyKeyError::new_err(text));
        }
        Ok(py.detach(|| self.part(name, &intervals)))
    }

    /// The parts in which the vehicle was armed.
    fn armed(&self, py: Python<'_>) -> Log {
        py.detach(|| {
            let armed = self.of_boots(|log| log.armed()).into_iter();
            self.part("armed", &armed.map(|(boot, armed)| (boot, armed.time_us)).collect::<Vec<_>>())
        })
    }

    /// Registers each type as a view of a DuckDB connection. A type that the log redefines is left out, with a warning.
    /// Views of another log in the connection stay, of types that this one lacks: take a connection for each log.
    fn register(&self, py: Python<'_>, connection: &Bound<'_, PyAny>) -> PyResult<()> {
        for (name, table) in self.types_as_tables(py)? {
            connection.call_method1("register", (name, Bound::new(py, table)?))?;
        }
        Ok(())
    }

    /// An error, because numpy would make one object of it.
    #[pyo3(signature = (*_arguments, **_named))]
    fn __array__(&self, _arguments: &Bound<'_, PyTuple>, _named: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        Err(PyTypeError::new_err("a log has many arrays: numpy.asarray(log[\"ATT\"][\"Roll\"]) is one"))
    }

    fn __copy__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    /// Nothing in it can change.
    fn __deepcopy__<'py>(this: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        this
    }

    /// A log pickles as its path: where it arrives, the file is opened again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled::log(py, &self.opened, self.part.as_deref().map(|part| (&*self.name, part)))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let vehicle = self.vehicle(py).map_or(String::new(), |vehicle| format!(" of a {vehicle}"));
        let (name, types) = (one_line(&self.name), self.__len__(py));
        format!("<log{vehicle}: {name}, {:.1} s, {types} types>", self.duration(py))
    }

    fn _repr_html_(&self, py: Python<'_>) -> String {
        let row = |name: &String| {
            let rows = self.rows(name).ok()?;
            let rows = rows.rows();
            Some(vec![name.clone(), rows.len().to_string(), rows.labels().join(", ")])
        };
        let rows: Vec<Vec<String>> = py.detach(|| self.types().iter().filter_map(row).collect());
        html::table(&self.__repr__(py), &["type", "records", "columns"], rows)
    }
}
