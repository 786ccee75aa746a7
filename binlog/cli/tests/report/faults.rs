//! A sound flight has no finding. Each fault is found by its rule, and nothing but what the table of rules names.

use crate::{found, json, report};
use binlog_cli::report::rules::{Formats, RULES};
use clap::ValueEnum;
use simulator::{Fault, Simulation, log_of};
use std::collections::BTreeSet;
use std::fs;

fn name(fault: &Fault) -> String {
    fault.to_possible_value().expect("a fault has a name").get_name().to_owned()
}

/// The rules that look at the logs that the simulator writes.
fn of_ardupilot() -> impl Iterator<Item = &'static binlog_cli::report::rules::Rule> {
    RULES.iter().filter(|rule| rule.formats != Formats::Blackbox)
}

#[test]
fn a_sound_flight_has_no_finding() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (seed, seconds) in [(1, 60), (2, 40), (7, 20)] {
        fs::write(folder.path().join("sound.bin"), log_of(Simulation::new(seed, seconds))).expect("room");
        let found = json(folder.path(), "sound.bin", &[]);
        let findings = &found["sessions"][0]["findings"];
        assert_eq!(findings.as_array().map(Vec::len), Some(0), "seed {seed}, {seconds} s: {findings:#}");
        let rules = found["sessions"][0]["rules"].as_array().expect("rules");
        let unchecked = rules.iter().filter(|rule| rule["state"] != "fine");
        // A flight in simulated time has no statistics of the logger.
        let unchecked: Vec<&str> = unchecked.filter_map(|rule| rule["rule"].as_str()).collect();
        assert_eq!(unchecked, ["log-drops"], "{found:#}");
    }
    fs::write(folder.path().join("sound.bbl"), simulator::blackbox::log_of(Simulation::new(1, 30))).expect("room");
    let found = json(folder.path(), "sound.bbl", &[]);
    assert_eq!(found["sessions"][0]["findings"].as_array().map(Vec::len), Some(0), "{found:#}");
}

#[test]
fn each_rule_for_ardupilot_logs_has_a_fault() {
    let faults: BTreeSet<String> = Fault::value_variants().iter().map(name).collect();
    let rules: BTreeSet<String> = of_ardupilot().map(|rule| rule.name.to_owned()).collect();
    assert_eq!(faults, rules);
}

#[test]
fn each_fault_is_found_with_nothing_but_its_consequences() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut wrong = String::new();
    for fault in Fault::value_variants() {
        let name = name(fault);
        let log = format!("{name}.bin");
        fs::write(folder.path().join(&log), log_of(Simulation::new(1, 40).with_fault(*fault))).expect("room");
        let said = json(folder.path(), &log, &[]);
        let found = found(&said);
        let rule = of_ardupilot().find(|rule| rule.name == name).expect("its rule");
        let others: Vec<&String> =
            found.iter().filter(|of| **of != name && !rule.brings.contains(&of.as_str())).collect();
        if !found.contains(&name) || !others.is_empty() {
            let findings = said["sessions"][0]["findings"].as_array().expect("findings");
            let texts: Vec<String> = findings.iter().map(|of| format!("{}: {}", of["rule"], of["summary"])).collect();
            wrong += &format!("{name}: {texts:#?}\n");
        }
        // What it causes comes after it.
        for finding in said["sessions"][0]["findings"].as_array().expect("findings") {
            let is_cause = finding["rule"] == *name;
            let causes = finding["may_follow_from"].as_array().expect("names");
            assert!(is_cause || causes.iter().any(|cause| *cause == *name) || !wrong.is_empty(), "{name}: {finding:#}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_motor_that_works_harder_is_found_in_a_blackbox_log() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = Simulation::new(1, 40).with_fault(Fault::MotorBalance);
    fs::write(folder.path().join("motor.bbl"), simulator::blackbox::log_of(flight)).expect("room");
    let found = json(folder.path(), "motor.bbl", &[]);
    assert_eq!(crate::found(&found).into_iter().collect::<Vec<_>>(), ["motor-balance"], "{found:#}");
}

#[test]
fn the_terminal_has_the_findings_in_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = log_of(Simulation::new(1, 20).with_fault(Fault::Failsafe));
    fs::write(folder.path().join("radio.bin"), log).expect("room");
    let output = report(folder.path(), "radio.bin").assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).expect("UTF-8");
    assert!(text.starts_with("A failsafe took over (failsafe)\n  "), "{text}");
    assert!(text.contains("adio failsafe: occurred"), "{text}");
    assert!(text.contains("not checked, as the log lacks what they need: log-drops\n"), "{text}");
}
