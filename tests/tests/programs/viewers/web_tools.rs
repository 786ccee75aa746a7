//! ArduPilot's WebTools: the pages that review rate controllers, filters, compasses and the hardware, in headless
//! Chromium.
//!
//! `BINLOG_WEBTOOLS` names a checkout with its submodules; a page that it lacks is left out. PIDReview was tried at
//! cad62ad, MAGFit at 11c21fb, FilterReview at dff6632 and HardwareReport at 10cf080. Of the last three, a test holds
//! what they read against the log without a browser, too.

use super::flight;
use super::uav_log_viewer::UavLogViewer;
use binlog::log::BatchSensor;
use binlog::{Log, Scaling};
use binlog_tests::left_out;
use binlog_tests::viewer::{self, LogFile, Viewer, number};
use serde_json::{Map, Value as Json, json};
use simulator::Simulation;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::process::Command;
use std::time::Duration;

/// What a page says and draws of a log; `None` without a checkout or the programs.
fn shown(page: &str, log: &[u8]) -> Option<Map<String, Json>> {
    let what = "the pages of ArduPilot's WebTools";
    let checkout = viewer::checkout(what, "BINLOG_WEBTOOLS")?;
    if !checkout.join(page).join("index.html").is_file() {
        left_out(&format!("the page {page} of WebTools, which the checkout in BINLOG_WEBTOOLS lacks"));
        return None;
    }
    if !viewer::has_program("node", what, "nodejs") || !viewer::has_program("chromium", what, "chromium") {
        return None;
    }
    let file = LogFile::new(log);
    let mut node = Command::new("node");
    node.arg(viewer::program("web_tools.mjs")).arg(checkout).arg(page).arg(file.path());
    Some(viewer::run(&mut node).shown())
}

/// The page draws something in each of these plots.
fn assert_drawn(shown: &Map<String, Json>, plots: &[&str]) {
    for plot in plots {
        assert!(shown["plots"][plot].as_array().is_some_and(|lines| !lines.is_empty()), "{plot} is empty");
    }
}

#[test]
fn pid_review_draws_the_flight_and_the_rate_responses() {
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
    assert_drawn(&shown, &["TimeInputs", "TimeOutputs", "FFTPlot", "step_plot", "Spectrogram"]);
}

/// The simulator's log with statistics, as its program writes it in real time. FilterReview wants a whole batch of each
/// gyro: 1024 samples at 400 Hz of each of four sensors, one after another, are 10.24 s.
fn flight_with_statistics() -> Vec<u8> {
    let simulation = Simulation::new(3, 12);
    let settings = simulator::logger(&simulation).wait_for_room().report_every(Duration::from_secs(1));
    let thread = settings.spawn(Vec::new()).expect("memory takes all");
    simulator::fly_on(thread.logger(), simulation, |_| ControlFlow::Continue(()));
    thread.finish().expect("memory takes all")
}

#[test]
fn the_other_pages_draw_the_flight() {
    let pages: [(&str, &[&str]); 3] = [
        (
            "MAGFit",
            &["FlightData", "mag_plot_x", "mag_plot_y", "mag_plot_z", "field_length", "error_plot", "motor_comp"],
        ),
        ("FilterReview", &["FlightData", "FFTPlot", "Spectrogram"]),
        ("HardwareReport", &["Temperature", "Board_Voltage", "log_dropped", "log_buffer", "clock_drift"]),
    ];
    for (page, plots) in pages {
        let Some(shown) = shown(page, &flight_with_statistics()) else { continue };
        assert_eq!((&shown["errors"], &shown["alerts"]), (&json!([]), &json!([])), "{page}");
        assert_drawn(&shown, plots);
    }
}

/// The columns that the pages read in the simulator's log: `load` of MAGFit/magfit.js (36b5002), `load` and
/// `load_from_batch` of FilterReview/FilterReview.js (dff6632), `load_log` of HardwareReport/HardwareReport.js
/// (10cf080).
const READ: [(&str, &str); 14] = [
    ("ATT", "TimeUS,Roll,Pitch"),
    ("RATE", "TimeUS,AOut"),
    ("POS", "TimeUS,Lat,Lng,RelHomeAlt"),
    ("MAG", "TimeUS,MagX,MagY,MagZ,OfsX,OfsY,OfsZ,MOX,MOY,MOZ,Health"),
    ("XKQ", "TimeUS,Q1,Q2,Q3,Q4"),
    ("BAT", "TimeUS,Curr"),
    ("IMU", "TimeUS,T,GHz"),
    ("ISBH", "N,type,instance,mul,smp_cnt,SampleUS,smp_rate"),
    ("ISBD", "N,seqno,x,y,z"),
    ("VER", "FV"),
    ("POWR", "TimeUS,Vcc,VServo,MTemp,MVolt,MVmin,MVmax,Flags,AccFlags"),
    ("DSF", "TimeUS,Dp,FMn,FMx,FAv"),
    ("GPS", "TimeUS,Status,GWk,GMS"),
    ("PARM", "TimeUS,Name,Value,Default"),
];

/// The messages of which the pages read single instances, `MAG[0]`.
const BY_INSTANCE: [&str; 5] = ["MAG", "XKQ", "BAT", "IMU", "GPS"];

/// The parameters without which a page says that something is missing, or takes another sensor.
const PARAMETERS: [&str; 10] = [
    "AHRS_EKF_TYPE",
    "EK3_PRIMARY",
    "COMPASS_DEV_ID",
    "COMPASS_OFS_X",
    "COMPASS_DIA_X",
    "COMPASS_ODI_X",
    "COMPASS_SCALE",
    "INS_GYR_ID",
    "INS_GYRO_FILTER",
    "INS_LOG_BAT_OPT",
];

#[test]
fn the_log_has_what_the_other_pages_read() {
    let log = flight_with_statistics();
    let log = Log::from_bytes(&log);
    for (message, labels) in READ {
        let rows = log.rows(message).expect("a type of the log");
        assert!(!rows.times_us().is_empty(), "{message} has no records");
        for definition in rows.definitions() {
            let missing: Vec<_> = labels.split(',').filter(|label| definition.column(label).is_none()).collect();
            assert!(missing.is_empty(), "{message} lacks {missing:?}");
        }
        let instances: Vec<_> = rows.by_instance().map(|(instance, _)| instance.to_string()).collect();
        let is_separated = instances.first().is_some_and(|first| first == "0");
        assert_eq!(is_separated, BY_INSTANCE.contains(&message), "{message}: {instances:?}");
    }
    let parameters = log.parameters();
    assert_eq!(PARAMETERS.map(|name| parameters.contains_key(name)), [true; PARAMETERS.len()]);
    // FilterReview takes the gyros, and fails on one without a whole batch.
    let batches = log.batches();
    let gyros = batches.iter().filter(|batch| batch.sensor == BatchSensor::Gyroscope);
    let complete: BTreeSet<u8> =
        gyros.clone().filter(|batch| batch.is_complete()).map(|batch| batch.instance).collect();
    assert_eq!((&complete, complete.len()), (&gyros.map(|batch| batch.instance).collect(), 2));
    // HardwareReport draws the drift of the clock of fixes with a time.
    let numbers = |column| log.numbers(column, Scaling::Stored).expect("a column of the log");
    let dated = numbers("GPS.Status").into_iter().zip(numbers("GPS.GWk"));
    let dated = dated.filter(|&(status, week)| status >= 3.0 && week > 1000.0);
    assert!(dated.count() > 1);
}
