//! A Blackbox log: its sessions, and their frames as tables.

use crate::flight::{Damage, seconds};
use crate::html;
use crate::table::{Rows, Source, Table};
use binlog::blackbox::BlackboxLog;
use binlog::blackbox::log::{Tables, table_name};
use binlog::log::Numbers;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::{Arc, OnceLock};

/// A Blackbox log. `log.sessions[0]["main"]` is a table of the main frames.
#[pyclass(frozen, module = "binlog")]
pub struct Blackbox {
    log: BlackboxLog<'static>,
    name: String,
    numbers: Numbers,
    /// The frames of each session, which are decoded together.
    tables: OnceLock<Vec<Arc<Tables>>>,
}

impl Blackbox {
    /// A log that was opened.
    pub fn new(log: BlackboxLog<'static>, name: String, numbers: Numbers) -> Self {
        Blackbox { log, name, numbers, tables: OnceLock::new() }
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
        reason: lost.to_string(),
    };
    tables.lost().iter().map(damage).collect()
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

    fn __repr__(&self) -> String {
        format!("<Blackbox log: {}, {} sessions>", self.name, self.log.sessions().len())
    }
}

/// A session of a Blackbox log. `session["main"]`, `session["slow"]`, `session["gps"]`, `session["home"]` are tables.
#[pyclass(frozen, mapping, module = "binlog")]
pub struct Session {
    log: Py<Blackbox>,
    number: usize,
    tables: Arc<Tables>,
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
        self.tables.time_range_us().map_or(0.0, |range| seconds(range.end() - range.start()))
    }

    fn __len__(&self) -> usize {
        self.tables.tables().len()
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name.extract::<&str>().is_ok_and(|name| self.keys().iter().any(|known| known == name))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.keys())?.try_iter()?.into_any())
    }

    /// The names of the tables.
    fn keys(&self) -> Vec<String> {
        self.tables.tables().iter().map(|table| table_name(table.letter())).collect()
    }

    fn values(&self) -> PyResult<Vec<Table>> {
        self.keys().iter().map(|name| self.__getitem__(name)).collect()
    }

    fn items(&self) -> PyResult<Vec<(String, Table)>> {
        self.keys().into_iter().map(|name| Ok((name.clone(), self.__getitem__(&name)?))).collect()
    }

    fn __getitem__(&self, name: &str) -> PyResult<Table> {
        let log = self.log.get();
        let keys = self.keys();
        let place = keys.iter().position(|known| known == name);
        let session = log.log.session(self.number);
        let (Some(place), Some(session)) = (place, session) else {
            return Err(PyKeyError::new_err(format!("the session has no table `{name}`; it has {}", keys.join(", "))));
        };
        let schema = session.schema(self.tables.tables()[place].letter(), log.numbers);
        Ok(Table::new(Rows::of(Source::Blackbox(self.tables.clone(), place), log.numbers, schema)))
    }

    fn __repr__(&self) -> String {
        let keys = self.keys().join(", ");
        format!("<session {} of {}: {:.1} s, {keys}>", self.number, self.log.get().name, self.duration())
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
