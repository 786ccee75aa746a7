//! Blackbox logs whose time steps back, and what `dump` heads its columns with.

use crate::{binlog, json, words};
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
    let unsigned = |bytes: &mut Vec<u8>, mut value: u32| {
        while value > 127 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
    };
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
    bytes.extend_from_slice(b"E\xFFEnd of log\0");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("flight.bbl");
    std::fs::write(&path, bytes).expect("room");
    (folder, path)
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
