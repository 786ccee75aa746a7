//! A file of limits, and wrong use.

use crate::{found, json, report, state};
use simulator::{Fault, Simulation, log_of};
use std::fs;
use tempfile::TempDir;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = log_of(Simulation::new(1, 30).with_fault(Fault::Vibration));
    fs::write(folder.path().join("shaken.bin"), log).expect("room");
    folder
}

#[test]
fn a_file_changes_limits() {
    let folder = folder();
    let with = |text: &str| {
        fs::write(folder.path().join("limits.txt"), text).expect("room");
        json(folder.path(), "shaken.bin", &["--rules", "limits.txt"])
    };
    assert!(found(&with("")).contains("vibration"));
    assert!(!found(&with("vibration.threshold = 90 # of a rough frame\n")).contains("vibration"));
    assert!(found(&with("gps-dilution.threshold = 0.5\n")).contains("gps-dilution"));
    report(folder.path(), "shaken.bin").args(["--rules", "limits.txt", "-o", "own.html"]).assert().success();
    let page = fs::read_to_string(folder.path().join("own.html")).expect("the page");
    assert!(page.contains("Your file of rules says threshold = 0.5."), "the limit isn't attributed to its source");
    let off = with("vibration.enabled = false");
    assert!(!found(&off).contains("vibration"));
    assert_eq!(state(&off, "vibration"), "off");
}

#[test]
fn wrong_use_says_what_to_do() {
    let folder = folder();
    fs::write(folder.path().join("twice.txt"), "clipping.severe = 9\nclipping . severe=8").expect("room");
    fs::write(folder.path().join("limits.txt"), "gps-glich.threshold = 3").expect("room");
    fs::write(folder.path().join("there.html"), "kept").expect("room");
    for (arguments, text) in [
        (
            &["--rules", "limits.txt"][..],
            "limits.txt, line 1: there is no rule `gps-glich`; did you mean `gps-glitch`?",
        ),
        (&["--rules", "twice.txt"], "twice.txt, line 2: clipping.severe is given twice; leave one out"),
        (&["--rules", "nowhere.txt"], "nowhere.txt: can't read the rules: "),
        (&["-o", "report.pdf"], "report.pdf: a report is a page: name a file .html, or give --json"),
        (&["-o", "report.html", "--json"], "--json prints JSON, not a page"),
        (&["-o", "there.html"], "--force"),
        (&["-o", "shaken.bin", "--json"], "shaken.bin is the input itself"),
    ] {
        let output = report(folder.path(), "shaken.bin").args(arguments).output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(text), "{arguments:?}: {said}");
    }
    assert_eq!(fs::read(folder.path().join("there.html")).expect("the file"), b"kept");
}

#[test]
fn what_is_not_a_log_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in [("empty.bin", &b""[..]), ("text.txt", b"hello"), ("zeros.bin", &[0; 5000])] {
        fs::write(folder.path().join(name), bytes).expect("room");
        let output = report(folder.path(), name).args(["-o", "x.html"]).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!folder.path().join("x.html").exists());
    }
}
