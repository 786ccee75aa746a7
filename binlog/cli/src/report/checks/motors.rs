//! The motors: balance, and outputs at their limit.

use super::{Bound, Candidate, Evidence, Finding, Flight, Rule, Sensor, Side, beyond, bound, short};
use crate::report::words::fixed;
use binlog::log::Vehicle;

/// The values of SERVOn_FUNCTION that make a motor of an output: `k_motor1` to `k_motor8`, `k_motor9` to `k_motor12`.
const FUNCTIONS: [std::ops::RangeInclusive<i64>; 2] = [33..=40, 82..=85];

/// The motors of a session, and their range.
pub(super) struct Motors<'s> {
    pub(super) sensor: Sensor<'s>,
    pub(super) labels: Vec<String>,
    /// The outputs at rest and at the limit, in the unit of the outputs.
    pub(super) least: f64,
    pub(super) most: f64,
    /// The unit of the outputs, for a text; empty if it is that of the pulses.
    unit: &'static str,
}

/// In the air, the mean of the outputs is more than this share of their range.
const FLYING: f64 = 0.12;

impl<'s> Motors<'s> {
    /// `None` if the log has no motors, or doesn't say which outputs they are.
    pub(super) fn of(flight: &Flight<'s>) -> Option<Self> {
        if flight.session.ardupilot().is_none() {
            let labels: Vec<String> = (0..8).map(|motor| format!("motor[{motor}]")).collect();
            let named: Vec<&str> = labels.iter().map(String::as_str).collect();
            let sensor = flight.frames("main", &named)?;
            let labels: Vec<String> = labels.into_iter().filter(|label| sensor.column(label).is_some()).collect();
            let parameter = |name: &str| flight.parameter(name);
            let range = || {
                let least = parameter("motorOutput[0]").or_else(|| parameter("minthrottle")).unwrap_or(1000.0);
                (least, parameter("motorOutput[1]").or_else(|| parameter("maxthrottle")).unwrap_or(2000.0))
            };
            let is_share = labels.iter().any(|label| sensor.unit(label) == "%");
            let ((least, most), unit) = if is_share { ((0.0, 100.0), " %") } else { (range(), "") };
            return (most > least).then_some(Motors { sensor, labels, least, most, unit });
        }
        let labels: Vec<String> = outputs(flight)?.into_iter().map(|output| format!("C{output}")).collect();
        let named: Vec<&str> = labels.iter().map(String::as_str).collect();
        let sensor = flight.sensors(&["RCOU"], &named).into_iter().next()?;
        let labels: Vec<String> = labels.into_iter().filter(|label| sensor.column(label).is_some()).collect();
        let parameter = |name: &str| flight.parameter(name).filter(|value| *value > 0.0);
        let (least, full) = (parameter("MOT_PWM_MIN").unwrap_or(1000.0), parameter("MOT_PWM_MAX").unwrap_or(2000.0));
        let most = least + parameter("MOT_SPIN_MAX").unwrap_or(1.0) * (full - least);
        (labels.len() > 1 && most > least).then_some(Motors { sensor, labels, least, most, unit: "" })
    }

    /// The outputs of a motor.
    pub(super) fn output(&self, motor: usize) -> &[f64] {
        self.sensor.column(&self.labels[motor]).unwrap_or_default()
    }

    /// The mean output in a row as a share of the range.
    pub(super) fn mean(&self, row: usize) -> f64 {
        let sum: f64 = (0..self.labels.len()).map(|motor| self.output(motor)[row]).sum();
        (sum / self.labels.len() as f64 - self.least) / (self.most - self.least)
    }

    fn is_flying(&self, flight: &Flight<'_>, row: usize) -> bool {
        flight.armed.contains(self.sensor.times_us[row]) && self.mean(row) > FLYING
    }
}

