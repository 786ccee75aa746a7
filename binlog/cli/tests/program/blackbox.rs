//! Blackbox logs whose time steps back, and what `dump` heads its columns with.

use crate::{binlog, fine, json, words};
use std::path::PathBuf;
use tempfile::TempDir;

/// A session of I frames: iteration, time in µs and mode flags, which a slow frame has if they change.
fn log(frames: &[(u32, u32, u32)]) -> (TempDir, PathBuf) {
    let lines = [
        "Product:Blackbox flight data recorder by Nicholas Sherlock",
        "Data version:2",
        "I interval:1",
        "Firmware revision:Betaflight 4.3.1 (x) Y",
        "Field I name:loopIteration,time,BaroAlt,vbatLatest",
        "Field I signed:0,0,1,0",
        "Field I predictor:0,0,0,0",
        "Field I encoding:1,1,0,1",
        "Field P predictor:6,2,1,1",
        "Field P encoding:9,0,0,0",
        "Field S name:flightModeFlags",
        "Field S signed:0",
        "Field S predictor:0",
        "Field S encoding:1",
    ];
    let mut bytes: Vec<u8> = lines.iter().flat_map(|line| format!("H {line}\n").into_bytes()).collect();
    let mut last = None;
    for &(iteration, time, mode) in frames {
        if last.replace(mode) != Some(mode) {
            bytes.push(b'S');
            unsigned(&mut bytes, mode);
        }
        bytes.push(b'I');
        for value in [iteration, time, 250 << 1, 1645] {
            unsigned(&mut bytes, value);
        }
    }
    saved(bytes)
}

/// Ends a session and saves it.
fn saved(mut bytes: Vec<u8>) -> (TempDir, PathBuf) {
    bytes.extend_from_slice(b"E\xFFEnd of log\0");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("flight.bbl");
    std::fs::write(&path, bytes).expect("room");
    (folder, path)
}

/// Appends a number as `UNSIGNED_VB`.
fn unsigned(bytes: &mut Vec<u8>, mut value: u32) {
    while value > 127 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

const ARMED: u32 = 1;
const ANGLE: u32 = 3;

fn rows(line: &str, path: &std::path::Path) -> usize {
    let ran = binlog(words(line, path));
    assert!(matches!(ran.code, Some(0 | 3)), "{line}: {}", ran.stderr);
    ran.stdout.lines().count() - 1
}

#[test]
fn time_that_steps_back_loses_no_row_in_any_choice() {
    let frames: Vec<(u32, u32, u32)> = (0..40)
        .map(|i| {
            let time = 20_000_000 + i * 1000;
            (i, if (10..30).contains(&i) { time - 6_000_000 } else { time }, if i < 20 { ARMED } else { ANGLE })
        })
        .collect();
    let (_folder, path) = log(&frames);
    // The first frame after the step back is rejected. The step forward is short enough.
    assert_eq!(rows("dump LOG", &path), 39);
    assert_eq!(rows("dump --armed LOG", &path), 39);
    // A slow frame has the time of the main frame before it.
    assert_eq!(rows("dump --mode ACRO LOG", &path), 18);
    assert_eq!(rows("dump --mode STABILIZE LOG", &path), 21);
    assert_eq!(rows("dump --mode ACRO,STABILIZE LOG", &path), 39);
    let session = &json("info --json LOG", &path)[0]["sessions"][0];
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let (from, to) = (number(&session["from_s"]), number(&session["to_s"]));
    assert!((from - 14.011).abs() < 1e-9 && (to - 20.039).abs() < 1e-9, "{from} {to}");
    assert!(number(&session["armed_s"]) <= to - from + 1e-5, "{session}");
    for mode in session["modes"].as_array().expect("modes") {
        let within = number(&mode["from_s"]) >= from && number(&mode["to_s"]) <= to + 1e-5;
        assert!(within, "{mode} is not in {from} to {to}");
    }
    let check = binlog(words("check LOG", &path)).stdout;
    assert!(check.contains("time_backwards") && check.contains("the time goes back"), "{check}");
}

#[test]
fn heads_of_columns_are_those_of_blackbox_decode() {
    let (_folder, path) = log(&[(0, 1000, ARMED), (1, 2000, ARMED)]);
    let text = binlog(words("dump LOG", &path)).stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "loopIteration, time (us), BaroAlt (cm), vbatLatest, flightModeFlags");
    assert_eq!(lines[2], "1, 2000, 250, 1645, 1");
}

/// Firmware logs altitudes below the sea as unsigned numbers.
#[test]
fn tracks_and_plots_have_altitudes_below_the_sea() {
    let lines = [
        "Product:Blackbox flight data recorder by Nicholas Sherlock",
        "Data version:2",
        "I interval:1",
        "Firmware revision:Betaflight 4.3.1 (x) Y",
        "Field I name:loopIteration,time",
        "Field I signed:0,0",
        "Field I predictor:0,0",
        "Field I encoding:1,1",
        "Field P predictor:6,2",
        "Field P encoding:9,0",
        "Field H name:GPS_home[0],GPS_home[1]",
        "Field H signed:1,1",
        "Field H predictor:0,0",
        "Field H encoding:0,0",
        "Field G name:GPS_numSat,GPS_coord[0],GPS_coord[1],GPS_altitude",
        "Field G signed:0,1,1,0",
        "Field G predictor:0,7,7,0",
        "Field G encoding:1,0,0,1",
    ];
    let mut bytes: Vec<u8> = lines.iter().flat_map(|line| format!("H {line}\n").into_bytes()).collect();
    let mut push = |letter: u8, values: &[u32]| {
        bytes.push(letter);
        values.iter().for_each(|value| unsigned(&mut bytes, *value));
    };
    // Zigzag: what is signed is doubled.
    push(b'H', &[2 * 473_566_100, 2 * 85_190_000]);
    for (i, decimetres) in [-50_i32, -1, 0, 25].into_iter().enumerate() {
        let i = i as u32;
        push(b'I', &[i, 1_000_000 + 200_000 * i]);
        push(b'G', &[12, 20 * i, 20 * i, decimetres as u32]);
    }
    push(b'I', &[4, 1_800_000]);
    let (_folder, path) = saved(bytes);
    let metres = ["-5", "-0.1", "0", "2.5"];
    let gpx = fine("export --format gpx -o - LOG", &path);
    let elevations: Vec<&str> = gpx.split("<ele>").skip(1).filter_map(|rest| rest.split("</ele>").next()).collect();
    assert_eq!(elevations, metres, "{gpx}");
    let kml = fine("export --format kml -o - LOG", &path);
    for metres in metres {
        assert!(
            kml.contains(&format!(",{metres}\n"))
                || kml.contains(&format!(",{metres} "))
                || kml.contains(&format!(",{metres}<")),
            "{kml}"
        );
    }
    assert!(!kml.contains("42949"), "{kml}");
    let plotted = json("plot LOG gps.GPS_altitude --json", &path);
    assert_eq!(plotted[0]["curves"][0]["y"], serde_json::json!([-5.0, -0.1, 0.0, 2.5]));
    assert_eq!(json("stats --json -t gps.GPS_altitude LOG", &path)[0]["minimum"], -5.0);
}
