//! Columns with the same label, which only a damaged definition has: all are there, under names that differ.

use crate::support::{Logs, export, export_to};
use assert_cmd::Command;
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::fs;

/// `DUP` has three columns `A` and one that is called as the second of them might be; the last one has a unit.
fn repeated() -> Logs {
    let mut log = RawLog::with_units();
    log.fmt(1, "DUP", "QhhhhB", "TimeUS,A,A,A_2,A,TimeUS").unit('m', "m").fmtu(1, "----m-", "------");
    log.record(1, &payload![1000_u64, 1_i16, 2_i16, 3_i16, 4_i16, 5_u8]);
    log.record(1, &payload![2000_u64, 11_i16, 12_i16, 13_i16, 14_i16, 15_u8]);
    Logs::of(&[("a.bin", &log.bytes)])
}

fn stdout(mut command: Command) -> String {
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn binlog(logs: &Logs, command: &str) -> String {
    let mut program = Command::cargo_bin("binlog").expect("the program is built");
    program
        .args(command.split(' ').map(|word| if word == "LOG" { logs.paths[0].to_str().expect("UTF-8") } else { word }));
    stdout(program)
}

#[test]
fn csv_and_json_lines_have_each_column() {
    let logs = repeated();
    assert_eq!(
        stdout(export(&logs.paths, &["--format", "csv", "-t", "DUP"])),
        "TimeUS,A,A_3,A_2,A_4,TimeUS_2\n1000,1,2,3,4,5\n2000,11,12,13,14,15\n"
    );
    let lines = stdout(export(&logs.paths, &["--format", "jsonl", "-t", "DUP"]));
    let expected = r#"{"mavpackettype":"DUP","TimeUS":1000,"A":1,"A_3":2,"A_2":3,"A_4":4,"TimeUS_2":5}"#;
    assert_eq!(lines.lines().next(), Some(expected));
    let wide = stdout(export(&logs.paths, &["--format", "csv", "--wide", "DUP", "-t", "DUP.A,DUP.A_4"]));
    assert_eq!(wide, "TimeUS,DUP.A,DUP.A_4\n1000,1,4\n2000,11,14\n");
}

#[test]
fn each_name_selects_its_column() {
    let logs = repeated();
    assert_eq!(stdout(export(&logs.paths, &["--format", "csv", "-t", "DUP.A_3"])), "TimeUS,A_3\n1000,2\n2000,12\n");
    let lines = stdout(export(&logs.paths, &["--format", "jsonl", "-t", "DUP.A"]));
    assert_eq!(lines.lines().next(), Some(r#"{"mavpackettype":"DUP","TimeUS":1000,"A":1}"#));
}

#[test]
fn stats_find_and_plot_have_each_column() {
    let logs = repeated();
    let rows: Vec<(String, f64)> = binlog(&logs, "stats --json -t DUP LOG")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|row| (row["column"].as_str().expect("a name").to_owned(), row["maximum"].as_f64().expect("a number")))
        .collect();
    let expected = [("TimeUS", 2000.0), ("A", 11.0), ("A_3", 12.0), ("A_2", 13.0), ("A_4", 14.0), ("TimeUS_2", 15.0)];
    assert_eq!(rows, expected.map(|(label, maximum)| (format!("DUP.{label}"), maximum)));
    let found = binlog(&logs, "find DUP.A_4 LOG");
    assert!(found.contains("DUP.A_4  m"), "{found}");
    let points = binlog(&logs, "plot --json LOG DUP.A_4");
    assert!(points.contains("14"), "{points}");
}

#[test]
fn a_data_set_and_mcap_have_each_column() {
    let logs = repeated();
    let out = logs.out("fleet");
    export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    let batch = crate::parquet::read(&out.join("DUP")).remove(0);
    let schema = batch.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).skip(5).collect();
    assert_eq!(names, ["A", "A_3", "A_2", "A_4", "TimeUS_2"]);
    let out = logs.out("a.mcap");
    export_to(&out, &logs.paths, &[], 0);
    let file = fs::read(&out).expect("the file");
    let message = mcap::MessageStream::new(&file).expect("an MCAP file").next().expect("a message").expect("a message");
    assert_eq!(&*message.data, br#"{"TimeUS":1000,"A":1,"A_3":2,"A_2":3,"A_4":4,"TimeUS_2":5}"#);
    let schema = &message.channel.schema.as_ref().expect("a schema").data;
    let schema: serde_json::Value = serde_json::from_slice(schema).expect("JSON");
    assert_eq!(schema["properties"]["A_4"]["description"], "m");
    assert_eq!(schema["properties"]["A_3"]["description"], serde_json::Value::Null);
}

#[test]
fn a_type_that_is_redefined_has_the_names_of_each_definition() {
    let mut log = RawLog::new();
    log.fmt(1, "DUP", "Qhh", "TimeUS,A,A").record(1, &payload![1000_u64, 1_i16, 2_i16]);
    log.fmt(1, "DUP", "Qhh", "TimeUS,B,A").record(1, &payload![2000_u64, 3_i16, 4_i16]);
    let logs = Logs::of(&[("a.bin", &log.bytes)]);
    let csv = stdout(export(&logs.paths, &["--format", "csv", "-t", "DUP"]));
    assert_eq!(csv, "TimeUS,A,A_2,B\n1000,1,2,\n2000,4,,3\n");
    let lines = stdout(export(&logs.paths, &["--format", "jsonl", "-t", "DUP"]));
    let expected = [
        r#"{"mavpackettype":"DUP","TimeUS":1000,"A":1,"A_2":2}"#,
        r#"{"mavpackettype":"DUP","TimeUS":2000,"B":3,"A":4}"#,
    ];
    assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_label_of_ours_gets_an_underscore() {
    let mut log = RawLog::new();
    log.fmt(1, "OWN", "QBBB", "TimeUS,mavpackettype,UTC,UTC_").record(1, &payload![1000_u64, 1_u8, 2_u8, 3_u8]);
    let logs = Logs::of(&[("a.bin", &log.bytes)]);
    let lines = stdout(export(&logs.paths, &["--format", "jsonl", "-t", "OWN"]));
    assert_eq!(lines.trim_end(), r#"{"mavpackettype":"OWN","TimeUS":1000,"mavpackettype_":1,"UTC":2,"UTC_":3}"#);
    let csv = stdout(export(&logs.paths, &["--format", "csv", "-t", "OWN", "--time", "utc"]));
    assert_eq!(csv.lines().next(), Some("TimeUS,UTC,mavpackettype,UTC__,UTC_"));
}
