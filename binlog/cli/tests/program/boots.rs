//! Logs with several boots: each by itself, and how to make a log of one.

use crate::{binlog, fine, json, log, only_says, words};
use binlog::Records;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A log of two boots, a parameter that is 101.5 in the first and 102.5 in the second, and its name.
fn two_boots(folder: &TempDir) -> (PathBuf, String) {
    let mut first = fs::read(log("flight.bin")).expect("the log");
    let records = Records::new(&first).flatten().filter(|record| record.name() == "PARM");
    let name = |record: &binlog::Record<'_>| record.value("Name").expect("a name").to_string();
    let records: Vec<(String, usize)> = records.map(|record| (name(&record), record.offset() + 27)).collect();
    let (name, _) = records[0].clone();
    let mut set = |value: f32| {
        for (_, at) in records.iter().filter(|(of, _)| *of == name) {
            first[*at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        first.clone()
    };
    let path = folder.path().join("two boots.bin");
    fs::write(&path, [set(101.5), set(102.5)].concat()).expect("room");
    (path, name)
}

#[test]
fn parameters_of_another_boot_are_no_change_in_flight() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, name) = two_boots(&folder);
    only_says("params LOG --changed", &path, "no parameter changed in flight");
    let line = |value: &str| format!("{name:<16} {value:>14}\n");
    let both = format!("session 1\n{}session 2\n{}", line("101.5"), line("102.5"));
    let shown = |line: String| -> String {
        let lines = fine(&line, &path);
        lines.lines().map(|line| line.split("  default").next().unwrap_or_default().to_owned() + "\n").collect()
    };
    assert_eq!(shown(format!("params LOG -n {name}")), both);
    let rows = json(&format!("params LOG --json -n {name}"), &path);
    let of = |row: &serde_json::Value| {
        (row["session"].as_u64(), row["value"].as_f64(), row["changes"].as_array().map(Vec::len))
    };
    let rows: Vec<_> = rows.iter().map(of).collect();
    assert_eq!(rows, [(Some(1), Some(101.5), Some(1)), (Some(2), Some(102.5), Some(1))]);
    assert_eq!(shown(format!("params LOG -n {name} --session 1")), format!("session 1\n{}", line("101.5")));
}

#[test]
fn exports_number_sessions_as_the_option_does() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, name) = two_boots(&folder);
    let csv = fine("export --format csv -t PARM -o - LOG", &path);
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = |label: &str| lines[0].iter().position(|&head| head == label).expect("the column");
    let (session, parameter, value) = (column("session"), column("Name"), column("Value"));
    let of_name = lines.iter().filter(|line| line[parameter] == name);
    let rows: Vec<(&str, &str)> = of_name.map(|line| (line[session], line[value])).collect();
    assert_eq!(rows, [("1", "101.5"), ("2", "102.5")]);
    let wide = fine("export --format csv --wide PARM -o - LOG", &path);
    assert!(wide.lines().nth(1).is_some_and(|line| line.split(',').nth(1) == Some("1")), "{wide}");
    let objects = fine("export --format jsonl -t PARM -o - LOG", &path);
    let sessions = objects.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let sessions: std::collections::BTreeSet<u64> = sessions.filter_map(|row| row["session"].as_u64()).collect();
    assert!(sessions.into_iter().eq([1, 2]));
    let mcap = folder.path().join("log.mcap");
    fine(&format!("export LOG -t PARM -o {}", mcap.display()), &path);
    let file = fs::read(&mcap).expect("the file");
    let has = |topic: &[u8]| file.windows(topic.len()).any(|bytes| bytes == topic);
    assert!(has(b"/2/PARM") && !has(b"/1/PARM"));
}

#[test]
fn a_parameter_file_has_the_values_of_the_last_boot() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, name) = two_boots(&folder);
    assert_eq!(fine(&format!("params LOG --param -n {name}"), &path), format!("# session 2\n{name},102.5\n"));
    let first = fine(&format!("params LOG --param -n {name} --session 1"), &path);
    assert_eq!(first, format!("# session 1\n{name},101.5\n"));
    let file = folder.path().join("saved.param");
    fine(&format!("params LOG --param -o {}", file.display()), &path);
    for other in [file, path.clone()] {
        let arguments = ["params", path.to_str().expect("UTF-8"), "--diff", other.to_str().expect("UTF-8")];
        let ran = binlog(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        let said = format!("session 1\n{name:<16} {:>14}  there 102.5", "101.5");
        assert!(ran.stdout.starts_with(&said) && ran.stdout.lines().count() == 2, "{}", ran.stdout);
    }
}

#[test]
fn messages_about_boots_say_how_to_get_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, _) = two_boots(&folder);
    let checked = binlog(words("check LOG", &path));
    assert!(checked.stdout.contains("`binlog cut LOG --session 1 -o boot1.bin` writes"), "{}", checked.stdout);
    let json = binlog(words("check --json LOG", &path));
    let merged = binlog(words(&format!("merge LOG {} -o merged.bin", log("flight.bin").display()), &path));
    assert_eq!(merged.code, Some(2));
    let said = format!("`binlog cut '{}' --session 1 -o boot1.bin`", path.display());
    assert!(merged.stderr.contains(&said), "{}", merged.stderr);
    for text in [checked.stdout, json.stdout, merged.stderr] {
        assert!(!text.contains("Log::"), "{text}");
    }
}

#[test]
fn a_boot_that_is_cut_out_is_a_log_of_one_boot() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, name) = two_boots(&folder);
    for (session, value) in [(1, 101.5), (2, 102.5)] {
        let one = folder.path().join(format!("boot{session}.bin"));
        let arguments = [
            "cut",
            path.to_str().expect("UTF-8"),
            "--session",
            &session.to_string(),
            "-o",
            one.to_str().expect("UTF-8"),
        ];
        assert_eq!(binlog(arguments).code, Some(0));
        let cut = binlog::Log::open(&one).expect("a log");
        assert_eq!(cut.boots().len(), 1, "{session}");
        assert_eq!(cut.parameters()[&name].last(), value);
        let merged = folder.path().join("merged.bin");
        let line = format!("merge LOG {} --force -o {}", log("flight.bin").display(), merged.display());
        assert_eq!(binlog(words(&line, &one)).code, Some(0), "{session}");
    }
}
