//! The compass against the throttle.

use super::{Candidate, Evidence, Finding, Flight, Rule, Sensor, short};
use crate::report::spans::{line, quantile};

/// A flight at one throttle says nothing: it must span this share of the range.
const LEAST_SPAN: f64 = 0.1;

pub(in crate::report) fn throttle(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let compasses = flight.sensors(&["MAG", "MAG2", "MAG3"], &["MagX", "MagY", "MagZ"]);
    let throttles = flight.sensors(&["CTUN", "RCOU"], &["ThO", "ThrOut", "C1", "C2", "C3", "C4"]);
    let (sensor, name, throttle) = throttles.iter().find_map(of_sensor)?;
    let mut found = Vec::new();
    let (mut is_there, mut is_measured) = (false, false);
    for compass in &compasses {
        let [Some(x), Some(y), Some(z)] = ["MagX", "MagY", "MagZ"].map(|label| compass.column(label)) else { continue };
        is_there = true;
        let field: Vec<f64> =
            (0..x.len()).map(|row| (x[row].powi(2) + y[row].powi(2) + z[row].powi(2)).sqrt()).collect();
        let of_compass = of_compass(flight, rule, compass, &field, (sensor, &name, &throttle));
        is_measured |= of_compass.is_some();
        found.extend(of_compass.flatten());
    }
    if is_there && !is_measured {
        return flight.lacks(format!("a throttle that spans {} % while armed", 100.0 * LEAST_SPAN));
    }
    is_there.then_some(found)
}

/// The throttle, from 0 to 1: that of the controller, or the mean of four motors.
fn of_sensor<'c, 's>(sensor: &'c Sensor<'s>) -> Option<(&'c Sensor<'s>, String, Vec<f64>)> {
    if let Some(label) = ["ThO", "ThrOut"].into_iter().find(|label| sensor.column(label).is_some()) {
        let values = sensor.column(label)?;
        // Old firmware logs 0 to 1000, planes 0 to 100.
        let highest = values.iter().copied().fold(0.0, f64::max);
        let full = if highest > 110.0 {
            1000.0
        } else if highest > 1.5 {
            100.0
        } else {
            1.0
        };
        return Some((sensor, sensor.name_of(label), values.iter().map(|value| value / full).collect()));
    }
    let motors = ["C1", "C2", "C3", "C4"].map(|label| sensor.column(label));
    let [Some(a), Some(b), Some(c), Some(d)] = motors else { return None };
    let mean = (0..a.len()).map(|row| ((a[row] + b[row] + c[row] + d[row]) / 4.0 - 1000.0) / 1000.0).collect();
    Some((sensor, format!("{} (mean)", sensor.name), mean))
}

/// `None` if the flight doesn't show it.
fn of_compass(
    flight: &Flight<'_>,
    rule: &Rule,
    compass: &Sensor<'_>,
    field: &[f64],
    (sensor, name, throttle): (&Sensor<'_>, &str, &[f64]),
) -> Option<Option<Finding>> {
    // The field and the last throttle before it, while armed.
    let mut next = 0;
    let mut pairs: Vec<(f64, f64, usize)> = Vec::new();
    for (row, &time_us) in compass.times_us.iter().enumerate() {
        while next < sensor.times_us.len() && sensor.times_us[next] <= time_us {
            next += 1;
        }
        if next > 0 && flight.armed.contains(time_us) && field[row] > 0.0 {
            pairs.push((throttle[next - 1], field[row], row));
        }
    }
    let limits = flight.rules;
    let fitted = line(pairs.iter().map(|(throttle, field, _)| (*throttle, *field)))?;
    let throttles = || pairs.iter().map(|(throttle, ..)| *throttle);
    let (low, high) = (quantile(throttles(), 0.05)?, quantile(throttles(), 0.95)?);
    if high - low < LEAST_SPAN {
        return None;
    }
    if fitted.correlation.abs() < limits.limit(rule, "correlation") {
        return Some(None);
    }
    let before = fitted.at_zero + fitted.slope * low;
    let percent = 100.0 * (fitted.slope * (high - low) / before).abs();
    let limit = limits.threshold(rule);
    if percent < limit {
        return Some(None);
    }
    let summary = format!(
        "The field of {} changes by {} % between {} % and {} % throttle; correlation {:.2}.",
        compass.name,
        short(percent),
        short(100.0 * low),
        short(100.0 * high),
        fitted.correlation
    );
    let (_, _, row) = pairs.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let place = Evidence::of_row(flight, compass, *row).with_value(field[*row]);
    let of_field = Candidate {
        sensor: compass,
        name: format!("{} (magnitude)", compass.name),
        unit: compass.unit("MagX").to_owned(),
        values: field.into(),
    };
    let of_throttle = Candidate { sensor, name: name.to_owned(), unit: "throttle".into(), values: throttle.into() };
    let columns = ["MagX", "MagY", "MagZ"].map(|label| compass.name_of(label)).to_vec();
    Some(Some(
        Finding::new(rule, summary, percent, limit, "%")
            .severe_if(percent >= limits.severe(rule))
            .at(vec![place.clone()])
            .of_columns(columns)
            .shown(flight, Some(&place), vec![of_field.curve(), of_throttle.curve()], None),
    ))
}
