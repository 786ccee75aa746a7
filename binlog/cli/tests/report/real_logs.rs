//! Real logs, whose contents are known, and logs of other kinds.

use crate::{found, json, state};
use binlog_tests::text_log::as_text;
use simulator::{Fault, Simulation, log_of};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder beside the checkout.
fn shared(folder: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("BINLOG_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let folder = shared.join(folder);
    if !folder.is_dir() {
        crate::left_out::left_out("reports of the real logs: the folder `shared` is missing");
        return None;
    }
    Some(folder)
}

#[test]
fn real_ardupilot_logs_have_the_findings_of_their_flights() {
    let Some(folder) = shared("ardupilot-logs") else { return };
    for (log, expected) in [
        // It ends inside a record.
        ("pymavlink_test.BIN", &["log-damage"][..]),
        // DSF.Dp is 2 from the first record on: of the log before.
        ("ardusub_small.BIN", &[]),
        // They are cut off inside of a record.
        ("amc_80k.bin", &["log-damage"]),
        ("uavreaders_test.bin", &["log-damage"]),
    ] {
        let report = json(&folder, log, &[]);
        assert_eq!(
            found(&report).iter().collect::<Vec<_>>(),
            expected,
            "{log}: {:#}",
            report["sessions"][0]["findings"]
        );
    }
}

#[test]
fn real_blackbox_logs_have_the_findings_of_their_flights() {
    let Some(folder) = shared("blackbox-logs") else { return };
    for (log, expected) in [
        ("fcbb_LOG00037.BFL", &[][..]),
        ("fcbb_btfl_001.bbl", &[]),
        // It is damaged on purpose.
        ("bblog_error-recovery.bbl", &["log-damage"]),
    ] {
        let report = json(&folder, log, &[]);
        assert_eq!(found(&report).iter().collect::<Vec<_>>(), expected, "{log}: {report:#}");
    }
}

#[test]
fn a_text_log_has_the_findings_of_its_flight() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = log_of(Simulation::new(1, 30).with_fault(Fault::GpsGlitch));
    fs::write(folder.path().join("flight.log"), as_text(&log)).expect("room");
    let report = json(folder.path(), "flight.log", &[]);
    assert!(found(&report).contains("gps-glitch"), "{report:#}");
}

#[test]
fn damaged_lines_of_a_text_log_are_a_finding() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = as_text(&log_of(Simulation::new(1, 30)));
    let middle = text.len() / 2;
    let end = middle + text[middle..].iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    fs::write(folder.path().join("flight.log"), [&text[..end], b"ATT, 12\n", &text[end..]].concat()).expect("room");
    let output = crate::report(folder.path(), "flight.log").arg("--json").output().expect("it runs");
    assert_eq!(output.status.code(), Some(3), "data is lost");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = report["sessions"][0]["findings"].as_array().expect("findings");
    let damage = findings.iter().find(|finding| finding["rule"] == "log-damage").expect("the damage");
    assert!(damage["summary"].as_str().is_some_and(|text| text.contains("1 line of the text")), "{damage:#}");
    let place = &damage["evidence"][0];
    assert!(place["text"].as_str().is_some_and(|text| text.starts_with("line ")), "{damage:#}");
    assert!(place["at_s"].as_f64().is_some_and(|at_s| at_s > 5.0), "{damage:#}");
}

#[test]
fn a_copy_of_a_part_has_no_gap_before_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("flight.bin"), log_of(Simulation::new(1, 60))).expect("room");
    let mut cut = assert_cmd::Command::cargo_bin("binlog").expect("the program");
    cut.current_dir(&folder).args(["cut", "flight.bin", "--from", "40", "--to", "50", "-o", "part.bin"]);
    cut.assert().success();
    let report = json(folder.path(), "part.bin", &[]);
    assert!(!found(&report).contains("log-gap"), "{report:#}");
}

#[test]
fn each_session_of_a_blackbox_log_has_its_part() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sound = simulator::blackbox::log_of(Simulation::new(1, 30));
    let weak = simulator::blackbox::log_of(Simulation::new(1, 40).with_fault(Fault::BatterySag));
    fs::write(folder.path().join("flights.bbl"), [sound, weak].concat()).expect("room");
    let report = json(folder.path(), "flights.bbl", &[]);
    let sessions = report["sessions"].as_array().expect("sessions");
    let rules = |session: usize| -> Vec<&str> {
        let findings = sessions[session]["findings"].as_array().expect("findings");
        findings.iter().filter_map(|finding| finding["rule"].as_str()).collect()
    };
    assert_eq!(sessions.len(), 2);
    assert_eq!(rules(0), [""; 0]);
    assert!(rules(1).contains(&"battery-sag"), "{report:#}");
    assert_eq!(state(&report, "gyro-filters"), "fine");
}

#[test]
fn evidence_is_the_record_at_its_offset() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = log_of(Simulation::new(1, 30).with_fault(Fault::Vibration));
    fs::write(folder.path().join("shaken.bin"), &log).expect("room");
    let report = json(folder.path(), "shaken.bin", &[]);
    let findings = report["sessions"][0]["findings"].as_array().expect("findings");
    let finding = findings.iter().find(|finding| finding["rule"] == "vibration").expect("vibration");
    let column = finding["columns"][0].as_str().expect("a column");
    let label = column.split_once('.').expect("a label").1;
    let evidence = finding["evidence"].as_array().expect("places");
    assert!(!evidence.is_empty());
    for place in evidence {
        let offset = place["offset"].as_u64().expect("an offset") as usize;
        let record = binlog::Records::new(&log).flatten().find(|record| record.offset() == offset).expect("a record");
        assert_eq!(record.name(), "VIBE");
        let value = record.value(label).expect("a column").to_f64().expect("a number");
        assert!((value - place["value"].as_f64().expect("a number")).abs() < 1e-6);
        assert_eq!(record.time_us(), Some((place["at_s"].as_f64().expect("a time") * 1e6).round() as u64));
    }
}

#[test]
fn damage_is_a_finding_and_the_rest_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = log_of(Simulation::new(1, 30).with_fault(Fault::LogDamage));
    fs::write(folder.path().join("damaged.bin"), log).expect("room");
    let output = crate::report(folder.path(), "damaged.bin").args(["-o", "damaged.html"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(3), "data is lost");
    let page = fs::read_to_string(folder.path().join("damaged.html")).expect("the page");
    assert!(page.contains("A part of the log can't be read"), "{page:.2000}");
}
