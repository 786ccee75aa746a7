//! The tools that pymavlink installs. What they read of a record is compared bit for bit elsewhere; this is what they
//! write.

use super::flight;
use binlog::{Log, LoggedColumn, LoggedSchema, Record, Records, Value};
use binlog_tests::left_out;
use binlog_tests::pymavlink::{command, tool};
use binlog_tests::viewer::{self, LogFile, Printed, Viewer, assert_shows, number, stored};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::process::Command;

/// `mavlogdump.py` with a format for other programs.
struct Mavlogdump {
    format: &'static str,
    types: &'static [&'static str],
}

impl Viewer for Mavlogdump {
    fn has_message(&self, message: &str) -> bool {
        match self.format {
            // A table is of one type.
            "csv" => self.types.contains(&message),
            // FMT is left out.
            "mat" => message != "FMT",
            _ => true,
        }
    }

    fn has_instances(&self, _column: &LoggedColumn<'_>) -> bool {
        false
    }

    fn unit(&self, _schema: &LoggedSchema, _column: &LoggedColumn<'_>) -> Json {
        Json::Null
    }

    fn value(&self, _schema: &LoggedSchema, record: &Record<'_>, column: &LoggedColumn<'_>) -> Option<Json> {
        Some(match stored(record, column) {
            Value::Text(text) => json!(text.to_string().trim_end_matches(' ')),
            Value::Samples(samples) => json!(samples),
            value => number(value.to_f64().expect("a number")),
        })
    }
}

fn succeeds(mut command: Command) -> Printed {
    let printed = viewer::run(&mut command);
    assert!(printed.status.success(), "{command:?}: {printed:?}");
    printed
}

#[test]
fn mavlogdump_writes_json_csv_and_mat_of_the_simulators_log() {
    let log = flight();
    let file = LogFile::new(&log);
    let log = Log::from_bytes(&log);
    let formats: [(_, &[&str], &'static [&'static str]); 3] =
        [("json", &[], &[]), ("csv", &[], &["ATT", "IMU", "GPS"]), ("mat", &["scipy"], &[])];
    for (format, packages, types) in formats {
        let Some(mut dump) = command(&viewer::program("mavlogdump_formats.py"), packages) else { continue };
        dump.arg(format).arg(file.path()).args(types);
        let shown = viewer::run(&mut dump).shown();
        assert_shows(&format!("mavlogdump as {format}"), &shown, &log, &Mavlogdump { format, types });
    }
}

#[test]
fn mavlogdump_prints_a_line_for_each_record() {
    let log = flight();
    let file = LogFile::new(&log);
    let Some(mut dump) = tool("mavlogdump.py", &[]) else { return };
    dump.arg(file.path());
    let mut printed = BTreeMap::<String, usize>::new();
    for line in succeeds(dump).stdout.lines() {
        // 2025-10-23 11:59:42.00: ATT {TimeUS : 2500, …}
        let name = line.split(": ").nth(1).and_then(|record| record.split(' ').next());
        *printed.entry(name.expect("a name after the time").to_owned()).or_default() += 1;
    }
    let types = Log::from_bytes(&log).types().map(|rows| (rows.name().to_owned(), rows.len())).collect();
    assert_eq!(printed, types);
}

#[test]
fn mavgraph_draws_a_column_of_an_instance() {
    let file = LogFile::new(&flight());
    let Some(mut graph) = tool("mavgraph.py", &["matplotlib.pylab", "numpy"]) else { return };
    let picture = file.folder().join("graph.png");
    graph.arg(format!("--output={}", picture.display())).arg(file.path()).args(["ATT.Roll", "IMU[1].GyrX"]);
    let printed = viewer::run(&mut graph);
    if printed.stderr.contains("no attribute 'plot_date'") {
        left_out("mavgraph.py, which needs a matplotlib before 3.11 (tests/run readers installs it)");
        return;
    }
    assert!(printed.status.success(), "{printed:?}");
    let picture = std::fs::read(picture).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG\r\n") && picture.len() > 20_000, "{} bytes", picture.len());
}

#[test]
fn mavflightmodes_lists_the_modes() {
    let log = flight();
    let file = LogFile::new(&log);
    let Some(mut modes) = tool("mavflightmodes.py", &[]) else { return };
    modes.arg(file.path());
    let printed = succeeds(modes).stdout;
    // … MAV.flightmode=STABILIZE    (MAV.timestamp=1761220782 0%)
    let printed: Vec<_> = printed.split("MAV.flightmode=").skip(1).map(|rest| rest.split(' ').next()).collect();
    let modes = Log::from_bytes(&log).modes();
    assert_eq!(printed, modes.iter().map(|mode| mode.name.as_deref()).collect::<Vec<_>>());
}

#[test]
fn mavparms_lists_the_parameters() {
    let log = flight();
    let file = LogFile::new(&log);
    let Some(mut parameters) = tool("mavparms.py", &[]) else { return };
    parameters.arg(file.path());
    let printed = succeeds(parameters).stdout;
    let printed: Vec<Vec<&str>> = printed.lines().map(|line| line.split_whitespace().collect()).collect();
    let parameters = Log::from_bytes(&log).parameters();
    let expected: Vec<_> = parameters.iter().map(|(name, value)| (name, format!("{:.6}", value.last()))).collect();
    assert_eq!(printed, expected.iter().map(|(name, value)| vec![&name[..], value]).collect::<Vec<_>>());
}

#[test]
fn mavtogpx_writes_the_track() {
    let log = flight();
    let file = LogFile::new(&log);
    let Some(mut track) = tool("mavtogpx.py", &[]) else { return };
    track.arg(file.path());
    succeeds(track);
    let track = std::fs::read_to_string(file.folder().join("00000001.BIN.gpx")).expect("a track");
    // <trkpt lat="46.5191005" lon="6.5668006">
    let point = |line: &str| {
        let numbers = line.split('"').filter_map(|part| part.parse().ok()).collect::<Vec<f64>>();
        <[f64; 2]>::try_from(numbers).expect("a latitude and a longitude")
    };
    let track: Vec<_> = track.lines().filter(|line| line.starts_with("<trkpt")).map(point).collect();

    // Points of GPS and POS, from a fix of two dimensions on.
    let mut fix = 0.0;
    let mut expected = Vec::new();
    for record in Records::new(&log).flatten().filter(|record| ["GPS", "POS"].contains(&record.name())) {
        let number = |label| record.value(label).and_then(|value| value.to_f64());
        fix = number("Status").unwrap_or(fix);
        let point = [number("Lat").expect("a latitude"), number("Lng").expect("a longitude")];
        if fix >= 2.0 && !point.contains(&0.0) {
            expected.push(point);
        }
    }
    assert!(track.len() > 100, "{}", track.len());
    assert_eq!(track, expected);
}

#[test]
fn mavfft_isb_extracts_the_batches() {
    let log = flight();
    let file = LogFile::new(&log);
    let Some(mut fft) = tool("mavfft_isb.py", &["matplotlib.pylab", "numpy", "scipy"]) else { return };
    fft.arg(file.path());
    let Printed { stdout, stderr, .. } = succeeds(fft);
    // A batch counts when the next one begins.
    let batches = Log::from_bytes(&log).batches().len().saturating_sub(1);
    assert!(stderr.contains(&format!("Extracted {batches} fft data sets")), "{stderr}");
    assert!(!stdout.contains("holes") && !stdout.contains("Skipping"), "{stdout}");
}
