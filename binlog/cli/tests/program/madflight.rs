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
