//! Whether the vehicle follows its controller.

use super::{Candidate, Finding, Flight, Rule, Side, beyond, bound};
use crate::intervals::Intervals;
use crate::report::charts::zoomed;
use crate::report::words::sentence;
use binlog::log::Vehicle;

/// Modes in which the wanted attitude isn't followed: the pilot or a manoeuvre turns the vehicle.
const FREE: [&str; 9] =
    ["ACRO", "FLIP", "INITIALISING", "MANUAL", "QACRO", "THROW", "TRAINING", "TURTLE", "AUTOROTATE"];

pub(in crate::report) fn attitude(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    // A rover is as steep as the ground, and logs a wanted angle of 0.
    if flight.vehicle == Some(Vehicle::Rover) {
        return None;
    }
    let sensors = flight.sensors(&["ATT"], &["DesRoll", "Roll", "DesPitch", "Pitch"]);
    let free = flight.modes.iter().filter(|mode| FREE.contains(&mode.name.to_ascii_uppercase().as_str()));
    let free = Intervals::new(free.map(|mode| mode.time_us.clone()));
    let mut candidates = Vec::new();
    for sensor in &sensors {
        for (wanted, flown, name) in [("DesRoll", "Roll", "roll"), ("DesPitch", "Pitch", "pitch")] {
            let (Some(wanted), Some(flown)) = (sensor.column(wanted), sensor.column(flown)) else { continue };
            let error = |(row, (wanted, flown)): (usize, (&f64, &f64))| {
                let error = (wanted - flown).abs() % 360.0;
                if free.contains(sensor.times_us[row]) { 0.0 } else { error.min(360.0 - error) }
            };
            let values: Vec<f64> = wanted.iter().zip(flown).enumerate().map(error).collect();
            let (name, unit) = (format!("the error of {name}"), "deg".to_owned());
            candidates.push(Candidate { sensor, name, unit, values: values.into() });
        }
    }
    if candidates.is_empty() {
        return None;
    }
    let mut found = beyond(flight, rule, &candidates, &bound(flight, rule, Side::Above, "deg"));
    if let Some(finding) = &mut found {
        finding.summary = sentence(&finding.summary);
        // The chart has the curves themselves.
        let is_roll = finding.columns.first().is_some_and(|name| name.ends_with("roll"));
        let labels = if is_roll { ["DesRoll", "Roll"] } else { ["DesPitch", "Pitch"] };
        finding.columns = labels.iter().map(|label| sensors[0].name_of(label)).collect();
        let curves = labels.iter().filter_map(|label| sensors[0].curve(label)).collect();
        let worst = finding.evidence.iter().max_by(|a, b| a.value.unwrap_or(0.0).total_cmp(&b.value.unwrap_or(0.0)));
        finding.chart = worst.and_then(|place| zoomed(flight, place, curves, None));
    }
    Some(found.into_iter().collect())
}
