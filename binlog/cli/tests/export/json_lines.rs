//! JSON lines, compared with what pymavlink and the library read.

use crate::python::python;
use crate::support::{Logs, all_blackbox_logs, all_logs, export};
use binlog::blackbox::BlackboxLog;
use serde_json::Value;

fn lines(logs: &Logs, options: &[&str]) -> Vec<Value> {
    let output = export(&logs.paths, options).args(["--format", "jsonl"]).output().expect("it runs");
    assert!([Some(0), Some(3)].contains(&output.status.code()), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON value a line")).collect()
}

#[test]
fn each_record_is_a_line_in_the_order_of_the_log() {
    for (name, bytes) in all_logs() {
        let names: Vec<String> =
            binlog::Records::new(&bytes).flatten().map(|record| record.name().to_owned()).collect();
        let lines = lines(&Logs::of(&[(&name, &bytes)]), &[]);
        assert_eq!(lines.len(), names.len(), "{name}");
        for (line, name) in lines.iter().zip(&names) {
            assert_eq!(line["mavpackettype"], **name);
        }
    }
}

#[test]
fn frames_and_events_of_blackbox_are_lines() {
    for (name, bytes) in all_blackbox_logs() {
        let log = BlackboxLog::from_bytes(&*bytes);
        let lines = lines(&Logs::of(&[(&name, &bytes)]), &["--types", "main,events"]);
        let count = |of: &str| lines.iter().filter(|line| line["mavpackettype"] == of).count();
        let tables = log.tables();
        assert_eq!(count("main"), tables.iter().map(|tables| tables.main().len()).sum::<usize>(), "{name}");
        assert_eq!(count("events"), tables.iter().map(|tables| tables.events().len()).sum::<usize>(), "{name}");
    }
}

#[test]
fn values_equal_those_of_pymavlink() {
    for (name, bytes) in all_logs() {
        let logs = Logs::of(&[(&name, &bytes)]);
        // Where the log is damaged, pymavlink reads what isn't there.
        if !binlog::Log::from_bytes(&*bytes).skipped().is_empty() {
            continue;
        }
        let out = logs.out("log.jsonl");
        let status = export(&logs.paths, &["-o"]).arg(&out).output().expect("it runs").status;
        assert_eq!(status.code(), Some(0), "{name}");
        let Some(mut compare) = python("json_lines.py", &["pymavlink"]) else { return };
        let output = compare.arg(&logs.paths[0]).arg(&out).output().expect("python runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
    }
}
