//! `binlog report`, as it is called: what it finds in the simulator's faults and in real logs, and its page.

#[path = "../plot/browser.rs"]
mod browser;
#[path = "../../../../tests/src/left_out.rs"]
mod left_out;

mod faults;
mod figures;
mod guide;
mod hostile;
mod page;
mod real_logs;
mod rules;

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// `binlog report` of a log in a folder.
fn report(folder: &Path, log: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_binlog"));
    command.current_dir(folder).args(["report", log]);
    command
}

/// What the program prints with `--json`.
fn json(folder: &Path, log: &str, arguments: &[&str]) -> Value {
    let output = report(folder, log).arg("--json").args(arguments).output().expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{log}: {errors}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The rules that found something, in any session.
fn found(report: &Value) -> BTreeSet<String> {
    let sessions = report["sessions"].as_array().expect("sessions");
    let findings = sessions.iter().flat_map(|session| session["findings"].as_array().expect("findings"));
    findings.map(|finding| finding["rule"].as_str().expect("a name").to_owned()).collect()
}

/// The state of a rule in the first session.
fn state<'r>(report: &'r Value, rule: &str) -> &'r str {
    let rules = report["sessions"][0]["rules"].as_array().expect("rules");
    let of = rules.iter().find(|of| of["rule"] == rule).unwrap_or_else(|| panic!("no rule {rule}"));
    of["state"].as_str().expect("a state")
}
