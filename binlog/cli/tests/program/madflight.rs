//! Logs with times of 32 bits, as madflight writes them, in each command that shows times.

use crate::{binlog, fine, json, words};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::path::PathBuf;
use tempfile::TempDir;

const IMU: u8 = 1;
const MODE: u8 = 2;
const ARM: u8 = 3;

/// Seconds of the flight: 80 minutes. Times of 32 bits wrap after 71.6.
const LAST: u64 = 4_800;
const WRAP: u64 = (1 << 32) / 1_000_000;

/// A record a second, armed in the minute around the wrap, in another mode after it.
fn saved() -> (TempDir, PathBuf) {
    let mut log = RawLog::new();
    log.fmt(IMU, "IMU", "Ih", "TimeUS,gx").fmt(MODE, "MODE", "IMBBN", "TimeUS,Mode,ModeNum,Rsn,Name");
    log.fmt(ARM, "ARM", "IB", "TimeUS,ArmState");
    for second in 5..=LAST {
        let time_us = (second * 1_000_000) as u32;
        match second {
            6 => _ = log.record(MODE, &payload![time_us, 2_u8, 2_u8, 0_u8, *b"ANGLE\0\0\0\0\0\0\0\0\0\0\0"]),
            _ if second == WRAP - 30 => _ = log.record(ARM, &payload![time_us, 1_u8]),
            _ if second == WRAP + 30 => _ = log.record(ARM, &payload![time_us, 0_u8]),
            _ if second == WRAP + 100 => {
                log.record(MODE, &payload![time_us, 1_u8, 1_u8, 0_u8, *b"RATE\0\0\0\0\0\0\0\0\0\0\0\0"]);
            }
            _ => {}
        }
        log.record(IMU, &payload![time_us, second as i16]);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("madflight.bin");
    std::fs::write(&path, log.bytes).expect("room");
    (folder, path)
}

fn count(line: &str, path: &std::path::Path) -> u64 {
    json(line, path)[0]["count"].as_u64().expect("a count")
}

#[test]
fn every_command_goes_on_after_the_wrap() {
    let (_folder, path) = saved();
    let session = json("info --json LOG", &path)[0]["sessions"][0].clone();
    assert_eq!((&session["from_s"], &session["to_s"]), (&5.0.into(), &(LAST as f64).into()));
    assert_eq!((&session["armed_s"], &session["damaged_times"]), (&60.0.into(), &0.into()));
    let modes: Vec<_> = session["modes"].as_array().expect("modes").iter().map(|mode| mode["name"].clone()).collect();
    assert_eq!(modes, ["ANGLE", "RATE"]);
    assert_eq!(session["modes"][1]["from_s"], (WRAP + 100) as f64);
    assert_eq!(session["gap_count"], 0);

    let csv = fine("export --format csv -t IMU --time seconds -o - LOG", &path);
    let times: Vec<u64> =
        csv.lines().skip(1).map(|line| line.split(',').next().expect("a time").parse().expect(line)).collect();
    assert!(times.iter().copied().eq((5..=LAST).map(|second| second * 1_000_000)), "{}", &csv[..200]);
    assert!(
        csv.lines().last().is_some_and(|line| line.contains(&format!(",{}.0,", LAST - 5))),
        "{:?}",
        csv.lines().last()
    );
    let objects = json("export --format jsonl -t IMU -o - LOG", &path);
    assert_eq!(objects.last().expect("records")["TimeUS"], LAST * 1_000_000);

    assert_eq!(count("stats --json -t IMU.gx --armed LOG", &path), 60);
    assert_eq!(count("stats --json -t IMU.gx --mode RATE LOG", &path), LAST - WRAP - 100 + 1);
    assert_eq!(count("stats --json -t IMU.gx --from 4289 --to 4295 LOG", &path), 6);
    let dumped = json("dump --json -t IMU --from 4289 --to 4295 LOG", &path);
    let seconds: Vec<_> = dumped.iter().map(|line| line["data"]["gx"].as_i64().expect("a number")).collect();
    assert_eq!(seconds, (4294..4300).collect::<Vec<i64>>());
    // As pymavlink has it: its clock doesn't know of the wrap.
    assert_eq!(dumped.last().expect("a record")["meta"]["timestamp"].as_f64().map(f64::trunc), Some(4.0));

    let ran = binlog(words("check LOG", &path));
    assert!(ran.stdout.contains("time_wraps") && !ran.stdout.contains("time_backwards"), "{}", ran.stdout);
}

#[test]
fn a_part_over_the_wrap_keeps_its_records_and_their_times() {
    let (folder, path) = saved();
    let part = folder.path().join("part.bin");
    let part_name = part.to_str().expect("UTF-8");
    fine(&format!("cut --from 4200 -t IMU -o {part_name} LOG"), &path);
    let log = binlog::Log::open(&part).expect("the part");
    let times = log.rows("IMU").expect("IMU").times_us();
    assert!(times.iter().copied().eq((4205..=LAST).map(|second| second * 1_000_000)), "{:?}", &times[..3]);
    // The mode of the beginning, with its own time.
    assert_eq!(log.modes().first().expect("a mode").name.as_deref(), Some("ANGLE"));
    // Both halves of the log, merged, are the log.
    let first = folder.path().join("first.bin");
    let (first_name, merged) = (first.to_str().expect("UTF-8"), folder.path().join("merged.bin"));
    fine(&format!("cut --to 4200 -o {first_name} LOG"), &path);
    fine(&format!("merge {first_name} {part_name} -o LOG"), &merged);
    let merged = binlog::Log::open(&merged).expect("the merged log");
    assert!(merged.rows("IMU").expect("IMU").times_us().into_iter().eq((5..=LAST).map(|second| second * 1_000_000)));
}

#[test]
fn the_column_of_the_times_goes_on_after_the_wrap() {
    let (_folder, path) = saved();
    let time = &json("stats --json -t IMU.TimeUS LOG", &path)[0];
    assert_eq!((&time["minimum"], &time["maximum"], &time["unit"]), (&5.0.into(), &(LAST as f64).into(), &"s".into()));
    let plotted = json("plot LOG IMU.TimeUS IMU.TimeUS*1e-6-IMU.gx --json", &path);
    let y = plotted[0]["curves"][0]["y"].as_array().expect("values");
    assert_eq!((&y[0], y.last()), (&5e6.into(), Some(&(LAST as f64 * 1e6).into())));
    assert!(plotted[0]["curves"][1]["y"].as_array().expect("values").iter().all(|y| y == 0.0));
}

#[test]
fn a_part_after_the_wrap_has_the_times_of_the_log() {
    let (folder, path) = saved();
    let file = |name: &str| folder.path().join(name);
    let name = |name: &str| file(name).to_str().expect("UTF-8").to_owned();
    for (part, options) in [("first", "--to 2000"), ("second", "--from 2000 --to 4500"), ("third", "--from 4500")] {
        let ran = binlog(words(&format!("cut {options} -o {} LOG", name(part)), &path));
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    }
    let session = &json("info --json LOG", &file("third"))[0]["sessions"][0];
    assert_eq!(session["to_s"], LAST as f64);
    assert_eq!(count(&format!("stats --json -t IMU.gx --from -{}s LOG", LAST - 4505), &file("third")), LAST - 4505 + 1);
    let parts = format!("{} {} {}", name("third"), name("first"), name("second"));
    let ran = binlog(words(&format!("merge {parts} -o LOG"), &file("merged")));
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let merged = binlog::Log::open(file("merged")).expect("the merged log");
    assert!(merged.rows("IMU").expect("IMU").times_us().into_iter().eq((5..=LAST).map(|second| second * 1_000_000)));
    // Nothing but a mode doesn't show the wrap.
    let ran = binlog(words(&format!("cut --from 4350 -t MODE -o {} LOG", name("modes")), &path));
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.stderr.contains("the 32-bit TimeUS of 2 records is off by a multiple of 71.6 minutes"),
        "{}",
        ran.stderr
    );
    let line = format!("cut --json --from 4350 -t MODE -o {} LOG", name("again"));
    assert_eq!(json(&line, &path)[0]["misread_times"], 2);
}

