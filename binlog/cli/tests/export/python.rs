//! Python's readers: `BINLOG_PYTHON`, or any `python3`, with the packages that `tests/run` installs.

use crate::support::{Logs, all_blackbox_logs, export_to, left_out, simulated};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A script beside this file, which needs packages. `None` without them; stderr then says so.
pub(crate) fn python(script: &str, packages: &[&str]) -> Option<Command> {
    let python = PathBuf::from(std::env::var_os("BINLOG_PYTHON").unwrap_or_else(|| "python3".into()));
    for package in packages {
        // Importing them takes a second each.
        let find = format!("import importlib.util, sys; sys.exit(importlib.util.find_spec('{package}') is None)");
        let output = Command::new(&python).args(["-c", &find]).output();
        if !output.is_ok_and(|output| output.status.success()) {
            left_out(&format!("exports read with the Python package {package} (tests/run program installs it)"));
            return None;
        }
    }
    let mut command = Command::new(python);
    command.env("MAVLINK20", "1").env("MAVLINK_DIALECT", "ardupilotmega").env("TZ", "UTC");
    command.arg(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/export/python")).join(script));
    Some(command)
}

/// Runs a script, which asserts by itself.
fn passes(mut command: Command) {
    let output = command.output().expect("python runs");
    let (out, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{said}");
}

#[test]
fn pandas_reads_csv_without_options() {
    let Some(mut script) = python("csv_by_pandas.py", &["pandas", "pymavlink"]) else { return };
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("csv");
    export_to(&out, &logs.paths, &["--format", "csv"], 0);
    script.arg(&logs.paths[0]).arg(&out);
    passes(script);
}

#[test]
fn duckdb_pyarrow_and_polars_read_a_data_set() {
    let Some(mut script) = python("parquet_by_all.py", &["duckdb", "pyarrow", "polars", "pymavlink"]) else { return };
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("set");
    export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    script.arg(&logs.paths[0]).arg(&out);
    passes(script);
}

#[test]
fn mcap_reads_mcap() {
    let Some(mut script) = python("mcap_by_mcap.py", &["mcap", "pymavlink"]) else { return };
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("a.mcap");
    export_to(&out, &logs.paths, &[], 0);
    script.arg(&logs.paths[0]).arg(&out);
    passes(script);
}

#[test]
fn blackbox_is_read_in_every_format() {
    let Some(mut script) = python("blackbox.py", &["pandas", "duckdb", "mcap"]) else { return };
    let mut folders = Vec::new();
    // The simulator's, a damaged one, and one with GPS.
    for (name, bytes) in all_blackbox_logs().into_iter().take(3) {
        let log = binlog::blackbox::BlackboxLog::from_bytes(&*bytes);
        let frames: usize = log.tables().iter().map(|tables| tables.main().len()).sum();
        let is_damaged =
            log.sessions().zip(log.tables()).any(|(s, t)| !t.lost().is_empty() || !s.header().problems().is_empty());
        let logs = Logs::of(&[(&name, &bytes)]);
        for (format, out) in [("csv", "csv"), ("parquet", "set"), ("mcap", "a.mcap"), ("jsonl", "a.jsonl")] {
            export_to(&logs.out(out), &logs.paths, &["--format", format], if is_damaged { 3 } else { 0 });
        }
        script.arg(logs.out("")).arg(frames.to_string());
        folders.push(logs);
    }
    passes(script);
}
