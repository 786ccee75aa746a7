//! Columns of instances: each given name selects the column of its own instance.

use crate::support::{Logs, export, export_to};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use assert_cmd::Command;
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;

const CHOICE: &str = "IMU[1].GyrX,IMU[0].AccX";

/// Two records each of two instances. `Big` needs all bits of a `u64`.
fn two_sensors() -> Logs {
    let mut log = RawLog::with_units();
    log.fmt(1, "IMU", "QBffQ", "TimeUS,I,GyrX,AccX,Big").unit('#', "instance").fmtu(1, "-#---", "-----");
    for i in 0..4_u8 {
        let number = f32::from(i) + 0.5;
        log.record(1, &payload![1000 * u64::from(i) + 1000, i % 2, number, -number, i64::MAX as u64 - u64::from(i)]);
    }
    Logs::of(&[("a.bin", &log.bytes)])
}

fn stdout(mut command: Command) -> String {
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn cells_of_other_instances_are_empty() {
    let logs = two_sensors();
    let csv = |names: &str| stdout(export(&logs.paths, &["--format", "csv", "-t", names]));
    assert_eq!(csv(CHOICE), "TimeUS,I,GyrX,AccX\n1000,0,,-0.5\n2000,1,1.5,\n3000,0,,-2.5\n4000,1,3.5,\n");
    // A name without an instance selects the column of all.
    assert_eq!(
        csv("IMU[1].GyrX,IMU.AccX"),
        "TimeUS,I,GyrX,AccX\n1000,0,,-0.5\n2000,1,1.5,-1.5\n3000,0,,-2.5\n4000,1,3.5,-3.5\n"
    );
    assert_eq!(csv("IMU[1].GyrX"), "TimeUS,I,GyrX\n2000,1,1.5\n4000,1,3.5\n");
    assert_eq!(csv("I*[1].GyrX"), csv("IMU[1].GyrX"));
}

#[test]
fn a_wide_file_has_the_columns_that_are_asked_for() {
    let csv = stdout(export(&two_sensors().paths, &["--format", "csv", "--rate", "1000", "-t", CHOICE]));
    assert_eq!(csv, "TimeUS,IMU[0].AccX,IMU[1].GyrX\n1000,-0.5,\n2000,-0.5,1.5\n3000,-2.5,1.5\n4000,-2.5,3.5\n");
}

#[test]
fn objects_have_the_columns_of_their_instance() {
    let lines = stdout(export(&two_sensors().paths, &["--format", "jsonl", "-t", CHOICE]));
    let first_two: Vec<&str> = lines.lines().take(2).collect();
    assert_eq!(
        first_two,
        [
            r#"{"mavpackettype":"IMU","TimeUS":1000,"I":0,"AccX":-0.5}"#,
            r#"{"mavpackettype":"IMU","TimeUS":2000,"I":1,"GyrX":1.5}"#
        ]
    );
}

#[test]
fn other_instances_values_are_null_and_the_rest_keep_all_digits() {
    let logs = two_sensors();
    let out = logs.out("fleet");
    export_to(&out, &logs.paths, &["--format", "parquet", "-t", "IMU[1].GyrX,IMU[0].AccX,IMU[0].Big"], 0);
    let batch = crate::parquet::read(&out.join("IMU")).remove(0);
    let column = |name: &str| batch.column_by_name(name).expect("a column").clone();
    let floats = |name: &str| column(name).as_primitive::<Float64Type>().iter().collect::<Vec<_>>();
    assert_eq!(floats("GyrX"), [None, Some(1.5), None, Some(3.5)]);
    assert_eq!(floats("AccX"), [Some(-0.5), None, Some(-2.5), None]);
    let big: Vec<Option<i64>> = column("Big").as_primitive::<Int64Type>().iter().collect();
    assert_eq!(big, [Some(i64::MAX), None, Some(i64::MAX - 2), None]);
    assert_eq!(column("instance").null_count(), 0);
}

#[test]
fn stats_has_the_columns_that_are_asked_for() {
    let logs = two_sensors();
    let stats = |names: &str| {
        let mut command = Command::cargo_bin("binlog").expect("the program is built");
        command.args(["stats", "-t", names]).arg(&logs.paths[0]);
        let text = stdout(command);
        text.lines().skip(1).map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(stats(CHOICE), ["IMU[0].AccX", "IMU[1].GyrX"]);
    assert_eq!(stats("IM?[1].GyrX"), ["IMU[1].GyrX"]);
}

#[test]
fn an_instance_that_is_not_there_is_an_error() {
    let logs = two_sensors();
    for (names, expected) in [
        ("IMU[2].GyrX", "IMU has no instance `2`; it has 0, 1"),
        ("I*[2]", "IMU has no instance `2`; it has 0, 1"),
        ("FMT[1]", "FMT has no instances"),
    ] {
        let output = export(&logs.paths, &["--format", "csv", "-t", names]).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(expected), "{names}: {said}");
    }
    let blackbox = Logs::of(&[("a.bbl", &crate::support::simulated_blackbox())]);
    let output = export(&blackbox.paths, &["--format", "csv", "-t", "main[1]"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("main has no instances; select main itself"), "{said}");
}
