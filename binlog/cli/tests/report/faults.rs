//! A sound flight has no finding. Each fault is found by its rule, and nothing but what the table of rules names.

use crate::{found, json, report};
use binlog_cli::report::rules::{RULES, Rule};
use clap::ValueEnum;
use simulator::{Fault, Format, Simulation, log_of};
use std::collections::BTreeSet;
use std::fs;

fn name(fault: &Fault) -> String {
    fault.to_possible_value().expect("a fault has a name").get_name().to_owned()
}

/// The rules for logs of a format.
fn rules_of(format: Format) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(move |rule| rule.formats.has(format == Format::Bin))
}

/// The log of a flight of 40 s with a fault.
fn faulty(fault: Fault, format: Format) -> Vec<u8> {
    let flight = Simulation::new(1, 40).with_fault(fault);
    match format {
        Format::Bin => log_of(flight),
        Format::Blackbox => simulator::blackbox::log_of(flight),
    }
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
        // A flight in simulated time has no statistics of the logger; a short or calm one doesn't show everything.
        let unchecked: Vec<&str> = unchecked.filter_map(|rule| rule["rule"].as_str()).collect();
        let short = if seconds == 20 { &["motor-balance"][..] } else { &[] };
        let may_lack = [&["battery-resistance", "log-drops"], short].concat();
        assert!(unchecked.iter().all(|rule| may_lack.contains(rule)), "seed {seed}: {unchecked:?}");
    }
    fs::write(folder.path().join("sound.bbl"), simulator::blackbox::log_of(Simulation::new(1, 30))).expect("room");
    let found = json(folder.path(), "sound.bbl", &[]);
    assert_eq!(found["sessions"][0]["findings"].as_array().map(Vec::len), Some(0), "{found:#}");
    let rules = found["sessions"][0]["rules"].as_array().expect("rules");
    assert!(rules.iter().all(|rule| rule["state"] == "fine"), "{rules:#?}");
}

#[test]
fn each_rule_has_a_fault_in_each_of_its_formats() {
    for format in Format::value_variants() {
        let is_shown = |fault: &&Fault| fault.formats().contains(format);
        let faults: BTreeSet<String> = Fault::value_variants().iter().filter(is_shown).map(name).collect();
        let rules: BTreeSet<String> = rules_of(*format).map(|rule| rule.name.to_owned()).collect();
        assert_eq!(faults, rules, "{format:?}");
    }
}

#[test]
fn each_fault_is_found_with_nothing_but_its_consequences() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut wrong = String::new();
    let of_fault = |fault: &'static Fault| fault.formats().iter().map(move |format| (fault, *format));
    for (fault, format) in Fault::value_variants().iter().flat_map(of_fault) {
        let name = name(fault);
        let log = format!("{name}.{format:?}");
        fs::write(folder.path().join(&log), faulty(*fault, format)).expect("room");
        let said = json(folder.path(), &log, &[]);
        let found = found(&said);
        let rule = rules_of(format).find(|rule| rule.name == name).expect("its rule");
        let others: Vec<&String> =
            found.iter().filter(|of| **of != name && !rule.brings.contains(&of.as_str())).collect();
        if !found.contains(&name) || !others.is_empty() {
            let findings = said["sessions"][0]["findings"].as_array().expect("findings");
            let texts: Vec<String> = findings.iter().map(|of| format!("{}: {}", of["rule"], of["summary"])).collect();
            wrong += &format!("{log}: {texts:#?}\n");
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
fn the_terminal_has_the_findings_in_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = log_of(Simulation::new(1, 30).with_fault(Fault::Failsafe));
    fs::write(folder.path().join("radio.bin"), log).expect("room");
    let output = report(folder.path(), "radio.bin").assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).expect("UTF-8");
    assert!(text.starts_with("problem: A failsafe took over (failsafe)\n  "), "{text}");
    assert!(text.contains("adio failsafe: occurred"), "{text}");
    assert!(text.contains("\n  at 12.00 s\n  The autopilot decided by itself"), "{text}");
    assert!(text.contains("not checked, as the log lacks what they need: log-drops\n"), "{text}");
}
