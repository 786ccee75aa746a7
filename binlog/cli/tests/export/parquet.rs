//! A data set, read back by the crate `parquet`.

use crate::python::python;
use crate::support::{Logs, all_logs, export, export_to, files, simulated};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use binlog::{AnyLog, Log, LogMessage, LogSchema, LogWriter, Scaling};
use binlog_cli::any_log::sessions;
use binlog_cli::export::choice::Choice;
use binlog_cli::export::parquet::{DataSet, Facts, log_id};
use binlog_cli::intervals::Intervals;
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use zerocopy::{Immutable, IntoBytes};

/// The records of a type.
pub(crate) fn read(folder: &Path) -> Vec<RecordBatch> {
    files(folder).iter().flat_map(|(path, _)| read_file(path)).collect()
}

fn read_file(path: &Path) -> Vec<RecordBatch> {
    let file = File::open(path).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("Parquet");
    reader.map(|batch| batch.expect("rows")).collect()
}

pub(crate) fn file_rows(path: &Path) -> usize {
    read_file(path).iter().map(RecordBatch::num_rows).sum()
}

pub(crate) fn rows(folder: &Path) -> usize {
    read(folder).iter().map(RecordBatch::num_rows).sum()
}

#[test]
fn lost_lines_of_a_text_log_are_in_its_facts() {
    let text = "FMT, 1, 12, EV, QB, TimeUS,Id\nEV, 5, 1\nXKF1, 1\nEV, 6, 1, 2\n";
    let log = AnyLog::from_bytes(text.as_bytes()).expect("a text log");
    let facts = Facts::of("a.log", &log, &sessions(&log), log_id(log.bytes()));
    assert_eq!((facts.records, facts.skipped, facts.skipped_bytes), (4, 1, 7));
}

/// The attitude of a short log.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = "deg")]
    roll: f32,
}

/// As a later version has it: a wider column, and one more.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct LaterAttitude {
    time_us: u64,
    #[log(unit = "deg")]
    roll: f64,
    #[log(unit = "deg")]
    yaw: i16,
}

/// In another unit, which no column can have together.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct RadianAttitude {
    time_us: u64,
    #[log(unit = "rad")]
    roll: f32,
}

#[derive(LogSchema)]
enum Short {
    Att(Attitude),
}

#[derive(LogSchema)]
enum Later {
    Att(LaterAttitude),
}

#[derive(LogSchema)]
enum Radian {
    Att(RadianAttitude),
}

fn short(time_us: u64, rolls: impl IntoIterator<Item = f32>) -> Vec<u8> {
    let mut log = LogWriter::<Short, _>::new(Vec::new()).expect("memory takes all");
    for roll in rolls {
        log.write(&Attitude { time_us, roll }).expect("memory takes all");
    }
    log.finish().expect("memory takes all")
}

fn later(time_us: u64, roll: f64, yaw: i16) -> Vec<u8> {
    let mut log = LogWriter::<Later, _>::new(Vec::new()).expect("memory takes all");
    log.write(&LaterAttitude { time_us, roll, yaw }).expect("memory takes all");
    log.finish().expect("memory takes all")
}

#[test]
fn every_record_of_every_log_is_in_the_data_set() {
    let all = all_logs();
    let given: Vec<(&str, &[u8])> = all.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let logs = Logs::of(&given);
    let out = logs.out("set");
    let status = export(&[logs.all()], &["--format", "parquet", "-o"]).arg(&out).output().expect("it runs").status;
    assert!([Some(0), Some(3)].contains(&status.code()), "{status}");
    let mut expected: BTreeMap<String, usize> = Default::default();
    for (_, bytes) in &all {
        for rows in Log::from_bytes(&**bytes).types() {
            *expected.entry(rows.name().to_owned()).or_default() += rows.len();
        }
    }
    for (name, count) in expected.iter().filter(|(name, _)| !["FMT", "FMTU", "UNIT", "MULT"].contains(&name.as_str())) {
        assert_eq!(rows(&out.join(name)), *count, "{name}");
    }
    assert_eq!(rows(&out.join("logs")), all.len());
}

