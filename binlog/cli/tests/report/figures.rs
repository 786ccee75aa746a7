//! What the figures of a finding are about, on logs that are made for it.

use crate::{found, json, report, state};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use serde_json::Value;
use std::fs;

/// The report of a log.
fn report_of(name: &str, log: &[u8]) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join(name), log).expect("room");
    json(folder.path(), name, &[])
}

/// The finding of a rule.
fn finding<'r>(report: &'r Value, rule: &str) -> &'r Value {
    let findings = report["sessions"][0]["findings"].as_array().expect("findings");
    findings.iter().find(|finding| finding["rule"] == rule).unwrap_or_else(|| panic!("no {rule}: {report:#}"))
}

fn is_near(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() < 1e-6)
}

/// A log of 60 s with a battery of this voltage and a spike, and these parameters.
fn battery(volts: f32, parameters: &[(&str, f32)]) -> Value {
    let mut log = RawLog::with_units();
    log.fmt(31, "PARM", "QNf", "TimeUS,Name,Value").fmt(32, "BAT", "QBff", "TimeUS,Inst,Volt,Curr");
    for (name, value) in parameters {
        let mut text = [0; 16];
        text[..name.len()].copy_from_slice(name.as_bytes());
        log.record(31, &payload![1_000_000_u64, text, *value]);
    }
    for i in 0..600_u64 {
        let volts = if i == 300 { 40.0 } else { volts };
        log.record(32, &payload![1_000_000 + i * 100_000, 0_u8, volts, 5_f32]);
    }
    report_of("battery.bin", &log.bytes)
}

#[test]
fn a_battery_has_the_cells_that_its_voltage_allows() {
    // Six cells that are half empty.
    assert_eq!(state(&battery(22.0, &[]), "battery-sag"), "fine");
    // Four that are nearly empty.
    assert!(is_near(&finding(&battery(13.6, &[]), "battery-sag")["value"], 3.4));
}

#[test]
fn a_parameter_says_the_cells_of_a_battery() {
    for parameter in [("MOT_BAT_VOLT_MAX", 25.2), ("BATT_LOW_VOLT", 21.0)] {
        assert!(is_near(&finding(&battery(20.4, &[parameter]), "battery-sag")["value"], 3.4), "{parameter:?}");
    }
    // What is left at its default, or doesn't fit, says nothing.
    for parameter in [("BATT_LOW_VOLT", 10.5), ("MOT_BAT_VOLT_MAX", 58.8)] {
        assert_eq!(state(&battery(20.4, &[parameter]), "battery-sag"), "fine", "{parameter:?}: five cells");
    }
}

#[test]
fn an_ambiguous_battery_is_not_guessed() {
    // Five full cells, or six nearly empty ones.
    let report = battery(21.2, &[]);
    assert_eq!(state(&report, "battery-sag"), "lacking");
    let rules = report["sessions"][0]["rules"].as_array().expect("rules");
    let sag = rules.iter().find(|rule| rule["rule"] == "battery-sag").expect("the rule");
    let lacks = sag["lacks"].as_str().expect("a reason");
    assert!(lacks.starts_with("the number of cells: BAT.Volt is at most 21.2 V"), "{lacks}");
}

#[test]
fn damage_of_a_blackbox_header_is_a_finding() {
    let sound = simulator::blackbox::log_of(simulator::Simulation::new(1, 20));
    let line = sound.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    let log = [&sound[..line], b"not a line\n", &sound[line..]].concat();
    let report = report_of("header.bbl", &log);
    let finding = finding(&report, "log-damage");
    assert_eq!((&finding["value"], &finding["unit"]), (&1.0.into(), &"places".into()), "{finding:#}");
}

#[test]
fn a_lost_position_is_limited_in_all() {
    let mut log = RawLog::with_units();
    log.fmt(30, "GPS", "QB", "TimeUS,Status");
    // Twice 0.8 s.
    for i in 0..100_u64 {
        let status = if matches!(i, 20..24 | 60..64) { 1_u8 } else { 3 };
        log.record(30, &payload![1_000_000 + i * 200_000, status]);
    }
    let report = report_of("gps.bin", &log.bytes);
    let finding = finding(&report, "gps-lost");
    assert!(is_near(&finding["value"], 1.6), "{finding:#}");
    assert_eq!(finding["unit"], "s in all");
    assert!(finding["summary"].as_str().expect("a text").contains("for 1.6 s in all"), "{finding:#}");
}

