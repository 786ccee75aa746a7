//! `Log::open_types` beside `Log::open`: the same rows of each type, of any log.

use binlog::log::{Numbers, Rows};
use binlog::{Log, Scaling};
use binlog_tests::raw_log::RawLog;
use binlog_tests::{payload, real_logs};
use std::fs;
use std::path::Path;
use tempfile::NamedTempFile;

fn file(bytes: &[u8]) -> NamedTempFile {
    let file = NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), bytes).expect("room");
    file
}

/// All that rows say.
fn said(rows: &Rows<'_>) -> String {
    assert!(rows.offsets().eq(rows.records().map(|record| record.offset())));
    let labels = rows.labels();
    let columns: Vec<_> = labels.iter().map(|label| rows.column(label)).collect();
    let in_units = rows.columns(&labels, Numbers::Scaled(Scaling::Units));
    let names: Vec<_> = labels.iter().map(|label| rows.value_names(label)).collect();
    let payloads: Vec<_> = rows.records().map(|record| (record.time_us(), record.payload())).collect();
    let (schema, instances) = (rows.schema(Numbers::Native), rows.instances());
    format!("{:?} {columns:?} {in_units:?} {names:?} {payloads:?} {schema:?} {instances:?}", rows.times_us())
}

/// The times of a type in each boot.
fn boots(log: &Log<'_>, name: &str) -> Vec<Vec<u64>> {
    log.boots().map(|boot| boot.log().rows(name).map_or_else(|_| Vec::new(), |rows| rows.times_us())).collect()
}

/// Returns the number of bytes that were left out.
fn assert_each_type_is_as_in_the_whole(bytes: &[u8], what: &str) -> usize {
    let file = file(bytes);
    let whole = Log::open(file.path()).expect("a file");
    let mut left_out = 0;
    for rows in whole.types().filter(|rows| !rows.name().contains('[')) {
        let name = rows.name();
        let (log, skipped) = Log::open_types(file.path(), &[name]).expect("a file");
        assert_eq!(skipped, whole.skipped(), "{what} {name}");
        assert_eq!(said(&log.rows(name).expect("the type")), said(&rows), "{what} {name}");
        assert_eq!(boots(&log, name), boots(&whole, name), "{what} {name}");
        left_out += bytes.len() - log.bytes().len();
    }
    left_out
}

#[test]
fn types_of_real_logs_are_as_in_the_whole() {
    for (name, log) in real_logs() {
        let left_out = assert_each_type_is_as_in_the_whole(&log, &name);
        // One of the logs has few records but definitions.
        assert!(left_out > log.len() || log.len() < 20_000, "{name} {left_out}");
    }
}

#[test]
fn types_of_damaged_logs_are_as_in_the_whole() {
    let Some((name, log)) = real_logs().into_iter().min_by_key(|(_, log)| log.len()) else { return };
    for step in [97, 1009, 4001] {
        let mut damaged = log.clone();
        damaged.iter_mut().skip(step).step_by(step).for_each(|byte| *byte ^= 0x55);
        assert_each_type_is_as_in_the_whole(&damaged, &format!("{name}, each {step}th byte"));
    }
    // Two boots, of which a part is lost.
    let boots = [&log[..], &log[..log.len() / 2], &[0; 300], &log[log.len() / 3..]].concat();
    assert_each_type_is_as_in_the_whole(&boots, &format!("{name}, boots"));
}

#[test]
fn types_of_any_bytes_are_as_in_the_whole() {
    for target in ["log", "records", "descriptions", "tools"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
        for input in fs::read_dir(&folder).expect("the corpus is committed") {
            let path = input.expect("an entry").path();
            assert_each_type_is_as_in_the_whole(&fs::read(&path).expect("an input"), &path.display().to_string());
        }
    }
}

/// What times of a type depend on is in records of other types.
#[test]
fn types_without_times_of_their_own_have_those_of_the_whole() {
    let mut log = RawLog::new();
    log.fmt(1, "ATT", "Qc", "TimeUS,Roll");
    log.fmt(2, "PARM", "f", "Value");
    log.fmt(3, "IMU", "If", "TimeUS,GyrX");
    log.fmt(4, "OLD", "Ic", "TimeMS,Roll");
    for i in 0..4000_u64 {
        // Times of 32 bits wrap.
        let time_us = i * 2_000_000;
        log.record(1, &payload![time_us, i as i16]);
        log.record(2, &payload![i as f32]);
        log.record(3, &payload![time_us as u32, i as f32]);
        log.record(4, &payload![i as u32 * 2000, i as i16]);
    }
    assert!(assert_each_type_is_as_in_the_whole(&log.bytes, "times") > 0);
}