#[test]
fn values_units_and_times_are_those_of_the_log() {
    let bytes = simulated();
    let logs = Logs::of(&[("a.bin", &bytes)]);
    let out = logs.out("set");
    export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    let log = Log::from_bytes(bytes);
    let batches = read(&out.join("IMU"));
    let schema = batches[0].schema();
    // The reader's batches don't have the metadata of the file.
    let file = File::open(out.join("IMU/0001-000.parquet")).expect("a file");
    let of_file = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").schema().clone();
    assert_eq!(of_file.metadata()["type"], "IMU");
    assert_eq!(schema.field_with_name("GyrX").expect("a column").metadata()["unit"], "rad/s");
    let column =
        |name: &'static str| batches.iter().map(move |batch| batch.column_by_name(name).expect("a column").clone());
    let gyro: Vec<f64> =
        column("GyrX").flat_map(|array| array.as_primitive::<Float64Type>().values().to_vec()).collect();
    assert_eq!(gyro, log.numbers("IMU.GyrX", Scaling::Shown).expect("a column"));
    let times: Vec<u64> = column("TimeUS")
        .flat_map(|array| array.as_primitive::<Int64Type>().values().iter().map(|&t| t as u64).collect::<Vec<_>>())
        .collect();
    assert_eq!(times, log.rows("IMU").expect("a type").times_us());
    assert!(column("UTC").all(|array| array.null_count() == 0), "the simulator has a GPS");
}

#[test]
fn a_second_run_writes_nothing_and_a_new_log_adds_only_itself() {
    let logs = Logs::of(&[("a.bin", &short(1000, [1.0, 2.0])), ("b.bin", &short(1000, [3.0]))]);
    let out = logs.out("set");
    export_to(&out, &[logs.all()], &["--format", "parquet"], 0);
    let before = files(&out);
    let modified = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).expect("a time");
    let times: Vec<_> = before.iter().map(|(path, _)| modified(path)).collect();
    // The same logs by other names, too.
    fs::copy(&logs.paths[0], logs.all().join("c.bin")).expect("room");
    let text = export_to(&out, &[logs.all()], &["--format", "parquet"], 0);
    assert_eq!(text, format!("binlog: {}: nothing to add: 3 logs are there already\n", out.display()));
    assert_eq!(files(&out), before);
    let is_lock = |path: &Path| path.ends_with("_lock");
    for ((path, _), time) in before.iter().zip(&times).filter(|((path, _), _)| !is_lock(path)) {
        assert_eq!(modified(path), *time, "{}", path.display());
    }
    fs::write(logs.all().join("d.bin"), short(1000, [4.0])).expect("room");
    let output = export(&[logs.all()], &["--format", "parquet", "--json", "-o"]).arg(&out).output().expect("it runs");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&summary["logs"], &summary["written"]), (&4.into(), &1.into()));
    let after = files(&out);
    let is_kept = |(path, bytes): &(std::path::PathBuf, Vec<u8>)| {
        path.ends_with("_manifest.json") || after.contains(&(path.clone(), bytes.clone()))
    };
    assert!(before.iter().all(is_kept), "files are added, none is changed");
    assert_eq!((rows(&out.join("ATT")), rows(&out.join("logs"))), (4, 3));
}

#[test]
fn of_logs_with_the_same_bytes_one_is_stored_and_that_is_said() {
    let logs = Logs::of(&[("a.bin", &short(1000, [1.0, 2.0])), ("b.bin", &short(1000, [1.0, 2.0]))]);
    let out = logs.out("set");
    let text = export_to(&out, &[logs.all()], &["--format", "parquet"], 0);
    let [a, b] = [&logs.paths[0], &logs.paths[1]].map(|path| path.display().to_string());
    assert_eq!(text, format!("binlog: {b}: it has the bytes of {a}, and is stored once\n"));
    assert_eq!((rows(&out.join("ATT")), rows(&out.join("logs"))), (2, 1));
}

