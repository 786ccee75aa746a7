//! pymavlink, run from the virtual environment that `tests/run` makes.

use crate::left_out;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The version that the expectations are exact for.
const VERSION: &str = "2.4.50";

/// The interpreter that has it: of `BINLOG_PYTHON`, or any `python3`. Without one, the test is left out, aloud.
fn python() -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("BINLOG_PYTHON").unwrap_or_else(|| "python3".into()));
    let check = "import importlib.metadata as m; print(m.version('pymavlink'))";
    let output = Command::new(&python).args(["-c", check]).output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    if version.as_ref().is_ok_and(|version| version == VERSION) {
        return Some(python);
    }
    left_out(&format!(
        "tests with pymavlink {VERSION}, which {} does not have (tests/run sets it up)",
        python.display()
    ));
    None
}

/// Runs a Python program on a log.
fn run(arguments: impl Fn(&PathBuf) -> Vec<PathBuf>, log: &[u8]) -> Option<Output> {
    let python = python()?;
    let mut file = tempfile::Builder::new().suffix(".bin").tempfile().expect("a temporary file");
    file.write_all(log).expect("room for the log");
    let mut command = Command::new(&python);
    command.args(arguments(&python)).arg(file.path());
    // pymavlink writes beside itself and asks for its dialect otherwise.
    command.env("MAVLINK20", "1").env("MAVLINK_DIALECT", "ardupilotmega");
    Some(command.output().expect("python runs"))
}

/// What pymavlink reads: one JSON value a record, as `tests/python/dump.py` describes it.
pub fn dump(log: &[u8]) -> Option<Vec<Value>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/python/dump.py");
    let output = run(|_| vec![script.into()], log)?;
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "pymavlink complains");
    assert!(output.status.success(), "pymavlink fails: {}", output.status);
    let lines = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    Some(lines.lines().map(|line| serde_json::from_str(line).expect("a JSON value a line")).collect())
}

/// What `mavlogdump.py` prints, a record a line.
pub fn mavlogdump(log: &[u8]) -> Option<Output> {
    let beside = |python: &PathBuf| python.with_file_name("mavlogdump.py");
    run(|python| vec![beside(python)], log)
}
