//! The program, as a user types it: on logs of the simulator, on the real ones beside the checkout, and on what isn't a
//! log.

mod blackbox;
mod boots;
mod control_characters;
mod damage;
#[cfg(unix)]
#[path = "../export/default_signals.rs"]
mod default_signals;
mod dump;
mod empty_parts;
mod files;
mod folders;
mod formats;
mod guide;
mod help;
mod images;
#[cfg(unix)]
mod in_ci;
#[cfg(unix)]
mod interrupts;
mod madflight;
mod mavlink;
mod old_firmware;
mod px4;
#[cfg(unix)]
mod qemu;
mod questions;
mod text_logs;
mod texts;
mod value_names;
mod wrong;

use simulator::Simulation;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

/// The logs of the simulator: `flight.bin` and `flight.bbl`, and `damaged.bin`, in whose middle are other bytes.
static LOGS: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = simulator::log_of(Simulation::new(7, 20));
    let mut damaged = log.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 500].fill(0x55);
    for (name, bytes) in [
        ("flight.bin", log),
        ("damaged.bin", damaged),
        ("flight.bbl", simulator::blackbox::log_of(Simulation::new(7, 5))),
    ] {
        std::fs::write(folder.path().join(name), bytes).expect("room for a log");
    }
    folder
});

fn log(name: &str) -> PathBuf {
    LOGS.path().join(name)
}

/// What the program did.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs the program in UTC.
fn binlog<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Ran {
    ran(&command(arguments).output().expect("the program runs"))
}

fn command<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_binlog"));
    command.args(arguments).env("TZ", "UTC").env_remove("NO_COLOR").stdin(Stdio::null());
    command
}

fn ran(output: &Output) -> Ran {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// The arguments as one line: `LOG` is a log's path.
fn words(line: &str, log: &Path) -> Vec<String> {
    let log = log.to_str().expect("a path in UTF-8");
    line.split(' ').map(|word| word.replace("LOG", log)).collect()
}

/// Runs a command that must succeed without a word on standard error.
fn fine(line: &str, log: &Path) -> String {
    let ran = binlog(words(line, log));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{line}: {}", ran.stdout);
    ran.stdout
}

/// Runs a command that must succeed without output, and say only this of the log on standard error.
fn only_says(line: &str, log: &Path, said: &str) {
    let ran = binlog(words(line, log));
    let said = format!("binlog: {}: {said}\n", log.display());
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr), (Some(0), "", said), "{line}");
}

/// The JSON values of a command, one a line.
fn json(line: &str, log: &Path) -> Vec<serde_json::Value> {
    let ran = binlog(words(line, log));
    assert!(matches!(ran.code, Some(0 | 3)), "{line}: {}", ran.stderr);
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Runs the program with its standard input.
fn with_input(line: &str, input: &[u8]) -> Ran {
    let mut program = command(line.split(' '));
    let mut child =
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the program ends");
    drop(writer.join());
    ran(&output)
}

/// The real logs beside the checkout; empty without them, which standard error says.
fn real_logs() -> Vec<PathBuf> {
    let shared = std::env::var_os("BINLOG_SHARED")
        .map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared").into(), PathBuf::from);
    let mut logs = Vec::new();
    for folder in ["ardupilot-logs", "blackbox-logs"] {
        let Ok(entries) = shared.join(folder).read_dir() else { continue };
        logs.extend(entries.flatten().map(|entry| entry.path()).filter(|path| path.extension() != Some("md".as_ref())));
    }
    if logs.is_empty() {
        left_out("the program on the real logs, which are not beside this checkout");
    }
    logs.sort();
    logs
}

/// A small log of the shared folder; `None` without it, which standard error says.
fn case(name: &str) -> Option<PathBuf> {
    binlog_tests::shared(&format!("cases/{name}"))
}

/// Says that something isn't tested here, past the harness's capture. `tests/run` lists these lines.
fn left_out(what: &str) {
    // A test that doesn't run must not fail because of a closed stderr.
    let _ = std::io::stderr().write_all(format!("\nleft out: {what}\n").as_bytes());
}
