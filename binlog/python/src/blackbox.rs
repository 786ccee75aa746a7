//! A Blackbox log: its sessions, and their frames as tables.

use crate::errors::or_default;
use crate::flight::{Damage, seconds};
use crate::html;
use crate::log::Opened;
use crate::names::{hint, name_of, one_line};
use crate::pickled::{self, Pickled};
use crate::table::{Rows, Source, Table};
use binlog::blackbox::BlackboxLog;
use binlog::blackbox::log::{Tables, table_name};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::{Arc, OnceLock};

/// A Blackbox log. `log.sessions[0]["main"]` is a table of the main frames.
#[pyclass(frozen, module = "binlog")]
pub struct Blackbox {
    log: BlackboxLog<'static>,
    opened: Opened,
    /// The frames of each session, which are decoded together.
    tables: OnceLock<Vec<Arc<Tables>>>,
}

impl Blackbox {
    /// A log that was opened.
    pub fn new(log: BlackboxLog<'static>, opened: Opened) -> Self {
        Blackbox { log, opened, tables: OnceLock::new() }
    }

    fn tables(&self) -> &[Arc<Tables>] {
        self.tables.get_or_init(|| self.log.tables().into_iter().map(Arc::new).collect())
    }

    /// The bytes outside of frames, of all sessions.
    pub fn all_damage(&self) -> Vec<Damage> {
        self.tables().iter().flat_map(|tables| damage(tables)).collect()
    }
}

fn damage(tables: &Tables) -> Vec<Damage> {
    let damage = |lost: &binlog::blackbox::log::Lost| Damage {
        offset: lost.offset,
        length: lost.length,
        reason: lost.reason.to_string(),
    };
    tables.lost().iter().map(damage).collect()
}

fn duration(tables: &Tables) -> f64 {
    tables.time_range_us().map_or(0.0, |range| seconds(range.end() - range.start()))
}

#[pymethods]
impl Blackbox {
    /// The sessions: from arming to disarming, mostly.
    #[getter]
    fn sessions<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let py = this.py();
        let log = this.get();
        py.detach(|| log.tables().len());
        let session = |(number, tables): (usize, &Arc<Tables>)| {
            Bound::new(py, Session { log: this.clone().unbind(), number, tables: tables.clone() })
        };
        PyList::new(py, log.tables().iter().enumerate().map(session).collect::<PyResult<Vec<_>>>()?)
    }

    /// The bytes outside of frames.
    #[getter]
    fn damage(&self, py: Python<'_>) -> Vec<Damage> {
        py.detach(|| self.all_damage())
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
        pickled::log(py, &self.opened, None)
    }

    fn __repr__(&self) -> String {
        let sessions = self.log.sessions().len();
        format!(
            "<Blackbox log: {}, {sessions} session{}>",
            one_line(&self.opened.name()),
            if sessions == 1 { "" } else { "s" }
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> String {
        let row = |(number, tables): (usize, &Arc<Tables>)| {
            let frames = |table: &binlog::blackbox::log::Table| format!("{} {}", table.len(), table.name());
            let frames: Vec<String> = tables.tables().iter().map(frames).collect();
            vec![number.to_string(), format!("{:.1}", duration(tables)), frames.join(", ")]
        };
        let rows: Vec<Vec<String>> = py.detach(|| self.tables().iter().enumerate().map(row).collect());
        html::table(&self.__repr__(), &["session", "seconds", "frames"], rows)
    }
}

/// A session of a Blackbox log. `session["main"]`, `session["slow"]`, `session["gps"]`, `session["home"]` are tables.
#[pyclass(frozen, mapping, module = "binlog")]
pub struct Session {
    log: Py<Blackbox>,
    number: usize,
    tables: Arc<Tables>,
}

impl Session {
    fn table(&self, name: &str) -> PyResult<Table> {
        let (log, keys) = (self.log.get(), self.keys());
        let place = keys.iter().position(|known| known == name);
        let (Some(place), Some(session)) = (place, log.log.session(self.number)) else {
            return Err(PyKeyError::new_err(format!("the session has no table `{name}`; {}", hint(name, &keys))));
        };
        let numbers = log.opened.numbers;
        let schema = session.schema(self.tables.tables()[place].letter(), numbers);
        Ok(Table::new(Rows::of(Source::Blackbox(self.tables.clone(), place), numbers, schema)))
    }
}

#[pymethods]
impl Session {
    /// The header: `{"Firmware revision": "Betaflight 4.5.1"}`.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let header = PyDict::new(py);
        if let Some(session) = self.log.get().log.session(self.number) {
            for line in session.header().lines() {
                header.set_item(line.name(), line.value())?;
            }
        }
        Ok(header)
    }

    /// The bytes outside of frames.
    #[getter]
    fn damage(&self) -> Vec<Damage> {
        damage(&self.tables)
    }

    /// How long it is, in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        duration(&self.tables)
    }

    fn __len__(&self) -> usize {
        self.tables.tables().len()
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name_of(name).is_some_and(|name| self.keys().contains(&name.into_owned()))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.keys())?.try_iter()?.into_any())
    }

    /// The names of the tables.
    fn keys(&self) -> Vec<String> {
        self.tables.tables().iter().map(|table| table_name(table.letter())).collect()
    }

    fn values(&self) -> PyResult<Vec<Table>> {
        self.keys().iter().map(|name| self.table(name)).collect()
    }

    fn items(&self) -> PyResult<Vec<(String, Table)>> {
        self.keys().into_iter().map(|name| Ok((name.clone(), self.table(&name)?))).collect()
    }

    fn __getitem__(&self, name: &Bound<'_, PyAny>) -> PyResult<Table> {
        match name_of(name) {
            Some(name) => self.table(&name),
            None => {
                let text =
                    format!("a session has tables by name, session[\"main\"], and nothing at [{}]", name.repr()?);
                Err(PyTypeError::new_err(text))
            }
        }
    }

    /// The table, or the default if there is none.
    #[pyo3(signature = (key, default = None))]
    fn get<'py>(&self, key: &Bound<'py, PyAny>, default: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        or_default(self.__getitem__(key).and_then(|table| Ok(Bound::new(py, table)?.into_any())), default, py)
    }

    /// An error, because numpy would make one object of it.
    #[pyo3(signature = (*_arguments, **_named))]
    fn __array__(&self, _arguments: &Bound<'_, PyTuple>, _named: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        Err(PyTypeError::new_err("a session has many arrays: numpy.asarray(session[\"main\"][\"time\"]) is one"))
    }

    fn __copy__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    /// Nothing in it can change.
    fn __deepcopy__<'py>(this: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        this
    }

    /// A session pickles as the path of its log and its number.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled::session(py, &self.log, self.number)
    }

    fn __repr__(&self) -> String {
        let keys = self.keys().join(", ");
        let name = one_line(&self.log.get().opened.name());
        format!("<session {} of {name}: {:.1} s, {keys}>", self.number, self.duration())
    }

    fn _repr_html_(&self) -> String {
        let row = |table: &binlog::blackbox::log::Table| {
            let columns: Vec<&str> = table.columns().iter().map(|column| column.name()).collect();
            vec![table.name(), table.len().to_string(), columns.join(", ")]
        };
        let rows: Vec<Vec<String>> = self.tables.tables().iter().map(row).collect();
        html::table(&self.__repr__(), &["table", "frames", "columns"], rows)
    }
}
