//! The estimator: innovations, and changes of the core in use.

use super::{Candidate, Evidence, Finding, Flight, Rule, Side, beyond, bound};
use crate::counted::counted;

/// Variances of EKF3, EKF2 and the first EKF.
const TYPES: [&str; 3] = ["XKF4", "NKF4", "EKF4"];

pub(in crate::report) fn innovation(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let labels = ["SV", "SP", "SH", "SM"];
    let sensors = flight.sensors(&TYPES, &labels);
    let candidates: Vec<Candidate<'_, '_>> =
        sensors.iter().flat_map(|sensor| labels.iter().filter_map(|label| Candidate::of(sensor, label))).collect();
    if candidates.is_empty() {
        return None;
    }
    Some(beyond(flight, rule, &candidates, &bound(flight, rule, Side::Above, "")).into_iter().collect())
}

pub(in crate::report) fn lane(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let sensors = flight.sensors(&["XKF4", "NKF4"], &["PI"]);
    // Every core says which one is in use; the first one's records are enough.
    let sensor = sensors.first()?;
    let primary = sensor.column("PI")?;
    let is_change = |row: &usize| {
        primary[*row] != primary[row - 1] && flight.armed.contains(sensor.times_us[*row]) && primary[row - 1] >= 0.0
    };
    let changes: Vec<usize> = (1..primary.len()).filter(is_change).collect();
    let limit = flight.rules.threshold(rule);
    if changes.is_empty() || (changes.len() as f64) < limit {
        return Some(Vec::new());
    }
    let place = |&row: &usize| {
        let text = format!("core {} in place of core {}", primary[row], primary[row - 1]);
        Evidence::of_row(flight, sensor, row).with_value(primary[row]).with_text(text)
    };
    let places: Vec<Evidence> = changes.iter().map(place).collect();
    let first = places.first().cloned();
    let count = counted(changes.len() as u64, "time");
    let summary = format!("The estimator's core in use changed {count} while armed.");
    let finding = Finding::new(rule, summary, changes.len() as f64, limit, "changes")
        .at(places)
        .of_columns(vec![sensor.name_of("PI")])
        .shown(flight, first.as_ref(), sensor.curve("PI").into_iter().collect(), None);
    Some(vec![finding])
}
