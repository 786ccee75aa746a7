//! One expression over another.

use crate::flight::plot;
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::f64::consts::TAU;
use tempfile::TempDir;

/// A circle in 100 steps, and a type that is logged at other times.
fn folder() -> TempDir {
    let mut log = RawLog::with_units();
    log.fmt(30, "POS", "Qdd", "TimeUS,Lng,Lat").fmtu(30, "sUD", "F--").fmt(31, "ALT", "Qf", "TimeUS,Alt");
    for i in 0..=100_u64 {
        let angle = TAU * i as f64 / 100.0;
        log.record(30, &payload![i * 10_000, angle.cos(), angle.sin()]);
        log.record(31, &payload![i * 10_000 + 5000, i as f32]);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("circle.bin"), log.bytes).expect("room");
    folder
}

fn drawn(folder: &TempDir, arguments: &[&str]) -> String {
    let mut command = plot(folder.path());
    let output = command.arg("circle.bin").args(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("UTF-8")
}

#[test]
fn a_circle_is_round() {
    let folder = folder();
    let json: serde_json::Value =
        serde_json::from_str(&drawn(&folder, &["--xy", "POS.Lng", "POS.Lat", "--json"])).expect("JSON");
    let curve = &json["curves"][0];
    for i in 0..=100 {
        let [x, y] = ["x", "y"].map(|axis| curve[axis][i].as_f64().expect("a number"));
        assert!((x.hypot(y) - 1.0).abs() < 1e-9, "{x} {y}");
    }
    assert_eq!((&json["x"], &curve["name"]), (&"POS.Lng (deglongitude)".into(), &"POS.Lat".into()));
    let svg = drawn(&folder, &["--xy", "POS.Lng", "POS.Lat", "--format", "svg", "-o", "-"]);
    let path = svg.lines().find(|line| line.contains("<path") && line.contains("#0072b2")).expect("a curve");
    assert_eq!(path.matches('L').count(), 100, "all points, in the order of time: {path}");
    let text = drawn(&folder, &["--xy", "POS.Lng", "POS.Lat"]);
    assert!(text.contains("━ POS.Lat") && text.contains("POS.Lng (deglongitude)"), "{text}");
    assert!(text.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count() > 80, "{text}");
}

#[test]
fn a_value_stands_at_the_last_place_before_it() {
    let folder = folder();
    let json = drawn(&folder, &["--xy", "POS.Lng", "ALT.Alt", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["curves"][0]["x"][0], &json["curves"][0]["y"][0]), (&1.0.into(), &0.0.into()));
    let before = drawn(&folder, &["--xy", "ALT.Alt", "POS.Lng", "--json"]);
    assert!(before.contains("\"x\":[null,0.0,"), "no altitude yet: {before}");
}

#[test]
fn what_can_t_be_plotted_so_is_an_error() {
    let folder = folder();
    for (arguments, says) in [
        (&["--xy", "POS.Lng"][..], "--xy plots one expression over another"),
        (&["--xy", "POS.Lng", "POS.Lat", "ALT.Alt"], "--xy plots one expression over another"),
        (&["--xy", "POS.Lng", "POS.Lat", "-o", "a.html"], "write --xy to a picture"),
        (&["--xy", "POS.Lng", "POS.Lat", "--spectrum"], "cannot be used with"),
    ] {
        let output = plot(folder.path()).arg("circle.bin").args(arguments).assert().code(2).get_output().stderr.clone();
        let text = String::from_utf8(output).expect("UTF-8");
        assert!(text.contains(says), "{text}");
    }
}