/// The numbers of the outputs that are motors: by SERVOn_FUNCTION, or those of a copter without these parameters, as of
/// old firmware.
fn outputs(flight: &Flight<'_>) -> Option<Vec<usize>> {
    let function = |output: usize| flight.parameter(&format!("SERVO{output}_FUNCTION"));
    let is_motor = |function: f64| FUNCTIONS.iter().any(|motors| motors.contains(&(function as i64)));
    if (1..=14).any(|output| function(output).is_some()) {
        let motors: Vec<usize> = (1..=14).filter(|output| function(*output).is_some_and(is_motor)).collect();
        return (!motors.is_empty()).then_some(motors);
    }
    if flight.vehicle != Some(Vehicle::Copter) {
        return None;
    }
    let texts = flight.texts();
    let frame = texts.iter().find_map(|(_, text)| text.strip_prefix("Frame: ")).unwrap_or("QUAD");
    let count = match frame.split(['/', ' ']).next().unwrap_or_default() {
        "HEXA" | "Y6" => 6,
        "OCTA" | "OCTA_QUAD" | "OCTAQUAD" => 8,
        "QUAD" => 4,
        _ => return None,
    };
    Some((1..=count).collect())
}

pub(in crate::report) fn balance(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let motors = Motors::of(flight)?;
    let sensor = &motors.sensor;
    let rows: Vec<usize> = (0..sensor.times_us.len()).filter(|row| motors.is_flying(flight, *row)).collect();
    let step_us = |row: &usize| {
        let next = sensor.times_us.get(row + 1).copied().unwrap_or_default();
        next.saturating_sub(sensor.times_us[*row]).min(1_000_000)
    };
    let flown_s = rows.iter().map(step_us).sum::<u64>() as f64 / 1e6;
    let limits = flight.rules;
    let (first, last) = match (rows.first(), rows.last()) {
        (Some(&first), Some(&last)) if flown_s >= limits.seconds(rule) => (first, last),
        _ => return flight.lacks(format!("{} s of flight", limits.seconds(rule))),
    };
    // Of a Blackbox log, in thousandths of the range.
    let unit = 1000.0 / if sensor.name.is_empty() { motors.most - motors.least } else { 1000.0 };
    let mean = |motor: usize| {
        let output = motors.output(motor);
        rows.iter().map(|row| output[*row]).sum::<f64>() / rows.len() as f64
    };
    let mut means: Vec<(f64, usize)> = (0..motors.labels.len()).map(|motor| (mean(motor), motor)).collect();
    means.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(&(low, least)), Some(&(high, most))) = (means.first(), means.last()) else { return Some(Vec::new()) };
    let (difference, limit) = (unit * (high - low), limits.threshold(rule));
    if difference < limit {
        return Some(Vec::new());
    }
    let difference_at = |row: usize| motors.output(most)[row] - motors.output(least)[row];
    let peak = rows.iter().copied().max_by(|a, b| difference_at(*a).total_cmp(&difference_at(*b))).unwrap_or(first);
    let name = |motor: usize| sensor.name_of(&motors.labels[motor]);
    let summary = format!(
        "In the air, {} is at {}{} in the mean and {} at {}{}: a difference of {} us.",
        name(most),
        fixed(high, 0),
        motors.unit,
        name(least),
        fixed(low, 0),
        motors.unit,
        short(difference)
    );
    let place = Evidence::of_span(flight, sensor, crate::report::spans::Span { first, last, peak })
        .with_value(unit * difference_at(peak));
    let curves = [most, least].iter().filter_map(|motor| sensor.curve(&motors.labels[*motor])).collect();
    Some(vec![
        Finding::new(rule, summary, difference, limit, "us")
            .severe_if(difference >= limits.severe(rule))
            .at(vec![place.clone()])
            .of_columns(vec![name(most), name(least)])
            .shown(flight, Some(&place), curves, None),
    ])
}

pub(in crate::report) fn saturation(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let motors = Motors::of(flight)?;
    let percent = |motor: usize| {
        let share = |output: &f64| 100.0 * (output - motors.least) / (motors.most - motors.least);
        let values: Vec<f64> = motors.output(motor).iter().map(share).collect();
        let (name, unit) = (motors.sensor.name_of(&motors.labels[motor]), "%".to_owned());
        Candidate { sensor: &motors.sensor, name, unit, values: values.into() }
    };
    let candidates: Vec<Candidate<'_, '_>> = (0..motors.labels.len()).map(percent).collect();
    let at_limit = Bound { severe: f64::INFINITY, ..bound(flight, rule, Side::Above, "%") };
    let found = beyond(flight, rule, &candidates, &at_limit);
    let for_long = Bound { seconds: flight.rules.severe(rule), ..at_limit };
    let is_severe = found.is_some() && beyond(flight, rule, &candidates, &for_long).is_some();
    Some(found.into_iter().map(|finding| finding.severe_if(is_severe)).collect())
}
