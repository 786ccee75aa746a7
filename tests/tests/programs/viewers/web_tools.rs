//! ArduPilot's WebTools: the page that reviews rate controllers, in headless Chromium.
//!
//! `BINLOG_WEBTOOLS` names a checkout with its submodules. PIDReview was tried at cad62ad.

use super::flight;
use super::uav_log_viewer::UavLogViewer;
use binlog::Log;
use binlog_tests::viewer::{self, LogFile, Viewer, number};
use serde_json::{Map, Value as Json, json};
use std::process::Command;

/// What a page says and draws of a log; `None` without a checkout or the programs.
fn shown(page: &str, log: &[u8]) -> Option<Map<String, Json>> {
    let what = "the pages of ArduPilot's WebTools";
    let checkout = viewer::checkout(what, "BINLOG_WEBTOOLS")?;
    if !viewer::has_program("node", what, "nodejs") || !viewer::has_program("chromium", what, "chromium") {
        return None;
    }
    let file = LogFile::new(log);
    let mut node = Command::new("node");
    node.arg(viewer::program("web_tools.mjs")).arg(checkout).arg(page).arg(file.path());
    Some(viewer::run(&mut node).shown())
}

#[test]
fn pid_review_draws_the_flight_and_the_response_of_the_rate_controllers() {
    let log = flight();
    let Some(shown) = shown("PIDReview", &log) else { return };
    assert_eq!((&shown["errors"], &shown["alerts"]), (&json!([]), &json!([])));
    let log = Log::from_bytes(&log);
    let schema = log.schema();

    // `load` of PIDReview.js takes these columns, and times in seconds.
    let columns = [
        ("Roll", "ATT", "Roll"),
        ("Pitch", "ATT", "Pitch"),
        ("Throttle", "RATE", "AOut"),
        ("Altitude", "POS", "RelHomeAlt"),
    ];
    let lines = columns.map(|(line, message, label)| {
        let rows = log.rows(message).expect("a type of the log");
        let column = rows.definitions().find_map(|definition| definition.column(label)).expect("a column");
        let values: Vec<_> = rows.records().filter_map(|row| UavLogViewer.value(&schema, &row, &column)).collect();
        let times: Vec<_> = rows.times_us().iter().map(|&time_us| number(time_us as f64 * (1.0 / 1e6))).collect();
        let ends = |values: &[Json]| json!([values.first(), values.last()]);
        json!({ "name": line, "count": values.len(), "x": ends(&times), "y": ends(&values) })
    });
    assert_eq!(shown["plots"]["FlightData"], json!(lines));

    // What it computes: spectra of what was wanted and measured, and the response to a step.
    for plot in ["TimeInputs", "TimeOutputs", "FFTPlot", "step_plot", "Spectrogram"] {
        assert!(shown["plots"][plot].as_array().is_some_and(|lines| !lines.is_empty()), "{plot} is empty");
    }
}
