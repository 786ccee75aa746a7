//! The program, and logs to export.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

#[path = "../../../../tests/src/left_out.rs"]
mod left_out;

#[path = "default_signals.rs"]
mod default_signals;

pub(crate) use default_signals::with_default_signals;
pub(crate) use left_out::left_out;

/// Logs in a folder of their own, and room for what is exported.
pub(crate) struct Logs {
    folder: TempDir,
    pub(crate) paths: Vec<PathBuf>,
}

impl Logs {
    pub(crate) fn of(logs: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("logs")).expect("room");
        let path = |(name, bytes): &(&str, &[u8])| {
            let path = folder.path().join("logs").join(name);
            fs::write(&path, bytes).expect("room for a log");
            path
        };
        let paths = logs.iter().map(path).collect();
        Logs { folder, paths }
    }

    /// The folder with the logs.
    pub(crate) fn all(&self) -> PathBuf {
        self.folder.path().join("logs")
    }

    /// A place for an output.
    pub(crate) fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// `binlog export`.
pub(crate) fn export(logs: &[impl AsRef<Path>], options: &[&str]) -> Command {
    let mut command = Command::cargo_bin("binlog").expect("the program is built");
    command.arg("export").args(logs.iter().map(AsRef::as_ref)).args(options);
    command
}

/// `binlog export -o OUT`, which exits with `code`. Returns what it prints to stderr.
pub(crate) fn export_to(out: &Path, logs: &[impl AsRef<Path>], options: &[&str], code: i32) -> String {
    let output = export(logs, options).arg("-o").arg(out).output().expect("the program runs");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{options:?}: {stderr}");
    stderr
}

/// A flight of the simulator.
pub(crate) fn simulated() -> Vec<u8> {
    simulator::log_of(simulator::Simulation::new(5, 3))
}

/// The same of Blackbox.
pub(crate) fn simulated_blackbox() -> Vec<u8> {
    simulator::blackbox::log_of(simulator::Simulation::new(5, 3))
}

/// The real logs beside the checkout with this ending, and one of the simulator.
pub(crate) fn all_logs() -> Vec<(String, Vec<u8>)> {
    let mut logs = vec![("simulated.bin".to_owned(), simulated())];
    logs.extend(real("ardupilot-logs"));
    logs
}

/// The same of Blackbox.
pub(crate) fn all_blackbox_logs() -> Vec<(String, Vec<u8>)> {
    let mut logs = vec![("simulated.bbl".to_owned(), simulated_blackbox())];
    logs.extend(real("blackbox-logs"));
    logs
}

fn real(folder: &str) -> Vec<(String, Vec<u8>)> {
    let shared = std::env::var_os("BINLOG_SHARED")
        .map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared").into(), PathBuf::from);
    let Ok(files) = fs::read_dir(shared.join(folder)) else {
        left_out(&format!("exports of {folder} of the folder of real logs, which is not beside this checkout"));
        return Vec::new();
    };
    let paths = files.map(|file| file.expect("an entry").path());
    let is_log = |path: &PathBuf| path.extension().is_some_and(|ending| ending != "md");
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, fs::read(path).expect("a readable log"))
    };
    let mut logs: Vec<_> = paths.filter(is_log).map(read).collect();
    logs.sort();
    logs
}

/// The files below a folder, with their bytes.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            let bytes = fs::read(&path).expect("a readable file");
            files.push((path, bytes));
        }
    }
    files.sort();
    files
}
