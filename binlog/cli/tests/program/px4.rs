//! Logs of PX4's sdlog2, whose times are in records of their own: TIME.

use crate::{fine, json};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::path::PathBuf;
use tempfile::TempDir;

const TIME: u8 = 129;
const ATT: u8 = 2;
const GPS: u8 = 8;

/// GPSTime of the first fix, at 5.1 s, in microseconds since 1970: 2017-07-14 02:40:00.
const FIX_UNIX_US: u64 = 1_500_000_000_000_000;

/// 4 s at 50 Hz. The receiver counts from another date until it has a fix.
fn saved() -> (TempDir, PathBuf) {
    let mut log = RawLog::new();
    log.fmt(TIME, "TIME", "Q", "StartTime").fmt(ATT, "ATT", "ff", "Roll,Pitch");
    log.fmt(GPS, "GPS", "QBLLf", "GPSTime,Fix,Lat,Lon,Alt");
    for i in 0..200_u64 {
        log.record(TIME, &payload![5_000_000 + 20_000 * i]).record(ATT, &payload![i as f32, 0.5_f32]);
        if i % 10 == 5 {
            let unix_us = FIX_UNIX_US + 20_000 * (i - 5);
            log.record(GPS, &payload![unix_us, 3_u8, 470_000_000_i32 + i as i32, 80_000_000_i32, 500_f32]);
        } else if i == 1 {
            log.record(GPS, &payload![1_000_u64, 0_u8, 0_i32, 0_i32, 0_f32]);
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("px4.bin");
    std::fs::write(&path, log.bytes).expect("room");
    (folder, path)
}

#[test]
fn records_have_the_time_of_the_time_before_them() {
    let (_folder, path) = saved();
    let csv = fine("export --format csv -t ATT --time utc -o - LOG", &path);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((lines.len(), lines[0]), (201, "TimeUS,UTC,Roll,Pitch"));
    // The date by the first fix, not by what came before.
    assert_eq!(lines[1], "5000000,2017-07-14T02:39:59.900000Z,0.0,0.5");
    assert_eq!(lines[200], "8980000,2017-07-14T02:40:03.880000Z,199.0,0.5");
    assert_eq!(json("stats --json -t ATT.Roll --from 1 --to 2 LOG", &path)[0]["count"], 50);
    let session = json("info --json LOG", &path)[0]["sessions"][0].clone();
    assert_eq!((&session["from_s"], &session["to_s"]), (&5.0.into(), &8.98.into()));
    assert_eq!(session["date"], "2017-07-14T02:39:59Z");
}

#[test]
fn the_track_has_positions_and_times() {
    let (_folder, path) = saved();
    let gpx = fine("export --format gpx -o - LOG", &path);
    assert_eq!(gpx.matches("<trkpt").count(), 20, "{gpx}");
    assert!(gpx.contains("<time>2017-07-14T02:40:00.000000Z</time>"), "{gpx}");
}

#[test]
fn a_plot_has_the_times() {
    let (_folder, path) = saved();
    let plotted = json("plot LOG ATT.Roll --json", &path);
    let x = &plotted[0]["curves"][0]["x"];
    assert_eq!((&x[0], &x[1], &x[199]), (&0.0.into(), &0.02.into(), &3.98.into()));
}
