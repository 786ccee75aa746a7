//! What a writer's schema is made of: logs, lock files, dataclasses.

use crate::errors::io_error;
use crate::log::Log;
use crate::names::one_line;
use binlog::check::Rule;
use binlog::lock::{Lock, LockError};
use binlog::merge::{self, MergeError};
use binlog::{LogSchema, LoggedDefinition, LoggedSchema, Unit, messages};
use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
use std::ffi::CString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The definitions of a log that is to be written.
pub struct Schema {
    /// The records that the log begins with.
    pub preamble: Vec<u8>,
    /// The names of dataclasses, by class.
    pub names: Py<PyDict>,
    /// The descriptions as ArduPilot's file; empty if there are none.
    pub descriptions: String,
    /// The files of the logs.
    pub logs: Vec<PathBuf>,
}

/// A part of a schema, and how errors call it.
type Part = (LoggedSchema, String);

impl Schema {
    /// The definitions of one log, lock file or dataclass, or of several in a list; with those of the flight that the
    /// log is merged with.
    pub fn of(schema: &Bound<'_, PyAny>, flight: Option<&Log>) -> PyResult<Self> {
        let py = schema.py();
        let items: Vec<Bound<'_, PyAny>> = match schema.is_instance_of::<PyList>() || schema.is_instance_of::<PyTuple>()
        {
            true => schema.try_iter()?.collect::<PyResult<_>>()?,
            false => vec![schema.clone()],
        };
        let (mut parts, mut logs, classes) = (Vec::new(), Vec::new(), PyList::empty(py));
        let mut of_log = |log: &Log| {
            parts.push((py.detach(|| log.log.schema()), log.name.clone()));
            logs.extend(log.opened.path.canonicalize());
        };
        flight.into_iter().for_each(&mut of_log);
        let mut described = None;
        let mut locks = Vec::new();
        for item in items {
            if let Ok(log) = item.cast::<Log>() {
                of_log(log.get());
            } else if item.is_instance_of::<PyType>() && item.hasattr("__dataclass_fields__")? {
                classes.append(item)?;
            } else if let Ok(path) = item.extract::<PathBuf>() {
                locks.push(of_lock(&path)?);
            } else {
                let text = "a schema is a log, the path of a lock file, a dataclass or a list of these";
                return Err(PyTypeError::new_err(format!("{text}, not {}", item.repr()?)));
            }
        }
        let names = PyDict::new(py);
        if !classes.is_empty() {
            let part = of_dataclasses(&classes, &names)?;
            described = described.or_else(|| Some(part.0.clone()).filter(|schema| !schema.descriptions().is_empty()));
            locks.insert(0, part);
        }
        for part in locks {
            described = described.or_else(|| Some(part.0.clone()).filter(|schema| !schema.descriptions().is_empty()));
            parts.push(part);
        }
        for (name, own) in own_messages() {
            if parts.iter().all(|(schema, _)| schema.message(name).is_none()) {
                parts.push((own, "binlog".into()));
            }
        }
        let (schemas, sources): (Vec<LoggedSchema>, Vec<String>) = parts.into_iter().unzip();
        let preamble = merge::preamble(&schemas).map_err(|error| merge_error(&error, &sources))?;
        let descriptions = described.map_or_else(String::new, |schema| schema.log_messages_xml().to_string());
        Ok(Schema { preamble, names: names.unbind(), descriptions, logs })
    }
}

/// An error about schemas or logs, which `sources` names.
pub fn merge_error(error: &MergeError, sources: &[String]) -> PyErr {
    let source = |place: usize| sources.get(place).map_or("", String::as_str);
    PyValueError::new_err(match error {
        MergeError::Conflict(conflict) => {
            let (name, [one, other], what) = (&conflict.name, &conflict.values, conflict.what);
            match conflict.logs {
                [first, second] if first == second => {
                    format!("{} defines {name} twice, with the {what} `{one}` and `{other}`", source(first))
                }
                [first, second] => {
                    format!("{name} has the {what} `{one}` in {}, and `{other}` in {}", source(first), source(second))
                }
            }
        }
        MergeError::NoName { log, id } => format!("the type with id {id} of {} has no name", source(*log)),
        error => error.to_string(),
    })
}

