//! `dump` against `mavlogdump.py`, and what else it prints.

use crate::{binlog, case, fine, json, left_out, log, real_logs, words};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of pymavlink that the output equals.
const PYMAVLINK: &str = "2.4.50";

/// `mavlogdump.py` beside the Python that has pymavlink; `None` without it.
fn mavlogdump() -> Option<(PathBuf, PathBuf)> {
    let python = PathBuf::from(std::env::var_os("BINLOG_PYTHON").unwrap_or_else(|| "python3".into()));
    let script =
        "import importlib.metadata as m, sysconfig; print(m.version('pymavlink'), sysconfig.get_path('scripts'))";
    let output = Command::new(&python).args(["-c", script]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.trim().split_once(' ') {
        Some((PYMAVLINK, scripts)) => Some((python, Path::new(scripts).join("mavlogdump.py"))),
        _ => {
            left_out(&format!("dump against mavlogdump.py of pymavlink {PYMAVLINK} (tests/run program installs it)"));
            None
        }
    }
}

fn ardupilot_logs() -> Vec<PathBuf> {
    let is_ardupilot = |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bin"));
    real_logs().into_iter().filter(is_ardupilot).chain([log("flight.bin")]).collect()
}

#[test]
fn text_is_that_of_mavlogdump_to_the_byte() {
    assert_as_mavlogdump(&ardupilot_logs(), &[&[], &["--types", "ATT,XK*,MSG"], &["--types", "FMT"]]);
}

fn assert_as_mavlogdump(logs: &[PathBuf], all_options: &[&[&str]]) {
    let Some((python, script)) = mavlogdump() else { return };
    for log in logs {
        for &options in all_options {
            let ours = binlog([&["dump"][..], options, &[log.to_str().expect("UTF-8")]].concat());
            // Some logs don't have all of the types.
            if ours.code == Some(2) {
                assert!(ours.stderr.contains("the log has no type"), "{}", ours.stderr);
            }
            let mut theirs = Command::new(&python);
            theirs.arg(&script).args(options).arg(log).env("TZ", "UTC").env("MAVLINK20", "1");
            theirs.env("PYTHONIOENCODING", "utf-8");
            let theirs = theirs.output().expect("python runs").stdout;
            let theirs = String::from_utf8(theirs).expect("UTF-8");
            for (i, (ours, theirs)) in ours.stdout.lines().zip(theirs.lines()).enumerate() {
                assert_eq!(ours, theirs, "{}, line {}, {options:?}", log.display(), i + 1);
            }
            assert_eq!(ours.stdout.len(), theirs.len(), "{}, {options:?}", log.display());
        }
    }
}

const TIME: u8 = 2;
const GPS: u8 = 3;
const GPS2: u8 = 4;
const IMU: u8 = 5;
const ATT: u8 = 6;
const PARM: u8 = 7;
const NONE: u8 = 8;

/// A log with types that have no time, and one that has nothing.
fn untimed() -> RawLog {
    let mut log = RawLog::new();
    log.fmt(IMU, "IMU", "f", "GyrX").fmt(ATT, "ATT", "f", "Roll").fmt(PARM, "PARM", "Nf", "Name,Value");
    log.fmt(NONE, "NONE", "", "").record(PARM, &payload![*b"RATE\0\0\0\0\0\0\0\0\0\0\0\0", 1.0_f32]);
    log
}

/// Records without a time: some a round.
fn some(log: &mut RawLog, round: usize) {
    (0..=3 * round % 7).for_each(|i| _ = log.record(IMU, &payload![i as f32]));
    (0..round % 3).for_each(|i| _ = log.record(ATT, &payload![i as f32]));
    if round % 4 == 1 {
        log.record(PARM, &payload![*b"RATE\0\0\0\0\0\0\0\0\0\0\0\0", 1.0_f32]).record(NONE, &[]);
    }
}

/// Logs by whose records pymavlink chooses each of its clocks, for each reason that it has.
fn clocks() -> Vec<(&'static str, RawLog)> {
    let mut logs = Vec::new();
    let mut add = |name, first: fn(&mut RawLog), each: fn(&mut RawLog, usize)| {
        let mut log = untimed();
        first(&mut log);
        for round in 0..40 {
            each(&mut log, round);
            some(&mut log, round);
        }
        logs.push((name, log));
    };
    add("no-time", |_| (), |_, _| ());
    add(
        "px4",
        |log| _ = log.fmt(TIME, "TIME", "Q", "StartTime").fmt(GPS, "GPS", "QB", "GPSTime,Fix"),
        |log, round| {
            log.record(TIME, &payload![1_000_000 + 20_123 * round as u64]);
            if round > 3 {
                log.record(GPS, &payload![1_400_000_000_123_456 + 20_000 * round as u64, 3_u8]);
            }
        },
    );
    add(
        "px4-gps-first",
        |log| _ = log.fmt(TIME, "TIME", "I", "StartTime").fmt(GPS, "GPS", "QB", "GPSTime,Fix"),
        |log, round| {
            log.record(GPS, &payload![1_400_000_000_123_456 * u64::from(round > 1) + round as u64, 3_u8]);
            if round > 5 {
                log.record(TIME, &payload![20_123 * round as u32]);
            }
        },
    );
    add(
        "px4-without-gps",
        |log| _ = log.fmt(TIME, "TIME", "Q", "StartTime"),
        |log, round| _ = log.record(TIME, &payload![20_123 * round as u64]),
    );
    add(
        "gps-counted",
        |log| _ = log.fmt(GPS, "GPS", "BIHB", "Status,TimeMS,Week,NSats"),
        |log, round| {
            let week = if round < 2 { 0 } else { 1770_u16 };
            log.record(GPS, &payload![3_u8, 200 * (round / 2) as u32, week, 8_u8]);
        },
    );
    add(
        "two-receivers-counted",
        |log| {
            log.fmt(GPS, "GPS", "BIHB", "Status,TimeMS,Week,NSats").fmt(GPS2, "GPS2", "IH", "TimeMS,Week");
        },
        |log, round| {
            log.record(GPS, &payload![3_u8, 5000 * round as u32, 1770_u16, 8_u8]);
            log.record(GPS2, &payload![5000 * round as u32 + 90, 1770_u16]);
        },
    );
    add(
        "one-date",
        |log| {
            log.fmt(GPS, "GPS", "BIHB", "Status,TimeMS,Week,NSats");
            log.record(GPS, &payload![3_u8, 5_u32, 1770_u16, 8_u8]);
        },
        |_, _| (),
    );
    add(
        "milliseconds",
        |log| _ = log.fmt(GPS, "GPS", "IHHH", "TimeMS,Week,A,T").fmt(TIME, "CTUN", "Ih", "TimeMS,Alt"),
        |log, round| {
            log.record(TIME, &payload![60_000 + 100 * round as u32, 1_i16]);
            let week = if round < 5 { 0 } else { 1900_u16 };
            log.record(GPS, &payload![7_000 + 100 * round as u32, week, 0_u16, 60_050 + 100 * round as u16]);
        },
    );
    for (name, format) in [("i", "i"), ("I", "I"), ("H", "H"), ("f", "f"), ("e", "e")] {
        let mut log = untimed();
        log.fmt(TIME, "CTUN", &format!("{format}h"), "TimeUS,Alt").fmt(GPS, "GPS", "QIH", "TimeUS,GMS,GWk");
        log.fmt(GPS2, "ACC1", "If", "TimeMS,AccX");
        for round in 0..40_usize {
            some(&mut log, round);
            let time_us = 50_000 + 100 * round as u32;
            let time: Vec<u8> = match format {
                "H" => payload![time_us as u16],
                "f" => payload![time_us as f32],
                _ => payload![time_us << 16],
            };
            log.record(TIME, &[time, payload![1_i16]].concat());
            log.record(GPS2, &payload![99 + round as u32, 1_f32]);
            if round > 7 {
                log.record(
                    GPS,
                    &payload![3_000_000 + 99 * round as u64, 500_u32, if round > 9 { 2300 } else { 0_u16 }],
                );
            }
        }
        logs.push((name, log));
    }
    let mut log = untimed();
    log.fmt(TIME, "CTUN", "hQ", "Alt,TimeUS").fmt(GPS, "GPS", "HIQ", "GWk,GMS,TimeUS").fmt(GPS2, "MSEC", "I", "TimeMS");
    for round in 0..40_usize {
        some(&mut log, round);
        log.record(TIME, &payload![1_i16, 1_000_000 * round as u64]).record(GPS2, &payload![round as u32]);
        log.record(GPS, &payload![0_u16, 5_u32, 1_000_000 * round as u64]);
    }
    logs.push(("elsewhere", log));
    logs
}

#[test]
fn each_of_pymavlinks_clocks_dates_as_mavlogdump_does() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let save = |(name, log): (&str, RawLog)| {
        let path = folder.path().join(name).with_extension("bin");
        std::fs::write(&path, log.bytes).expect("room");
        path
    };
    let cases =
        ["dump-px4", "dump-gps-interpolated", "dump-no-time", "px4-sdlog2", "madflight", "gps-without-fix-first"];
    let cases = cases.into_iter().filter_map(|name| case(&format!("{name}.bin")));
    let logs: Vec<PathBuf> = clocks().into_iter().map(save).chain(cases).collect();
    assert_as_mavlogdump(&logs, &[&[], &["--types", "IMU,ATT,CTUN"]]);
}