#[test]
fn what_an_interrupted_run_left_is_removed() {
    let logs = Logs::of(&[("a.bin", &short(1000, [1.0])), ("b.bin", &short(1000, [2.0]))]);
    let out = logs.out("set");
    export_to(&out, &logs.paths[..1], &["--format", "parquet"], 0);
    // A run that ended between two renames, or that was killed while it wrote.
    let file = out.join("ATT/0001-000.parquet");
    fs::copy(&file, out.join("ATT/0002-000.parquet")).expect("room");
    fs::copy(&file, out.join("ATT/0002-001.parquet.part")).expect("room");
    fs::write(out.join("ATT/notes.txt"), "mine").expect("room");
    export_to(&out, &logs.paths[..1], &["--format", "parquet"], 0);
    assert!(out.join("ATT/notes.txt").exists() && !out.join("ATT/0002-000.parquet").exists());
    export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    fs::remove_file(out.join("ATT/notes.txt")).expect("a file");
    assert_eq!(rows(&out.join("ATT")), 2);
}

#[test]
fn a_log_that_is_added_only_in_part_is_not_added() {
    let logs = Logs::of(&[("a.bin", &short(1000, [1.0])), ("b.bin", &simulated()), ("c.bin", &short(2000, [1.0]))]);
    let out = logs.out("set");
    export_to(&out, &logs.paths[..1], &["--format", "parquet"], 0);
    let before = files(&out);
    fs::write(out.join("BARO"), "in the way").expect("room");
    let text = export_to(&out, &logs.paths[1..], &["--format", "parquet"], 2);
    assert!(text.contains("BARO") && text.contains("a log was written only in part, so none is added"), "{text}");
    fs::remove_file(out.join("BARO")).expect("the file");
    assert_eq!(files(&out), before);
    export_to(&out, &logs.paths[1..], &["--format", "parquet"], 0);
    assert_eq!(rows(&out.join("BARO")), Log::from_bytes(simulated()).rows("BARO").expect("records").len());
}

#[test]
fn other_folders_and_other_choices_are_refused() {
    let logs = Logs::of(&[("a.bin", &short(1000, [1.0]))]);
    let out = logs.out("mine");
    fs::create_dir(&out).expect("room");
    fs::write(out.join("notes.txt"), "mine").expect("room");
    let text = export_to(&out, &logs.paths, &["--format", "parquet"], 2);
    assert!(text.contains("has files, but no data set"), "{text}");
    let out = logs.out("set");
    export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    let text = export_to(&out, &logs.paths, &["--format", "parquet", "--types", "ATT.Roll"], 2);
    let none = "none of the options that choose records";
    assert!(text.contains(&format!("exported with {none}; this export has `--types ATT.Roll`")), "{text}");
    let out = logs.out("part");
    let part = ["--format", "parquet", "-t", "ATT", "--from", "0", "--to", "1m30s", "--session", "1"];
    export_to(&out, &logs.paths, &part, 0);
    let text = export_to(&out, &logs.paths, &["--format", "parquet"], 2);
    let theirs = "`--types ATT --from 0 --to 90 --session 1`";
    assert!(text.contains(&format!("exported with {theirs}; this export has {none}; give the same options")), "{text}");
}