#[test]
fn merge_says_that_a_log_begins_after_the_wrap() {
    const GPS: u8 = 4;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let logger = |name: &str, of_type: &str, seconds: std::ops::Range<u64>| {
        let mut log = RawLog::new();
        log.fmt(IMU, of_type, "Ih", "TimeUS,gx").fmt(GPS, "GPS", "IBIH", "TimeUS,Status,GMS,GWk");
        for second in seconds {
            let time_us = (second * 1_000_000) as u32;
            log.record(IMU, &payload![time_us, 1_i16]);
            log.record(GPS, &payload![time_us, 3_u8, 200_000_000 + second as u32 * 1000, 2310_u16]);
        }
        let path = folder.path().join(name);
        std::fs::write(&path, log.bytes).expect("room");
        path.to_str().expect("UTF-8").to_owned()
    };
    let (whole, late) = (logger("whole.bin", "IMU", 5..4_500), logger("late.bin", "ESC", WRAP + 60..WRAP + 200));
    let soon = logger("soon.bin", "ESC", 60..200);
    let said = |logs: &str| {
        let ran = binlog(words(&format!("merge --force {logs} -o LOG"), &folder.path().join("merged.bin")));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stderr
    };
    for logs in [format!("{whole} {late}"), format!("{late} {whole}")] {
        let said = said(&logs);
        assert!(said.contains("late.bin: by GPS, its 32-bit TimeUS began again at 0 before the log begins"), "{said}");
        assert!(said.contains("71.6 minutes too early"), "{said}");
    }
    assert_eq!(said(&format!("{whole} {soon}")), "");
}
