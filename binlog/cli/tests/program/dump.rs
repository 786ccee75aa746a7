//! `dump` against `mavlogdump.py`, and what else it prints.

use crate::{binlog, fine, json, left_out, log, real_logs, words};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of pymavlink that the output equals.
const PYMAVLINK: &str = "2.4.50";

/// `mavlogdump.py` beside the Python that has pymavlink; `None` without it.
fn mavlogdump() -> Option<(PathBuf, PathBuf)> {
    let python = PathBuf::from(std::env::var_os("BINLOG_PYTHON").unwrap_or_else(|| "python3".into()));
    let script =
        "import importlib.metadata as m, sysconfig; print(m.version('pymavlink'), sysconfig.get_path('scripts'))";
    let output = Command::new(&python).args(["-c", script]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.trim().split_once(' ') {
        Some((PYMAVLINK, scripts)) => Some((python, Path::new(scripts).join("mavlogdump.py"))),
        _ => {
            left_out(&format!("dump against mavlogdump.py of pymavlink {PYMAVLINK} (tests/run installs it)"));
            None
        }
    }
}

fn ardupilot_logs() -> Vec<PathBuf> {
    let is_ardupilot = |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bin"));
    real_logs().into_iter().filter(is_ardupilot).chain([log("flight.bin")]).collect()
}

#[test]
fn text_is_that_of_mavlogdump_to_the_byte() {
    let Some((python, script)) = mavlogdump() else { return };
    for log in ardupilot_logs() {
        for options in [&[][..], &["--types", "ATT,XK*,MSG"], &["--types", "FMT"]] {
            let ours = binlog([&["dump"][..], options, &[log.to_str().expect("UTF-8")]].concat());
            // Some logs don't have all of the types.
            if ours.code == Some(2) {
                assert!(ours.stderr.contains("the log has no type"), "{}", ours.stderr);
            }
            let mut theirs = Command::new(&python);
            theirs.arg(&script).args(options).arg(&log).env("TZ", "UTC").env("MAVLINK20", "1");
            theirs.env("PYTHONIOENCODING", "utf-8");
            let theirs = theirs.output().expect("python runs").stdout;
            let theirs = String::from_utf8(theirs).expect("UTF-8");
            for (i, (ours, theirs)) in ours.stdout.lines().zip(theirs.lines()).enumerate() {
                assert_eq!(ours, theirs, "{}, line {}, {options:?}", log.display(), i + 1);
            }
            assert_eq!(ours.stdout.len(), theirs.len(), "{}, {options:?}", log.display());
        }
    }
}

#[test]
fn json_has_the_values_of_mavlogdump() {
    let Some((python, script)) = mavlogdump() else { return };
    for log in ardupilot_logs() {
        let ours = json("dump --json LOG", &log);
        let theirs = Command::new(&python).arg(&script).args(["--format", "json"]).arg(&log).output().expect("it runs");
        let theirs = String::from_utf8(theirs.stdout).expect("UTF-8");
        let mut count = 0;
        for (ours, theirs) in ours.iter().zip(theirs.lines()) {
            // pymavlink writes NaN and infinities, which JSON doesn't have.
            let theirs = theirs.replace("-Infinity", "null").replace("Infinity", "null").replace("NaN", "null");
            let theirs: serde_json::Value = serde_json::from_str(&theirs).expect("JSON");
            let (ours_is, theirs_is) = (&ours["meta"], &theirs["meta"]);
            assert_eq!((&ours_is["type"], &ours["data"]), (&theirs_is["type"], &theirs["data"]), "{}", log.display());
            // Without a clock, pymavlink's is the integer 0.
            assert_eq!(ours_is["timestamp"].as_f64(), theirs_is["timestamp"].as_f64(), "{}", log.display());
            count += 1;
        }
        assert_eq!((count, ours.len()), (theirs.lines().count(), count), "{}", log.display());
    }
}

#[test]
fn only_the_chosen_types_and_times_are_printed() {
    let log = log("flight.bin");
    let types = |line: &str| -> BTreeSet<String> {
        json(line, &log).iter().map(|line| line["meta"]["type"].as_str().expect("a type").to_owned()).collect()
    };
    assert_eq!(types("dump --json -t ATT LOG"), BTreeSet::from(["ATT".to_owned()]));
    let times: Vec<u64> = json("dump --json -t ATT --from 5 --to +2s LOG", &log)
        .iter()
        .map(|line| line["data"]["TimeUS"].as_u64().expect("a time"))
        .collect();
    let start = *binlog::Log::open(&log).expect("the log").time_range_us().expect("times").start();
    assert!(!times.is_empty());
    assert!(times.iter().all(|time| (start + 5_000_000..start + 7_000_000).contains(time)), "{start}: {times:?}");
    let armed = json("dump --json -t ATT --armed LOG", &log).len();
    assert!(armed > 0 && armed <= json("dump --json -t ATT LOG", &log).len());
}

#[test]
fn blackbox_frames_are_csv_with_as_many_values_in_each_line() {
    let text = fine("dump LOG", &log("flight.bbl"));
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    assert!(header.starts_with("loopIteration, time (us), "), "{header}");
    let columns = header.split(", ").count();
    let mut count = 0;
    for line in lines {
        let values: Vec<i64> = line.split(", ").map(|value| value.parse().expect(line)).collect();
        assert_eq!(values.len(), columns);
        count += 1;
    }
    let main = json("dump --json -t main LOG", &log("flight.bbl"));
    assert_eq!(count, main.len());
    assert!(count > 1000, "{count}");
}

#[test]
fn damage_is_said_and_what_follows_is_printed() {
    let ran = binlog(words("dump LOG", &log("damaged.bin")));
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains(" bytes without a record"), "{}", ran.stderr);
    let whole = fine("dump LOG", &log("flight.bin"));
    assert_eq!(ran.stdout.lines().last(), whole.lines().last());
}