#[test]
fn json_has_the_values_of_mavlogdump() {
    let Some((python, script)) = mavlogdump() else { return };
    for log in ardupilot_logs() {
        let ours = json("dump --json LOG", &log);
        let theirs = Command::new(&python).arg(&script).args(["--format", "json"]).arg(&log).output().expect("it runs");
        let theirs = String::from_utf8(theirs.stdout).expect("UTF-8");
        let mut count = 0;
        for (ours, theirs) in ours.iter().zip(theirs.lines()) {
            // pymavlink writes NaN and infinities, which JSON doesn't have.
            let theirs = theirs.replace("-Infinity", "null").replace("Infinity", "null").replace("NaN", "null");
            let theirs: serde_json::Value = serde_json::from_str(&theirs).expect("JSON");
            let (ours_is, theirs_is) = (&ours["meta"], &theirs["meta"]);
            assert_eq!((&ours_is["type"], &ours["data"]), (&theirs_is["type"], &theirs["data"]), "{}", log.display());
            // Without a clock, pymavlink's is the integer 0.
            assert_eq!(ours_is["timestamp"].as_f64(), theirs_is["timestamp"].as_f64(), "{}", log.display());
            count += 1;
        }
        assert_eq!((count, ours.len()), (theirs.lines().count(), count), "{}", log.display());
    }
}

