//! pymavlink, run from the virtual environment that `tests/run` makes.

use crate::left_out;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The version that the expectations are exact for.
const VERSION: &str = "2.4.50";

/// The Python interpreter that has it: `BINLOG_PYTHON`, or any `python3`. `None` without one; stderr then says that the
/// test is left out.
fn python() -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("BINLOG_PYTHON").unwrap_or_else(|| "python3".into()));
    let check = "import importlib.metadata as m; print(m.version('pymavlink'))";
    let output = Command::new(&python).args(["-c", check]).output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    if version.as_ref().is_ok_and(|version| version == VERSION) {
        return Some(python);
    }
    left_out(&format!(
        "tests with pymavlink {VERSION}, which {} does not have (tests/run readers sets it up)",
        python.display()
    ));
    None
}

/// A Python program with pymavlink, which needs further packages. `None` without them; stderr then says so.
pub fn command(program: &Path, packages: &[&str]) -> Option<Command> {
    let python = python()?;
    for package in packages {
        let output = Command::new(&python).args(["-c", &format!("import {package}")]).output().expect("python runs");
        if !output.status.success() {
            let program = program.file_name().unwrap_or_default().display();
            left_out(&format!("{program} with the Python package {package} (tests/run readers installs it)"));
            return None;
        }
    }
    let mut command = Command::new(python);
    // Without the first two, pymavlink writes files beside itself and asks for its dialect.
    command.env("MAVLINK20", "1").env("MAVLINK_DIALECT", "ardupilotmega").env("TZ", "UTC").env("MPLBACKEND", "Agg");
    command.arg(program);
    Some(command)
}

/// One of the tools that pymavlink installs.
pub fn tool(name: &str, packages: &[&str]) -> Option<Command> {
    let scripts = "import sysconfig; print(sysconfig.get_path('scripts'))";
    let scripts = Command::new(python()?).args(["-c", scripts]).output().expect("python runs").stdout;
    command(&Path::new(String::from_utf8_lossy(&scripts).trim()).join(name), packages)
}

/// Runs a Python program on a log.
fn run(command: Command, log: &[u8]) -> Output {
    run_on_file(command, log, ".bin")
}

fn run_on_file(mut command: Command, log: &[u8], suffix: &str) -> Output {
    let mut file = tempfile::Builder::new().suffix(suffix).tempfile().expect("a temporary file");
    file.write_all(log).expect("room for the log");
    command.arg(file.path()).output().expect("python runs")
}

/// The records that pymavlink reads: one JSON value each, as `tests/python/dump.py` describes.
pub fn dump(log: &[u8]) -> Option<Vec<Value>> {
    let lines = script("dump.py", log)?;
    Some(lines.lines().map(|line| serde_json::from_str(line).expect("a JSON value a line")).collect())
}

/// The records that pymavlink reads in a text log, as [`dump`] has them.
pub fn dump_text(text: &[u8]) -> Option<Vec<Value>> {
    let lines = script_on_file("dump.py", text, ".log")?;
    Some(lines.lines().map(|line| serde_json::from_str(line).expect("a JSON value a line")).collect())
}

/// pymavlink's view of the whole log, as `tests/python/flight.py` describes it.
pub fn flight(log: &[u8]) -> Option<Value> {
    script("flight.py", log).map(|facts| serde_json::from_str(&facts).expect("a JSON value"))
}

/// Whether pymavlink opens a log: by its indexer in C, and by that in Python.
pub fn opens(log: &[u8]) -> Option<[bool; 2]> {
    let opens = |fast_index: &str| {
        let mut command = command(Path::new("-c"), &[])?;
        command.env("PYMAVLINK_FAST_INDEX", fast_index);
        command.arg("import sys; from pymavlink import DFReader; DFReader.DFReader_binary(sys.argv[1])");
        Some(run(command, log).status.success())
    };
    Some([opens("1")?, opens("0")?])
}

/// A float as the scripts write it: as its bits.
pub fn float(value: f64) -> Value {
    json!({ "f": format!("{:016x}", value.to_bits()) })
}

/// A float that a script wrote.
pub fn parse_float(value: &Value) -> f64 {
    let bits = value["f"].as_str().and_then(|bits| u64::from_str_radix(bits, 16).ok());
    f64::from_bits(bits.expect("16 hexadecimal digits"))
}

/// Raw bytes as the scripts write them.
pub fn raw(bytes: &[u8]) -> Value {
    json!({ "b": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() })
}

/// The output of a script for a log. Asserts that pymavlink prints no warning.
fn script(name: &str, log: &[u8]) -> Option<String> {
    script_on_file(name, log, ".bin")
}

fn script_on_file(name: &str, log: &[u8], suffix: &str) -> Option<String> {
    let script = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/python")).join(name);
    let output = run_on_file(command(&script, &[])?, log, suffix);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(complaints.is_empty(), "pymavlink complains: {:.2000}", complaints);
    assert!(output.status.success(), "pymavlink fails: {}", output.status);
    Some(String::from_utf8(output.stdout).expect("JSON is UTF-8"))
}

/// The output of `mavfft_isb.py`, which computes spectra from batches of samples.
pub fn mavfft_isb(log: &[u8]) -> Option<Output> {
    Some(run(tool("mavfft_isb.py", &["numpy", "scipy", "matplotlib"])?, log))
}

/// What pymavlink says about a log of a fixed-wing aircraft with this `LogMessages.xml`: the output of
/// `mavlogdump.py --verbose`, and of its help for a message, which MAVExplorer shows, too.
pub fn described(log: &[u8], xml: &str, message: &str) -> Option<[String; 2]> {
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = home.path().join(".pymavlink/LogMessages");
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    std::fs::write(folder.join("Plane.xml"), xml).expect("room for the file");
    let mut dump = tool("mavlogdump.py", &[])?;
    dump.env("HOME", home.path()).arg("--verbose");
    let mut help = command(Path::new("-c"), &[])?;
    help.env("HOME", home.path()).arg(
        "import sys; from pymavlink import DFReader; \
         DFReader.DFReader_binary(sys.argv[2]).metadata.print_help(sys.argv[1])",
    );
    help.arg(message);
    Some([run(dump, log), run(help, log)].map(|output| {
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && complaints.is_empty(), "pymavlink complains: {complaints}");
        String::from_utf8(output.stdout).expect("pymavlink prints UTF-8")
    }))
}

/// The output of `mavlogdump.py`, one record a line.
pub fn mavlogdump(log: &[u8]) -> Option<Output> {
    Some(run(tool("mavlogdump.py", &[])?, log))
}