/// The messages whose layout readers rely on, so that no dataclass defines them.
fn own_messages() -> Vec<(&'static str, LoggedSchema)> {
    macro_rules! own {
        ($($message:ident)*) => {
            vec![$({
                #[derive(LogSchema)]
                #[allow(dead_code, reason = "it is written by its definition")]
                enum Own {
                    Message(messages::$message),
                }
                (<messages::$message as binlog::LogMessage>::DEFINITION.name, LoggedSchema::of::<Own>())
            }),*]
        };
    }
    own!(Parm Msg Mode Ver Gps File)
}

fn of_lock(path: &Path) -> PyResult<Part> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => {
            let text = format!("{name} isn't a lock file; the schema of a log is binlog.open({name:?})");
            PyValueError::new_err(one_line(&text))
        }
        _ => io_error("read", path, &error),
    })?;
    let schema = text.parse().and_then(|lock: Lock| lock.schema());
    let schema = schema.map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
    Ok((schema, name))
}

fn of_dataclasses(classes: &Bound<'_, PyList>, names: &Bound<'_, PyDict>) -> PyResult<Part> {
    let py = classes.py();
    let module = py.import("binlog._schema")?;
    let text: String = module.getattr("lock_of")?.call1((classes,))?.extract()?;
    let schema = text.parse().and_then(|lock: Lock| lock.schema());
    let schema = schema.map_err(|error| PyValueError::new_err(without_line(&error, &text)))?;
    let (type_name, own) = (module.getattr("type_name")?, own_messages());
    for class in classes {
        let name: String = type_name.call1((&class,))?.extract()?;
        if LoggedDefinition::DEFINING.contains(&&*name) || own.iter().any(|(own, _)| *own == name) {
            let text = format!("{name} is defined already, with the layout that readers rely on; leave it out");
            return Err(PyValueError::new_err(text));
        }
        names.set_item(class, name)?;
    }
    check(py, &schema)?;
    Ok((schema, "the dataclasses".into()))
}

/// The error about a line that was made of a dataclass, with the column in place of the line.
fn without_line(error: &LockError, text: &str) -> String {
    let what = error.to_string();
    let what = what.split_once(": ").map_or(&*what, |(_, what)| what);
    let line = error.line().checked_sub(1).and_then(|line| text.lines().nth(line));
    let subject = line.and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
    let name = subject.split('.').next().unwrap_or_default();
    if what.starts_with(&format!("{name}:")) || what.starts_with(subject) {
        what.to_owned()
    } else {
        format!("{subject}: {what}")
    }
}

/// What viewers show wrongly, of which the derive warns.
const LINTS: [Rule; 7] = [
    Rule::FloatMultiplier,
    Rule::MisleadingMultiplier,
    Rule::MultiplierWithoutUnit,
    Rule::F32Coordinate,
    Rule::IntegerCoordinate,
    Rule::HalfPrecision,
    Rule::GpsWithoutWeek,
];

/// Checks definitions as the derive does: by the rules for logs, which are the same.
fn check(py: Python<'_>, schema: &LoggedSchema) -> PyResult<()> {
    let sources = ["the dataclasses".to_owned()];
    let preamble = merge::preamble(std::slice::from_ref(schema)).map_err(|error| merge_error(&error, &sources))?;
    for unit in schema.units() {
        if let Some(known) = Unit::STANDARD.iter().find(|known| known.name() == unit.name && known.id() != unit.id) {
            let (own, name, known) = (unit.id.escape_ascii(), known.name(), known.id().escape_ascii());
            let text = format!("`{own}={name}`: {name} is the unit `{known}` of ArduPilot's table; write `{name}`");
            return Err(PyValueError::new_err(text));
        }
    }
    let report = binlog::Log::from_bytes(preamble).check();
    for finding in report.findings() {
        let text = format!("{}: {}; {}", finding.subject(), finding.text(), finding.rule().advice());
        match finding.rule() {
            Rule::NoParameters | Rule::NoVehicle => {}
            lint if LINTS.contains(&lint) => {
                let text = CString::new(text).unwrap_or_default();
                PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
            }
            _ => return Err(PyValueError::new_err(text)),
        }
    }
    Ok(())
}