#[test]
fn only_the_chosen_types_and_times_are_printed() {
    let log = log("flight.bin");
    let types = |line: &str| -> BTreeSet<String> {
        json(line, &log).iter().map(|line| line["meta"]["type"].as_str().expect("a type").to_owned()).collect()
    };
    assert_eq!(types("dump --json -t ATT LOG"), BTreeSet::from(["ATT".to_owned()]));
    let times: Vec<u64> = json("dump --json -t ATT --from 5 --to +2s LOG", &log)
        .iter()
        .map(|line| line["data"]["TimeUS"].as_u64().expect("a time"))
        .collect();
    let start = *binlog::Log::open(&log).expect("the log").time_range_us().expect("times").start();
    assert!(!times.is_empty());
    assert!(times.iter().all(|time| (start + 5_000_000..start + 7_000_000).contains(time)), "{start}: {times:?}");
    let armed = json("dump --json -t ATT --armed LOG", &log).len();
    assert!(armed > 0 && armed <= json("dump --json -t ATT LOG", &log).len());
}

#[test]
fn blackbox_frames_are_csv_with_as_many_values_in_each_line() {
    let text = fine("dump LOG", &log("flight.bbl"));
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    assert!(header.starts_with("loopIteration, time (us), "), "{header}");
    let columns = header.split(", ").count();
    let mut count = 0;
    for line in lines {
        let values: Vec<i64> = line.split(", ").map(|value| value.parse().expect(line)).collect();
        assert_eq!(values.len(), columns);
        count += 1;
    }
    let main = json("dump --json -t main LOG", &log("flight.bbl"));
    assert_eq!(count, main.len());
    assert!(count > 1000, "{count}");
}

#[test]
fn damage_is_said_and_what_follows_is_printed() {
    let ran = binlog(words("dump LOG", &log("damaged.bin")));
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains(" bytes without a record"), "{}", ran.stderr);
    let whole = fine("dump LOG", &log("flight.bin"));
    assert_eq!(ran.stdout.lines().last(), whole.lines().last());
}