#[test]
fn definitions_that_differ_are_joined_by_label() {
    let logs =
        Logs::of(&[("a.bin", &short(1000, [1.0])), ("b.bin", &later(2000, 2.5, 7)), ("c.bin", &short(3000, [3.0]))]);
    let out = logs.out("set");
    export_to(&out, &[logs.all()], &["--format", "parquet"], 0);
    // The first log alone, and a file with the columns of both for the others.
    assert_eq!(out.join("ATT").read_dir().expect("a folder").count(), 2);
    let batches = read(&out.join("ATT"));
    assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(batches[1].column_by_name("Yaw").expect("a column").null_count(), 1);
    if let Some(mut script) = python("union_by_name.py", &["duckdb", "polars"]) {
        let output = script.arg(&out).output().expect("python runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_column_with_another_unit_is_in_a_file_of_its_own() {
    let mut radian = LogWriter::<Radian, _>::new(Vec::new()).expect("memory takes all");
    radian.write(&RadianAttitude { time_us: 1, roll: 0.5 }).expect("memory takes all");
    let radian = radian.finish().expect("memory takes all");
    let logs = Logs::of(&[("a.bin", &short(1, [1.0])), ("b.bin", &radian), ("c.bin", &short(2, [2.0]))]);
    let out = logs.out("set");
    export_to(&out, &[logs.all()], &["--format", "parquet"], 0);
    let batches = read(&out.join("ATT"));
    let unit =
        |batch: &RecordBatch| batch.schema().field_with_name("Roll").expect("a column").metadata()["unit"].clone();
    let found: Vec<(usize, String)> = batches.iter().map(|batch| (batch.num_rows(), unit(batch))).collect();
    assert_eq!(found, [(2, "deg".into()), (1, "rad".into())]);
}

#[test]
fn a_log_without_units_is_in_the_file_of_one_with_them() {
    let mut old = RawLog::new();
    old.fmt(1, "ATT", "Qf", "TimeUS,Roll").record(1, &payload![5_u64, 2.0_f32]);
    let mut older = RawLog::new();
    older.fmt(1, "ATT", "Qf", "TimeUS,Roll").record(1, &payload![6_u64, 3.0_f32]);
    let logs = Logs::of(&[("a.bin", &short(1, [1.0])), ("b.bin", &old.bytes), ("c.bin", &older.bytes)]);
    for (order, counts) in [([0, 1, 2], &[3][..]), ([1, 0, 2], &[1, 2])] {
        let out = logs.out(&format!("set{}", order[0]));
        let paths = order.map(|place| &logs.paths[place]);
        export_to(&out, &paths, &["--format", "parquet"], 0);
        let batches = read(&out.join("ATT"));
        assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), counts);
        let last = batches.last().expect("a file").schema();
        assert_eq!(last.field_with_name("Roll").expect("a column").metadata()["unit"], "deg");
    }
}

#[test]
fn numbers_have_types_that_every_engine_has() {
    let mut log = RawLog::new();
    log.fmt(1, "ALL", "QbBhHiIqQfdcCeEL", "TimeUS,A,B,C,D,E,F,G,H,I,J,K,L,M,N,O");
    for large in [7, u64::MAX] {
        let first = payload![1_u64, -1_i8, u8::MAX, -1_i16, u16::MAX, -1_i32, u32::MAX, -1_i64];
        let second = payload![large, 0.5_f32, 0.5_f64, -1_i16, 1_u16, -1_i32, 1_u32, 10_000_000_i32];
        log.record(1, &[first, second].concat());
    }
    let logs = Logs::of(&[("a.bin", &log.bytes)]);
    let out = logs.out("set");
    let said = export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    assert!(said.contains("binlog: 1 number of ALL.H above 9223372036854775807 is null\n"), "{said}");
    let batch = read(&out.join("ALL")).remove(0);
    let of_label = |label: &str| batch.column_by_name(label).expect("a column").clone();
    use arrow_schema::DataType::*;
    for (label, data_type) in [
        ("session", Int32),
        ("A", Int64),
        ("B", Int64),
        ("C", Int64),
        ("D", Int64),
        ("E", Int64),
        ("F", Int64),
        ("G", Int64),
        ("H", Int64),
        ("I", Float64),
        ("J", Float64),
        ("K", Float64),
        ("L", Float64),
        ("M", Float64),
        ("N", Float64),
        ("O", Float64),
    ] {
        assert_eq!(*of_label(label).data_type(), data_type, "{label}");
    }
    let large: Vec<Option<i64>> = of_label("H").as_primitive::<Int64Type>().iter().collect();
    assert_eq!(large, [Some(7), None]);
    assert_eq!(of_label("F").as_primitive::<Int64Type>().values()[..], [i64::from(u32::MAX); 2]);
    assert!(read(&out.join("logs"))[0].schema().fields().iter().all(|field| !field.data_type().is_unsigned_integer()));
}

