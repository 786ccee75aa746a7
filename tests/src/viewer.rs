//! Compares what a viewer's own parser reads in a log with what [`Log`] reads.
//!
//! The programs in `tests/viewers` run the parsers. Each prints one JSON object:
//!
//! ```json
//! { "IMU[0]": { "columns": { "GyrX": { "count": 8000, "unit": "rad/s", "first": …, "last": … } } } }
//! ```
//!
//! The name of a message has its instance, unless the viewer doesn't separate them. A number is `{"f": the 64 bits of
//! the double in hexadecimal}`, or `{"f": "nan"}`; text is a string, an array a list of numbers. Where the parser fails
//! on a message, that has `"error"` instead of columns.

use crate::left_out;
use binlog::{Log, LoggedColumn, LoggedSchema, Record, Value};
use serde_json::{Map, Value as Json, json};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A viewer's rules: what it shows of each column. Where it differs from the log, the rule says where in its source.
pub trait Viewer {
    /// Whether it has the records of a message.
    fn has_message(&self, _message: &str) -> bool {
        true
    }

    /// Whether it has the column.
    fn has_column(&self, _message: &str, _column: &LoggedColumn<'_>) -> bool {
        true
    }

    /// Whether it separates the instances of a message with this instance column.
    fn has_instances(&self, _column: &LoggedColumn<'_>) -> bool {
        true
    }

    /// What it calls an instance of a message.
    fn instance(&self, message: &str, instance: Value<'_>) -> String {
        format!("{message}[{instance}]")
    }

    /// The unit that it shows.
    fn unit(&self, schema: &LoggedSchema, column: &LoggedColumn<'_>) -> Json;

    /// The value of a column that it shows for a record; `None` if it leaves such values out.
    fn value(&self, schema: &LoggedSchema, record: &Record<'_>, column: &LoggedColumn<'_>) -> Option<Json>;
}

/// What a viewer with these rules shows of a log.
pub fn expected(log: &Log<'_>, viewer: &impl Viewer) -> Map<String, Json> {
    let schema = log.schema();
    let mut shown = Map::new();
    for rows in log.types().filter(|rows| viewer.has_message(rows.name())) {
        let message = rows.name().to_owned();
        let column = rows.definitions().find_map(|definition| definition.instance_column());
        let is_separated = column.is_some_and(|column| viewer.has_instances(&column));
        let instances: Vec<_> = rows.by_instance().filter(|_| is_separated).collect();
        let parts = match instances.is_empty() {
            true => vec![(message.clone(), rows)],
            false => instances.into_iter().map(|(i, rows)| (viewer.instance(&message, i), rows)).collect(),
        };
        for (name, rows) in parts {
            let definition = rows.definitions().next().expect("a type with records has a definition");
            let columns = definition.columns().filter(|column| viewer.has_column(&message, column));
            let column = |column: LoggedColumn<'_>| {
                let values: Vec<Json> =
                    rows.records().filter_map(|record| viewer.value(&schema, &record, &column)).collect();
                let unit = viewer.unit(&schema, &column);
                let shown = json!({
                    "count": values.len(), "unit": unit, "first": values.first(), "last": values.last()
                });
                (column.label.to_owned(), shown)
            };
            shown.insert(name, json!({ "columns": Json::Object(columns.map(column).collect()) }));
        }
    }
    shown
}

/// Asserts that a viewer shows of a log what its rules say.
pub fn assert_shows(what: &str, shown: &Map<String, Json>, log: &Log<'_>, viewer: &impl Viewer) {
    let expected = expected(log, viewer);
    for (message, expected) in &expected {
        let shown = shown.get(message).unwrap_or_else(|| panic!("{what} doesn't show {message}"));
        let columns = shown["columns"].as_object().unwrap_or_else(|| panic!("{what} fails on {message}: {shown}"));
        for (label, expected) in expected["columns"].as_object().expect("columns") {
            assert_eq!(columns.get(label), Some(expected), "{what}: {message}.{label}");
        }
        assert_eq!(columns.len(), expected["columns"].as_object().map_or(0, Map::len), "{what}: columns of {message}");
    }
    let more: Vec<_> = shown.keys().filter(|message| !expected.contains_key(*message)).collect();
    assert!(more.is_empty(), "{what} shows {more:?}, which the log doesn't have");
}

/// The value of a column of a record's definition.
pub fn stored<'a>(record: &Record<'a>, column: &LoggedColumn<'_>) -> Value<'a> {
    record.value(column.label).expect("a column of the record's definition")
}

/// A number as the programs print it.
pub fn number(number: f64) -> Json {
    match number.is_nan() {
        // Parsers don't keep which NaN it is.
        true => json!({ "f": "nan" }),
        false => crate::pymavlink::float(number),
    }
}

/// A program in `tests/viewers`.
pub fn program(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/viewers")).join(name)
}

/// A viewer's checkout, which the user names with an environment variable. `None` without it; stderr then says so.
pub fn checkout(viewer: &str, variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        left_out(&format!("{viewer} ({variable}=FOLDER with a checkout of its source)"));
    }
    folder
}

/// Whether a program is in the path. If not, stderr says what is left out and which of Debian's packages has it.
pub fn has_program(program: &str, what: &str, package: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        left_out(&format!("{what} (apt-get install {package})"));
    }
    found.is_ok()
}

/// What a program printed.
#[derive(Debug)]
pub struct Printed {
    /// Whether it succeeded.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Printed {
    /// What a program of `tests/viewers` says of a log.
    pub fn shown(&self) -> Map<String, Json> {
        assert!(self.status.success(), "{}: {:.4000}", self.status, self.stderr);
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {:.4000}", self.stdout))
    }
}

/// Runs a program to its end. One that needs more than two minutes is ended and fails the test: a parser may hang.
pub fn run(command: &mut Command) -> Printed {
    let mut outputs = [(); 2].map(|()| tempfile::tempfile().expect("a temporary file"));
    let [stdout, stderr] = outputs.each_ref().map(|file| file.try_clone().expect("a second handle"));
    let begun = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn().expect("the program starts");
    let status = loop {
        if let Some(status) = child.try_wait().expect("the program is a child") {
            break status;
        }
        if begun.elapsed() > Duration::from_secs(120) {
            child.kill().expect("the program is a child");
            panic!("{command:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let [stdout, stderr] = outputs.each_mut().map(|file| {
        file.rewind().expect("a file");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("a readable file");
        String::from_utf8_lossy(&bytes).into_owned()
    });
    Printed { status, stdout, stderr }
}

/// A log in a file whose name is like those of ArduPilot's logs; some viewers go by the ending.
#[derive(Debug)]
pub struct LogFile(tempfile::TempDir);

impl LogFile {
    /// Writes the file.
    pub fn new(log: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("00000001.BIN"), log).expect("room for the log");
        LogFile(folder)
    }

    /// The folder, for files that a program writes.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.folder().join("00000001.BIN")
    }
}