#[test]
fn definitions_may_change_in_the_middle() {
    let mut log = RawLog::new();
    for (i, (format, labels)) in [("Qc", "TimeUS,A"), ("Qf", "TimeUS,A"), ("Qfb", "TimeUS,A,B")].into_iter().enumerate()
    {
        // The id of one type becomes that of the other.
        let (one, other) = if i % 2 == 0 { (1, 2) } else { (2, 1) };
        log.fmt(one, "ONE", format, labels);
        log.fmt(other, "TWO", "QH", "TimeUS,B");
        for time_us in 0..500_u64 {
            let payload = match format {
                "Qc" => payload![time_us, 7_i16],
                "Qf" => payload![time_us, 0.5_f32],
                _ => payload![time_us, 0.5_f32, 1_i8],
            };
            log.record(one, &payload);
            log.record(other, &payload![time_us, 9_u16]);
        }
    }
    assert!(assert_each_type_is_as_in_the_whole(&log.bytes, "definitions") > 0);
}

#[test]
fn several_types_and_instances_are_chosen_by_name() {
    let mut log = RawLog::with_units();
    log.fmt(1, "IMU", "QBf", "TimeUS,I,GyrX");
    log.fmtu(1, "s#E", "F--");
    log.fmt(2, "ATT", "Qc", "TimeUS,Roll");
    log.fmt(3, "EV", "QB", "TimeUS,Id");
    log.record(3, &payload![1_u64, 10_u8]);
    log.record(3, &payload![2_u64, 10_u8]);
    for time_us in 0..10_u64 {
        log.record(1, &payload![time_us, (time_us % 2) as u8, 1.5_f32]);
        log.record(2, &payload![time_us, 5_i16]);
    }
    let file = file(&log.bytes);
    let (log, _) = Log::open_types(file.path(), &["IMU[1]", "ATT", "NONE"]).expect("a file");
    assert_eq!(log.numbers("IMU[1].GyrX", Scaling::Shown).expect("a column").len(), 5);
    assert_eq!(log.numbers("ATT.Roll", Scaling::Shown).expect("a column").len(), 10);
    // The first record of the boot is there, and no other one of its type.
    assert_eq!(log.rows("EV").expect("it is defined").len(), 1);
    assert!(log.rows("NONE").is_err());
}

/// A boot without a record of the type counts, too.
#[test]
fn boots_have_the_numbers_of_the_whole() {
    let boot = |types: &[(u8, &str)], records: &[(u8, u64)]| {
        let mut log = RawLog::with_units();
        for &(id, name) in types {
            log.fmt(id, name, "Qc", "TimeUS,X");
        }
        for &(id, time_us) in records {
            log.record(id, &payload![time_us, 5_i16]);
        }
        log.bytes
    };
    let (att, both) = ([(1, "ATT")], [(1, "ATT"), (2, "BARO")]);
    let all = [
        boot(&both, &[(2, 4), (1, 5)]),
        boot(&both, &[(2, 6), (2, 7)]),
        // The id has another type here, and this boot has no record at all.
        boot(&[(2, "ATT"), (1, "BARO")], &[]),
        boot(&[(2, "ATT"), (1, "BARO")], &[(1, 8), (2, 9)]),
        boot(&att, &[(1, 1)]),
    ];
    let log = all.concat();
    assert_eq!(Log::from_bytes(&log[..]).boot_count(), 4);
    assert!(assert_each_type_is_as_in_the_whole(&log, "boots") > 0);
    // Without the first definition of FMT.
    assert!(assert_each_type_is_as_in_the_whole(&log[89..], "boots") > 0);
}

#[cfg(unix)]
#[test]
fn anything_but_a_file_is_read_to_its_end() {
    let mut log = RawLog::new();
    log.fmt(1, "ATT", "Qc", "TimeUS,Roll");
    log.record(1, &payload![1_u64, 5_i16]);
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let (to, bytes) = (pipe.clone(), log.bytes.clone());
    let writer = std::thread::spawn(move || fs::write(to, bytes));
    let (opened, _) = Log::open_types(&pipe, &["ATT"]).expect("a log");
    assert_eq!(opened.bytes(), log.bytes);
    writer.join().expect("no panic").expect("a reader");
}