#[test]
fn a_full_file_is_followed_by_another_one_with_other_logs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paths = fill(folder.path(), |data_set| data_set.with_file_bytes(16 << 10));
    assert!(paths.len() > 3, "{paths:?}");
}

#[test]
fn what_has_no_room_in_memory_is_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paths = fill(folder.path(), |data_set| data_set.with_memory(32 << 10));
    let [path] = &paths[..] else { panic!("one file: {paths:?}") };
    let file = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file")).expect("Parquet");
    assert!(file.metadata().num_row_groups() > 3, "{:?}", file.metadata().num_row_groups());
}

#[test]
fn a_file_of_many_row_groups_is_followed_by_another_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paths = fill(folder.path(), |data_set| data_set.with_memory(64 << 10).with_row_groups(2));
    assert!(paths.len() > 1, "{paths:?}");
    for path in paths {
        let file = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file")).expect("Parquet");
        assert!(file.metadata().num_row_groups() <= 3, "{:?}", file.metadata().num_row_groups());
    }
}

/// Adds many logs to a data set and compares what its files have of each. Returns the files.
fn fill(folder: &Path, limits: impl FnOnce(DataSet) -> DataSet) -> Vec<PathBuf> {
    const LOGS: usize = 60;
    const RECORDS: usize = 200;
    let mut data_set = limits(DataSet::open(folder, "").expect("an empty folder"));
    let mut sums = BTreeMap::new();
    for i in 0..LOGS {
        let rolls = (0..RECORDS).map(|record| (i * RECORDS + record) as f32);
        let log = short(1000, rolls.clone());
        let id = log_id(&log);
        sums.insert(id.clone(), (RECORDS, rolls.map(f64::from).sum::<f64>()));
        let flight = AnyLog::ArduPilot(Log::from_bytes(log));
        let sessions = sessions(&flight);
        let facts = Facts::of("a.bin", &flight, &sessions, id);
        data_set.add(facts, &sessions, &[Intervals::everything()], &Choice::default()).expect("room");
    }
    assert_eq!(data_set.finish().expect("room"), LOGS);
    let mut found: BTreeMap<String, (usize, f64)> = BTreeMap::new();
    let paths: Vec<_> = files(&folder.join("ATT")).into_iter().map(|(path, _)| path).collect();
    for path in &paths {
        let mut of_file: BTreeMap<String, (usize, f64)> = BTreeMap::new();
        for batch in read_file(path) {
            let ids = batch.column_by_name("log_id").expect("a column").as_string::<i32>().clone();
            let rolls = batch.column_by_name("Roll").expect("a column").as_primitive::<Float64Type>().clone();
            for (id, roll) in ids.iter().zip(&rolls) {
                let (count, sum) = of_file.entry(id.expect("an id").to_owned()).or_default();
                (*count, *sum) = (*count + 1, *sum + roll.expect("a number"));
            }
        }
        assert!(of_file.keys().all(|id| !found.contains_key(id)), "a log is in one file only");
        found.extend(of_file);
    }
    assert_eq!(found, sums);
    let known: BTreeSet<String> = read(&folder.join("logs"))
        .iter()
        .flat_map(|batch| {
            let ids = batch.column_by_name("log_id").expect("a column").as_string::<i32>().clone();
            ids.iter().map(|id| id.expect("an id").to_owned()).collect::<Vec<_>>()
        })
        .collect();
    assert!(known.iter().eq(sums.keys()));
    paths
}

