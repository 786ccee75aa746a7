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

/// Two batteries, three motors, and one place.
fn instances() -> TempDir {
    let mut log = RawLog::with_units();
    log.fmt(30, "BAT", "QBff", "TimeUS,I,Volt,Curr").fmtu(30, "s#vA", "F---");
    log.fmt(31, "ESC", "QBf", "TimeUS,I,RPM").fmtu(31, "s#-", "F--").fmt(32, "POS", "Qf", "TimeUS,Alt");
    for i in 0..5_u64 {
        let time_us = i * 10_000;
        log.record(32, &payload![time_us, 100.0 + i as f32]);
        (0..2).for_each(|bat: u8| {
            _ = log.record(30, &payload![time_us, bat, 10.0 + f32::from(bat), 20.0 + f32::from(bat)])
        });
        (0..3).for_each(|esc: u8| _ = log.record(31, &payload![time_us, esc, f32::from(esc)]));
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("circle.bin"), log.bytes).expect("room");
    folder
}

#[test]
fn expressions_of_several_instances_are_plotted_one_by_one() {
    let folder = instances();
    let points = |x: &str, y: &str| -> (serde_json::Value, Vec<(String, f64, f64)>) {
        let json: serde_json::Value = serde_json::from_str(&drawn(&folder, &["--xy", x, y, "--json"])).expect("JSON");
        let first = |curve: &serde_json::Value, axis: &str| curve[axis][0].as_f64().expect("a number");
        let curve = |curve: &serde_json::Value| {
            (curve["name"].as_str().expect("a name").to_owned(), first(curve, "x"), first(curve, "y"))
        };
        (json["x"].clone(), json["curves"].as_array().expect("curves").iter().map(curve).collect())
    };
    let named = |curves: &[(&str, f64, f64)]| {
        curves.iter().map(|(name, x, y)| ((*name).to_owned(), *x, *y)).collect::<Vec<_>>()
    };
    let (label, curves) = points("BAT.Volt", "BAT.Curr");
    assert_eq!(label, "BAT.Volt (V)");
    assert_eq!(curves, named(&[("BAT[0].Curr", 10.0, 20.0), ("BAT[1].Curr", 11.0, 21.0)]));
    // One place for all instances, and one value over each.
    let (_, curves) = points("POS.Alt", "ESC.RPM");
    assert_eq!(curves, named(&[("ESC[0].RPM", 100.0, 0.0), ("ESC[1].RPM", 100.0, 1.0), ("ESC[2].RPM", 100.0, 2.0)]));
    let (label, curves) = points("BAT.Volt", "POS.Alt");
    assert_eq!(label, "BAT.Volt (V)");
    assert_eq!(curves, named(&[("POS.Alt over BAT[0].Volt", 10.0, 100.0), ("POS.Alt over BAT[1].Volt", 11.0, 100.0)]));
    let (_, curves) = points("BAT[1].Volt", "BAT.Curr");
    assert_eq!(curves, named(&[("BAT[0].Curr", 11.0, 20.0), ("BAT[1].Curr", 11.0, 21.0)]));
    let output = plot(folder.path())
        .args(["circle.bin", "--xy", "BAT.Volt", "ESC.RPM"])
        .assert()
        .code(2)
        .get_output()
        .stderr
        .clone();
    assert!(String::from_utf8_lossy(&output).contains("the two expressions have different instances"));
}
