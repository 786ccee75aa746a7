//! UAV Log Viewer, by its parser (JsDataflashParser) in node.
//!
//! The parser comes along with the crate `rust_dataflash_parser`, which the tests have anyway.
//! `BINLOG_UAV_LOG_VIEWER` names a checkout of UAVLogViewer or JsDataflashParser instead.

use super::{every_format, flight, without_half};
use binlog::{Log, LoggedColumn, LoggedSchema, Record, Records, Value};
use binlog_tests::left_out;
use binlog_tests::viewer::{self, LogFile, Viewer, assert_shows, number, stored};
use serde_json::{Map, Value as Json, json};
use std::path::PathBuf;
use std::process::Command;

/// The places in its source are functions and tables of `parser.js`.
pub(super) struct UavLogViewer;

impl Viewer for UavLogViewer {
    fn unit(&self, _schema: &LoggedSchema, column: &LoggedColumn<'_>) -> Json {
        let Some(unit) = column.unit_id else { return json!("?") };
        // `multipliersTable`: other multipliers show nothing, and the one of 1e-6 is taken for 1e-9.
        let prefix = match column.multiplier_id {
            Some(b'C') => "m",
            Some(b'F') => "n",
            _ => "",
        };
        json!(format!("{prefix}{}", unit_name(unit)))
    }

    fn value(&self, _schema: &LoggedSchema, record: &Record<'_>, column: &LoggedColumn<'_>) -> Option<Json> {
        Some(match stored(record, column) {
            // `parseAtOffset` has TimeUS in milliseconds.
            Value::Unsigned(time_us) if column.label == "TimeUS" => number(unsigned(time_us) / 1000.0),
            Value::Unsigned(value) => number(unsigned(value)),
            Value::Signed(value) => number(signed(value)),
            Value::Hundredths(value) => number(value as f64 / 100.0),
            // `parse_type` doesn't divide L. The viewer's map does, its plots don't.
            Value::Coordinate(value) => number(value.into()),
            Value::Float(value) => number(value),
            // A character a byte, NULs at the end removed: text after a NUL is shown, UTF-8 isn't decoded.
            Value::Text(text) => {
                let characters: String = text.raw().iter().map(|&byte| char::from(byte)).collect();
                json!(characters.trim_end_matches('\0'))
            }
            Value::Samples(samples) => json!(samples),
        })
    }
}

/// Its table `units`. UNIT records are ignored; what the table lacks is "undefined".
fn unit_name(id: u8) -> &'static str {
    match id {
        b'-' => "",
        b'?' => "UNKNOWN",
        b'A' => "A",
        b'd' | b'D' | b'h' | b'U' => "°",
        b'b' => "B",
        b'k' => "°/s",
        b'e' => "°/s/s",
        b'E' => "rad/s",
        b'G' => "Gauss",
        b'i' => "A.s",
        b'J' => "W.s",
        b'L' => "rad/s/s",
        b'm' => "m",
        b'n' => "m/s",
        b'o' => "m/s/s",
        b'O' => "°C",
        b'%' => "%",
        b'S' => "satellites",
        b's' => "s",
        b'q' => "rpm",
        b'r' => "rad",
        b'u' => "ppm",
        b'v' => "V",
        b'P' => "Pa",
        b'w' => "Ohm",
        b'Y' => "us",
        b'z' => "Hz",
        b'#' => "instance",
        _ => "undefined",
    }
}

/// `parse_type` adds two halves as doubles.
fn unsigned(value: u64) -> f64 {
    (value >> 32) as f64 * 4_294_967_296.0 + f64::from(value as u32)
}

/// As [`unsigned`], with a correction for a lower half that it read as a negative number.
fn signed(value: i64) -> f64 {
    let low = value as i32;
    let sum = (value >> 32) as f64 * 4_294_967_296.0 + f64::from(low);
    if low < 0 && i32::try_from(value).is_err() { sum + 4_294_967_296.0 } else { value as f64 }
}

/// What it shows of a log; `None` without node or the parser.
fn shown(log: &[u8]) -> Option<Map<String, Json>> {
    let parser = parser()?;
    if !viewer::has_program("node", "UAV Log Viewer's parser", "nodejs") {
        return None;
    }
    let file = LogFile::new(log);
    let mut node = Command::new("node");
    node.arg(viewer::program("uav_log_viewer.mjs")).arg(parser).arg(file.path());
    Some(viewer::run(&mut node).shown())
}

/// Its `parser.js`.
fn parser() -> Option<PathBuf> {
    if let Some(checkout) = std::env::var_os("BINLOG_UAV_LOG_VIEWER").map(PathBuf::from) {
        let places = ["parser.js", "src/tools/parsers/JsDataflashParser/parser.js"];
        let found = places.iter().map(|place| checkout.join(place)).find(|place| place.is_file());
        return Some(found.unwrap_or_else(|| panic!("{} has no JsDataflashParser/parser.js", checkout.display())));
    }
    // For this host only: packages for others aren't there.
    let rustc = viewer::run(Command::new("rustc").arg("-vV")).stdout;
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc says its host");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version=1", "--offline", "--filter-platform", host, "--manifest-path"]);
    let metadata = viewer::run(cargo.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))).shown();
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|package| package["name"] == "rust_dataflash_parser").expect("a dependency");
    let manifest = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
    let parser = manifest.with_file_name("JsDataflashParser").join("parser.js");
    if !parser.is_file() {
        left_out("UAV Log Viewer's parser (BINLOG_UAV_LOG_VIEWER=FOLDER with a checkout of its source)");
        return None;
    }
    Some(parser)
}

#[test]
fn uav_log_viewer_shows_the_simulators_log_as_its_rules_say() {
    let log = flight();
    let Some(shown) = shown(&log) else { return };
    assert_shows("UAV Log Viewer", &shown, &Log::from_bytes(&log), &UavLogViewer);
}

#[test]
fn uav_log_viewer_shows_every_format_but_half_as_its_rules_say() {
    let log = every_format(without_half);
    let Some(shown) = shown(&log) else { return };
    assert_shows("UAV Log Viewer", &shown, &Log::from_bytes(&log), &UavLogViewer);
}

/// `get_size_of` doesn't know `g`: `DfReader` continues at the offset NaN, where its loop ends.
#[test]
fn uav_log_viewer_stops_at_a_half_precision_column() {
    let log = every_format(|_| true);
    let half = Records::new(&log).flatten().find(|record| record.name() == "HALF").expect("there are some").offset();
    let Some(mut shown) = shown(&log) else { return };
    let name = shown.keys().find(|name| name.starts_with("HALF[")).expect("the first record is listed").clone();
    assert!(shown.remove(&name).is_some_and(|half| half["error"].is_string()), "its values can't be shown");
    assert_shows("UAV Log Viewer", &shown, &Log::from_bytes(&log[..half]), &UavLogViewer);
}

#[test]
fn uav_log_viewer_shows_converted_blackbox_logs_by_its_rules() {
    for (name, log) in binlog_tests::logs::converted() {
        let Some(shown) = shown(&log) else { return };
        assert_shows(&format!("UAV Log Viewer of {name}"), &shown, &Log::from_bytes(&log), &UavLogViewer);
    }
}
