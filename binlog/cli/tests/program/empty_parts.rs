//! Parts of a log without a record: each command says that nothing is in the part, not that the log has nothing.

use crate::{binlog, log, words};
use binlog::field::Chars;
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::path::PathBuf;
use tempfile::TempDir;

/// A log from 1 s to 5 s of a vehicle that was never armed, whose positions and parameters begin at 3 s.
fn never_armed(folder: &TempDir) -> PathBuf {
    let mut log = RawLog::new();
    log.fmt(1, "ATT", "Qf", "TimeUS,Roll").fmt(2, "POS", "QLLf", "TimeUS,Lat,Lng,Alt");
    log.fmt(3, "PARM", "QNf", "TimeUS,Name,Value");
    for time_us in (1..=5).map(|second| second * 1_000_000_u64) {
        log.record(1, &payload![time_us, 1.5_f32]);
        if time_us >= 3_000_000 {
            log.record(2, &payload![time_us, 100_000_000, 100_000_000, 10.0_f32]);
            log.record(3, &payload![time_us, Chars::<16>::cut("RATE"), time_us as f32]);
        }
    }
    let path = folder.path().join("quiet.bin");
    std::fs::write(&path, log.bytes).expect("room");
    path
}

#[test]
fn part_that_lacks_something_isnt_called_a_log_that_lacks_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = never_armed(&folder);
    for (line, expected) in [
        ("params LOG --armed", "no parameter is in the chosen part of the log"),
        ("params LOG --to 1.5", "no parameter is in the chosen part of the log"),
        ("export LOG --format gpx --to 1.5", "no position is in the chosen part of the log"),
        ("export LOG --format kml --armed --track POS", "no position is in the chosen part of the log"),
        ("export LOG --format csv --wide ATT --armed", "no record of `ATT` is in the chosen part of the log"),
        ("params LOG -n RAT", "the log has no parameter `RAT`; did you mean `RATE`?"),
        ("export LOG --format gpx --track GPS", "`GPS` has no positions"),
        ("export LOG --format csv --wide ATX", "no records of `ATX`; did you mean `ATT`?"),
    ] {
        let ran = binlog(words(line, &path));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{line}: {}", ran.stderr);
        let said = format!("{}: {expected}\n", path.display());
        assert!(ran.stderr.starts_with("binlog: ") && ran.stderr.contains(said.trim_end()), "{line}: {}", ran.stderr);
    }
}

#[test]
fn a_parameter_that_was_set_later_is_not_in_the_part() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut log = RawLog::new();
    log.fmt(3, "PARM", "QNf", "TimeUS,Name,Value");
    for (time_us, name) in [(1_000_000_u64, "EARLY"), (5_000_000, "LATER")] {
        log.record(3, &payload![time_us, Chars::<16>::cut(name), 1.0_f32]);
    }
    let path = folder.path().join("set.bin");
    std::fs::write(&path, log.bytes).expect("room");
    let ran = binlog(words("params LOG --to 2", &path));
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "EARLY                         1"), "{}", ran.stderr);
    let ran = binlog(words("params LOG --to 2 -n LATER", &path));
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains("no value of `LATER` is in the chosen part of the log"), "{}", ran.stderr);
}

/// What a command says about the log, with its exit code.
fn said(line: &str, path: &std::path::Path) -> (Option<i32>, String) {
    let ran = binlog(words(line, path));
    (ran.code, ran.stderr.replace(&format!("binlog: {}: ", path.display()), ""))
}

#[test]
fn a_part_without_records_is_said_once_a_log() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = never_armed(&folder);
    let out = folder.path().join("out").display().to_string();
    let in_part = "no record is in the chosen part\n";
    let of_types = "no record of the chosen types is in the chosen part\n";
    for (line, expected) in [
        ("dump LOG --armed", in_part),
        ("dump LOG --json --armed", in_part),
        ("dump LOG -t POS --to 1.5", of_types),
        ("stats LOG --armed", in_part),
        ("stats LOG --json --armed", in_part),
        ("stats LOG -t POS.Alt --to 1.5", of_types),
        ("export LOG --format jsonl --armed", in_part),
        ("export LOG --format csv -t ATT --armed", of_types),
        ("export LOG --format csv --rate 10 --armed", in_part),
        ("export LOG --format csv --rate 10 -t POS --to 1.5", of_types),
        (&format!("export LOG --armed -o {out}.mcap"), in_part),
        (&format!("export LOG --format csv --armed -o {out}/csv"), in_part),
        (&format!("export LOG --format parquet --armed -o {out}/parquet"), in_part),
        (&format!("export LOG --format parquet -t POS --to 1.5 -o {out}/types"), of_types),
        ("stats LOG -t PARM.Name", "no chosen column has numbers\n"),
        ("stats LOG --to 1.5", ""),
        ("dump LOG --to 1.5", ""),
        ("export LOG --format csv -t ATT --to 1.5", ""),
        ("export LOG --format jsonl --to 1.5", ""),
    ] {
        assert_eq!(said(line, &path), (Some(0), expected.to_owned()), "{line}");
    }
}

#[test]
fn each_log_of_several_without_a_record_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = never_armed(&folder);
    let out = folder.path().join("out").display().to_string();
    let flight = log("flight.bin").display().to_string();
    for line in [
        format!("dump LOG {flight} --armed -t ATT"),
        format!("stats LOG {flight} --armed -t ATT"),
        format!("export LOG {flight} --armed -t ATT --format csv -o {out}"),
    ] {
        let of_types = "no record of the chosen types is in the chosen part\n";
        assert_eq!(said(&line, &path), (Some(0), of_types.to_owned()), "{line}");
    }
    let line = format!("export LOG {flight} -t IMU --format csv -o {out} --force");
    assert_eq!(said(&line, &path), (Some(0), "no record is of the chosen types\n".to_owned()));
}

#[test]
fn frames_of_blackbox_that_are_not_in_the_part_are_said() {
    let path = log("flight.bbl");
    for line in ["dump LOG --json -t home --from=-0.001", "export LOG --format jsonl -t home --from=-0.001"] {
        let of_types = "no record of the chosen types is in the chosen part\n";
        assert_eq!(said(line, &path), (Some(0), of_types.to_owned()), "{line}");
    }
}
