//! Responses to a step beside those of PIDReview's own functions, of the checkout of ArduPilot's WebTools that
//! `BINLOG_WEBTOOLS` names. Tried at 8b697d4.

use crate::tuning::{folder, number, points};
use binlog_tests::viewer;
use serde_json::{Value as Json, json};
use simulator::Simulation;
use std::path::Path;
use std::process::Command;

/// The samples of a window: about two seconds, as ours; PIDReview wants a power of two.
const WINDOW: usize = 1024;

/// What PIDReview works out for two columns of a log, both times a factor.
fn pid_review(checkout: &Path, folder: &Path, log: &str, columns: [&str; 2], factor: f64) -> Vec<(f64, f64)> {
    let samples = points(folder, &[log, columns[0], columns[1]]);
    let [target, actual] = [&samples["curves"][0], &samples["curves"][1]];
    let times = target["x"].as_array().expect("times");
    let length = number(times.last().expect("records")) - number(&times[0]);
    let rate = (times.len() - 1) as f64 / length;
    let [target, actual] = [target, actual].map(|curve| {
        curve["y"].as_array().expect("values").iter().map(|value| number(value) * factor).collect::<Vec<_>>()
    });
    let samples = json!({ "window": WINDOW, "rate": rate, "time": times, "target": target, "actual": actual });
    let file = folder.join("samples.json");
    std::fs::write(&file, samples.to_string()).expect("room for the samples");
    let mut node = Command::new("node");
    let shown = viewer::run(node.arg(viewer::program("pid_review.mjs")).arg(checkout).arg(file)).shown();
    let numbers = |name: &str| shown[name].as_array().expect("numbers").iter().map(number).collect::<Vec<_>>();
    numbers("time").into_iter().zip(numbers("response")).collect()
}

/// Until when the two are compared, in seconds. Later, PIDReview's window makes its response too low.
const UNTIL: f64 = 0.3;

/// The highest difference of the two, and where it is.
fn difference(ours: &Json, theirs: &[(f64, f64)]) -> (f64, f64) {
    let numbers = |name: &str| ours[name].as_array().expect("numbers").iter().map(number).collect::<Vec<_>>();
    let (x, y) = (numbers("x"), numbers("y"));
    let at = |time: f64| {
        let after = x.partition_point(|x| *x < time).clamp(1, x.len() - 1);
        let share = (time - x[after - 1]) / (x[after] - x[after - 1]);
        y[after - 1] + share * (y[after] - y[after - 1])
    };
    let differences =
        theirs.iter().filter(|(time, _)| *time <= UNTIL).map(|(time, value)| ((at(*time) - value).abs(), *time));
    differences.max_by(|a, b| a.0.total_cmp(&b.0)).expect("a response")
}

#[test]
fn pid_review_works_out_the_same_response() {
    let what = "PIDReview's step response";
    let Some(checkout) = viewer::checkout(what, "BINLOG_WEBTOOLS") else { return };
    if !viewer::has_program("node", what, "nodejs") {
        return;
    }
    let folder = folder();
    let simulated = simulator::log_of(Simulation::new(3, 60));
    std::fs::write(folder.path().join("simulated.bin"), simulated).expect("room for the log");
    // PIDReview adds the same power to every set point before it divides (`sn` in `redraw_step`). The
    // simulator's pilot is calm, so its response would be too low. A loop's response doesn't depend on the factor.
    for (log, factor, tolerance) in [("flight.bin", 1.0, 0.1), ("simulated.bin", 30.0, 0.15)] {
        for columns in [["RATE.RDes", "RATE.R"], ["RATE.PDes", "RATE.P"]] {
            let ours = points(folder.path(), &[log, "--step-response", columns[0], columns[1]]);
            let theirs = pid_review(&checkout, folder.path(), log, columns, factor);
            assert!(theirs.len() > 150, "{log}: {} samples", theirs.len());
            let (difference, time) = difference(&ours["curves"][0], &theirs);
            println!("{log} {columns:?}: {difference:.3} at {time:.3} s");
            assert!(difference < tolerance, "{log} {columns:?}: {difference} at {time} s");
        }
    }
}