#[test]
fn an_unknown_dilution_is_none() {
    // What ArduPilot logs, and what a converted Blackbox log has.
    for unknown in [65_535_u16, 9_999] {
        let mut log = RawLog::with_units();
        log.fmt(30, "GPS", "QBBC", "TimeUS,Status,NSats,HDop");
        for i in 0..100_u64 {
            log.record(30, &payload![1_000_000 + i * 200_000, 3_u8, 12_u8, unknown]);
        }
        assert_eq!(state(&report_of("gps.bin", &log.bytes), "gps-dilution"), "fine", "{unknown}");
    }
}

#[test]
fn a_flight_that_shows_nothing_isnt_fine() {
    // 5 A all the time say nothing about the resistance.
    assert_eq!(state(&battery(22.0, &[]), "battery-resistance"), "lacking");
    let folder = tempfile::tempdir().expect("a temporary folder");
    // It is armed after 2 s.
    fs::write(folder.path().join("short.bin"), simulator::log_of(simulator::Simulation::new(1, 4))).expect("room");
    let short = json(folder.path(), "short.bin", &[]);
    for rule in ["battery-sag", "motor-balance"] {
        assert_eq!(state(&short, rule), "lacking", "{rule}: {short:#}");
    }
    let empty = report_of("empty.bin", &RawLog::with_units().bytes);
    for (rule, expected) in [("failsafe", "lacking"), ("error", "lacking"), ("log-damage", "fine")] {
        assert_eq!(state(&empty, rule), expected, "{rule}: {empty:#}");
    }
}

#[test]
fn a_count_from_before_the_log_is_not_of_this_log() {
    let with = |start_us: u64, last: u32| {
        let mut log = RawLog::with_units();
        log.fmt(30, "DSF", "QI", "TimeUS,Dp");
        for (i, dropped) in [2, 2, last].into_iter().enumerate() {
            log.record(30, &payload![start_us + i as u64 * 1_000_000, dropped]);
        }
        report_of("drops.bin", &log.bytes)
    };
    let later = 265_000_000;
    assert_eq!(state(&with(later, 2), "log-drops"), "fine");
    assert_eq!(finding(&with(later, 7), "log-drops")["value"], 5.0);
    assert_eq!(finding(&with(1_000_000, 2), "log-drops")["value"], 2.0, "no log came before it");
}

#[test]
fn absurd_values_are_short() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut log = RawLog::with_units();
    log.fmt(30, "PM", "Qd", "TimeUS,MaxT");
    for i in 0..20_u64 {
        log.record(30, &payload![1_000_000 + i * 1_000_000, if i == 9 { 1e300_f64 } else { 2500.0 }]);
    }
    fs::write(folder.path().join("loop.bin"), log.bytes).expect("room");
    report(folder.path(), "loop.bin").args(["-o", "loop.html"]).assert().success();
    let page = fs::read_to_string(folder.path().join("loop.html")).expect("the page");
    let printed = report(folder.path(), "loop.bin").assert().success().get_output().stdout.clone();
    let printed = String::from_utf8(printed).expect("UTF-8");
    assert!(printed.contains("(log-stall)"), "{printed}");
    for text in [page, printed] {
        let longest = text.split(|of: char| !of.is_ascii_digit()).map(str::len).max();
        assert!(longest.is_some_and(|longest| longest < 25), "{longest:?}");
    }
}

#[test]
fn a_plot_command_takes_a_name_for_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = simulator::Simulation::new(1, 20).with_fault(simulator::Fault::Vibration);
    fs::write(folder.path().join("-o.bin"), simulator::log_of(flight)).expect("room");
    assert!(found(&json(folder.path(), "./-o.bin", &[])).contains("vibration"));
    report(folder.path(), "./-o.bin").args(["-o", "page.html"]).assert().success();
    let page = fs::read_to_string(folder.path().join("page.html")).expect("the page");
    assert!(page.contains("binlog plot ./-o.bin --from"), "{page:.3000}");
}
