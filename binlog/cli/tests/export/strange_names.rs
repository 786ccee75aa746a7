//! Names of types in damaged logs, which look like what somebody types: patterns, and a type with an instance.

use crate::support::{Logs, export_to};
use assert_cmd::Command;
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The named types with some records each, whose column `V` counts from the type's place times 100.
fn log_of(names: &[&str]) -> Vec<u8> {
    let mut log = RawLog::new();
    for (id, name) in (1..).zip(names) {
        log.fmt(id, name, "Qi", "TimeUS,V");
    }
    for record in 0..5 {
        for (id, place) in (1_u8..).zip(0..names.len() as i32) {
            log.record(id, &payload![record as u64 * 1000 + 1000, place * 100 + record]);
        }
    }
    log.bytes
}

/// The values of `V` in each CSV file of a folder.
fn values(folder: &Path) -> BTreeMap<String, Vec<i32>> {
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a CSV file");
        let value = |line: &str| line.rsplit(',').next().expect("a cell").parse().expect("a number");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, text.lines().skip(1).map(value).collect())
    };
    fs::read_dir(folder).expect("a folder").map(file).collect()
}

fn counted_from(first: i32) -> Vec<i32> {
    (first..first + 5).collect()
}

#[test]
fn each_type_has_its_own_records_in_csv() {
    let logs = Logs::of(&[("a.bin", &log_of(&["X[Q]", "X?F*", "XKF1", "????", "A?", "A*", "X", ""]))]);
    let out = logs.out("csv");
    export_to(&out, &logs.paths, &["--format", "csv"], 0);
    let files = ["X_Q_", "X_F_", "XKF1", "____", "A_", "A_-2", "X", "_"];
    let expected: BTreeMap<String, Vec<i32>> =
        files.into_iter().zip(0..).map(|(name, i)| (format!("{name}.csv"), counted_from(i * 100))).collect();
    assert_eq!(values(&out), expected);
}

#[test]
fn a_name_that_is_chosen_by_a_pattern_is_no_pattern() {
    let logs = Logs::of(&[("a.bin", &log_of(&["X?F*", "XKF1"]))]);
    let out = logs.out("csv");
    export_to(&out, &logs.paths, &["--format", "csv", "-t", "X*.V"], 0);
    assert_eq!(values(&out), [("X_F_.csv".into(), counted_from(0)), ("XKF1.csv".into(), counted_from(100))].into());
}

#[test]
fn a_wide_file_keeps_types_and_instances_apart() {
    let mut log = RawLog::with_units();
    log.fmt(1, "I", "QBi", "TimeUS,I,V").fmt(2, "I[0]", "Qi", "TimeUS,V").unit('#', "instance");
    log.fmtu(1, "-#-", "---");
    for time_us in [1000, 2000, 3000_u64] {
        log.record(1, &payload![time_us, 0_u8, 10]).record(2, &payload![time_us, 20]);
    }
    let logs = Logs::of(&[("a.bin", &log.bytes)]);
    let out = logs.out("wide.csv");
    export_to(&out, &logs.paths, &["--wide", "I"], 0);
    let text = fs::read_to_string(&out).expect("a file");
    let line = |line| text.lines().nth(line).expect("a line");
    assert_eq!((line(0), line(1)), ("TimeUS,I[0].V,I[0].V_2", "1000,10,20"), "{text}");
}

#[test]
fn each_type_has_a_folder_of_a_data_set() {
    let names = ["X[Q]", "X", "X?F*", "XKF1"];
    let logs = Logs::of(&[("a.bin", &log_of(&names))]);
    let out = logs.out("fleet");
    export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    for folder in ["X%5BQ%5D", "X", "X%3FF%2A", "XKF1"] {
        assert_eq!(crate::parquet::rows(&out.join(folder)), 5, "{folder}");
    }
}

#[test]
fn stats_has_each_type() {
    let logs = Logs::of(&[("a.bin", &log_of(&["AAA", "X[Q]", "????", "ZZZ", "X"]))]);
    let mut stats = Command::cargo_bin("binlog").expect("the program is built");
    let output = stats.args(["stats", "--json", "-t", "*"]).arg(&logs.paths[0]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    let row = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        (row["column"].as_str().expect("a name").to_owned(), row["minimum"].as_f64(), row["count"].as_u64())
    };
    let rows: Vec<_> = text.lines().map(row).filter(|(name, ..)| name.ends_with(".V")).collect();
    let expected = |(name, minimum): (&str, f64)| (name.to_owned(), Some(minimum), Some(5));
    let columns = [("AAA.V", 0.0), ("X[Q].V", 100.0), ("????.V", 200.0), ("ZZZ.V", 300.0), ("X.V", 400.0)];
    assert_eq!(rows, columns.map(expected));
}

#[test]
fn the_messages_of_each_type_have_its_instances_and_units() {
    let mut log = RawLog::with_units();
    log.fmt(1, "X[Q]", "QBi", "TimeUS,I,V").unit('#', "instance").unit('m', "m");
    log.fmtu(1, "-#m", "---");
    log.record(1, &payload![1000_u64, 0_u8, 10]).record(1, &payload![2000_u64, 1_u8, 11]);
    let logs = Logs::of(&[("a.bin", &log.bytes)]);
    let out = logs.out("a.mcap");
    export_to(&out, &logs.paths, &[], 0);
    let file = fs::read(&out).expect("the file");
    let topics: Vec<(String, bool)> = mcap::MessageStream::new(&file)
        .expect("an MCAP file")
        .map(|message| message.expect("a message").channel)
        .map(|channel| {
            let schema = channel.schema.as_ref().expect("a schema");
            (channel.topic.clone(), String::from_utf8_lossy(&schema.data).contains(r#""description":"m""#))
        })
        .collect();
    assert_eq!(topics, [("/X[Q]/0".to_owned(), true), ("/X[Q]/1".to_owned(), true)]);
}

/// Times that aren't whole microseconds since boot are a column, too.
#[test]
fn a_time_of_another_type_stays_a_column() {
    let mut log = RawLog::new();
    log.fmt(1, "A", "fi", "TimeUS,V").fmt(2, "B", "qi", "TimeUS,V").fmt(3, "C", "Ii", "TimeUS,V");
    log.record(1, &payload![1.5_f32, 7]).record(2, &payload![-3_i64, 8]).record(3, &payload![9_u32, 9]);
    let logs = Logs::of(&[("a.bin", &log.bytes)]);
    let out = logs.out("csv");
    export_to(&out, &logs.paths, &["--format", "csv"], 0);
    let lines = |name: &str| {
        let text = fs::read_to_string(out.join(name)).expect("a file");
        text.lines().map(|line| line.split_once(',').expect("a time").1.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lines("A.csv"), ["TimeUS_,V", "1.5,7"]);
    assert_eq!(lines("B.csv"), ["TimeUS_,V", "-3,8"]);
    assert_eq!(lines("C.csv"), ["V", "9"], "the time is the first column");
}