#[test]
fn a_missing_number_is_null() {
    let logs = Logs::of(&[("a.bin", &short(1000, [1.0, f32::NAN, 3.0]))]);
    let out = logs.out("set");
    export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    assert_eq!(read(&out.join("ATT"))[0].column_by_name("Roll").expect("a column").null_count(), 1);
}

#[test]
fn over_a_thousand_logs_are_one_data_set() {
    // More than a row group of the table of logs has.
    const LOGS: usize = 1100;
    const RECORDS: usize = 50;
    let named: Vec<(String, Vec<u8>)> = (0..LOGS)
        .map(|i| (format!("{i:08}.BIN"), short(1000, (0..RECORDS).map(|record| (i * RECORDS + record) as f32))))
        .collect();
    let given: Vec<(&str, &[u8])> = named.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let logs = Logs::of(&given);
    let out = logs.out("set");
    export_to(&out, &[logs.all()], &["--format", "parquet"], 0);
    assert_eq!(out.join("ATT").read_dir().expect("a folder").count(), 1, "one file for all");
    assert_eq!((rows(&out.join("ATT")), rows(&out.join("logs"))), (LOGS * RECORDS, LOGS));
    let logs_of_set = read(&out.join("logs"));
    let names = logs_of_set.iter().map(|batch| batch.column_by_name("name").expect("a column").as_string::<i32>());
    assert_eq!(names.flat_map(|names| names.iter().flatten()).collect::<BTreeSet<&str>>().len(), LOGS);
    if let Some(mut script) = python("group_by.py", &["duckdb"]) {
        let output = script.arg(&out).args([LOGS.to_string(), RECORDS.to_string()]).output().expect("python runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let before = files(&out);
    export_to(&out, &[logs.all()], &["--format", "parquet"], 0);
    let stderr = export_to(&out, &[logs.all()], &["--format", "parquet", "--force"], 2);
    assert!(stderr.contains("--force isn't for --format parquet"), "{stderr}");
    assert_eq!(files(&out), before);
}

#[test]
fn a_manifest_that_cannot_be_written_adds_no_file() {
    let logs = Logs::of(&[("a.bin", &short(1000, [1.0])), ("b.bin", &short(1000, [2.0]))]);
    let out = logs.out("set");
    export_to(&out, &logs.paths[..1], &["--format", "parquet"], 0);
    let before = files(&out);
    let part = out.join("_manifest.json.part");
    fs::create_dir(&part).expect("room");
    let stderr = export_to(&out, &logs.paths, &["--format", "parquet"], 2);
    assert!(stderr.contains("can't write") && stderr.contains("_manifest.json"), "{stderr}");
    assert_eq!(files(&out), before);
    fs::remove_dir(&part).expect("it is there");
    export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    assert_eq!(rows(&out.join("ATT")), 2);
}

#[test]
fn times_that_a_log_lacks_are_null() {
    let mut log = RawLog::new();
    log.fmt(1, "GPS", "BIH", "Status,TimeMS,Week").fmt(2, "ATT", "f", "Roll");
    log.record(1, &payload![3_u8, 1000_u32, 2310_u16]).record(2, &payload![1.5_f32]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("old.bin");
    fs::write(&path, log.bytes).expect("room");
    let out = folder.path().join("fleet");
    let stderr = export_to(&out, &[&path], &["--format", "parquet"], 0);
    assert!(stderr.ends_with("old.bin: no record has a time; TimeUS is empty\n"), "{stderr}");
    for batch in read(&out.join("ATT")) {
        assert!(["TimeUS", "UTC"].iter().all(|name| batch.column_by_name(name).expect("a column").null_count() == 1));
        assert_eq!(batch.column_by_name("Roll").expect("a column").as_primitive::<Float64Type>().values()[..], [1.5]);
    }
}
