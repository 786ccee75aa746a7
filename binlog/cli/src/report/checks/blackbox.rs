//! What only Blackbox logs show: noise, filters, desyncs.

use super::motors::Motors;
use super::{Candidate, Evidence, Finding, Flight, Rule, Sensor, short};
use crate::report::spans::{quantile, spans};
use std::f64::consts::TAU;

/// Frames at a lower rate don't show the noise, in Hz.
const LEAST_RATE: f64 = 390.0;

/// The names of an array's three axes.
fn axes(name: &str) -> [String; 3] {
    [0, 1, 2].map(|axis| format!("{name}[{axis}]"))
}

/// The usual number of frames a second.
fn rate(sensor: &Sensor<'_>) -> Option<f64> {
    let steps = sensor.times_us.windows(2).map(|pair| pair[1].saturating_sub(pair[0]) as f64 / 1e6);
    quantile(steps.filter(|step| *step > 0.0), 0.5).map(|step| 1.0 / step)
}

/// The part of a signal above a frequency: two high-pass filters of the first order, one after the other.
fn above(values: &[f64], frequency: f64, rate: f64) -> Vec<f64> {
    let keep = 1.0 / (1.0 + TAU * frequency / rate);
    let mut signal = values.to_vec();
    for _ in 0..2 {
        let (mut before, mut filtered) = (signal.first().copied().unwrap_or_default(), 0.0);
        for value in &mut signal {
            filtered = keep * (filtered + *value - before);
            before = std::mem::replace(value, filtered);
        }
    }
    signal
}

/// The root mean square of the chosen rows.
fn rms(values: &[f64], rows: &[usize]) -> f64 {
    (rows.iter().map(|row| values[*row] * values[*row]).sum::<f64>() / rows.len().max(1) as f64).sqrt()
}

/// The noise of three axes above a frequency.
struct Noise<'s> {
    sensor: Sensor<'s>,
    rows: Vec<usize>,
    high: [Vec<f64>; 3],
}

impl<'s> Noise<'s> {
    fn of(flight: &Flight<'s>, name: &str, frequency: f64) -> Option<Self> {
        let labels = axes(name);
        let sensor = flight.frames("main", &labels.each_ref().map(String::as_str))?;
        let rate = rate(&sensor).filter(|rate| *rate >= LEAST_RATE)?;
        let [Some(x), Some(y), Some(z)] = labels.each_ref().map(|label| sensor.column(label)) else { return None };
        let high = [x, y, z].map(|axis| above(axis, frequency, rate));
        let rows = (0..sensor.times_us.len()).filter(|row| flight.armed.contains(sensor.times_us[*row])).collect();
        Some(Noise { sensor, rows, high })
    }

    /// The worst axis, with its noise.
    fn worst(&self) -> (usize, f64) {
        let of_axis = |axis: usize| (axis, rms(&self.high[axis], &self.rows));
        (0..3).map(of_axis).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
    }

    /// The second with the most noise on an axis, and how much that is.
    fn loudest(&self, axis: usize) -> Option<(usize, usize, f64)> {
        const WINDOW_US: u64 = 1_000_000;
        let high = &self.high[axis];
        let window = |row: &usize| self.sensor.times_us[*row] / WINDOW_US;
        let windows = self.rows.chunk_by(|a, b| window(a) == window(b)).filter(|rows| rows.len() > 16);
        let of_window = |rows: &[usize]| (rows[0], rows[rows.len() - 1], rms(high, rows));
        windows.map(of_window).max_by(|a, b| a.2.total_cmp(&b.2))
    }
}

pub(in crate::report) fn noise(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let limits = flight.rules;
    let frequency = limits.limit(rule, "frequency");
    let noise = Noise::of(flight, "gyroADC", frequency)?;
    let (axis, value) = noise.worst();
    let limit = limits.threshold(rule);
    if value < limit {
        return Some(Vec::new());
    }
    let label = &axes("gyroADC")[axis];
    let (first, last, loudest) = noise.loudest(axis)?;
    let summary = format!(
        "Above {} Hz, {label} has noise of {} deg/s (root mean square), {} deg/s in the worst second.",
        short(frequency),
        short(value),
        short(loudest)
    );
    let span = crate::report::spans::Span { first, last, peak: first };
    let place = Evidence::of_span(flight, &noise.sensor, span).with_value(loudest);
    let curve = noise.sensor.curve(label).into_iter().collect();
    let finding = Finding::new(rule, summary, value, limit, "deg/s")
        .severe_if(value >= limits.severe(rule))
        .at(vec![place.clone()])
        .of_columns(vec![label.clone()])
        .shown(flight, Some(&place), curve, None);
    Some(vec![finding])
}

pub(in crate::report) fn filters(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let limits = flight.rules;
    let frequency = limits.limit(rule, "frequency");
    let unfiltered = Noise::of(flight, "gyroUnfilt", frequency)?;
    let filtered = Noise::of(flight, "gyroADC", frequency)?;
    let (axis, value) = unfiltered.worst();
    let left = 100.0 * rms(&filtered.high[axis], &filtered.rows) / value.max(f64::MIN_POSITIVE);
    let limit = limits.threshold(rule);
    if value < limits.limit(rule, "noise") || left < limit {
        return Some(Vec::new());
    }
    let names = [&axes("gyroUnfilt")[axis], &axes("gyroADC")[axis]];
    let summary = format!(
        "Above {} Hz, {} has noise of {} deg/s (root mean square); the filters leave {} % of it.",
        short(frequency),
        names[0],
        short(value),
        short(left)
    );
    let (first, last, loudest) = unfiltered.loudest(axis)?;
    let span = crate::report::spans::Span { first, last, peak: first };
    let place = Evidence::of_span(flight, &unfiltered.sensor, span).with_value(loudest);
    let curves = [unfiltered.sensor.curve(names[0]), filtered.sensor.curve(names[1])].into_iter().flatten().collect();
    let finding = Finding::new(rule, summary, left, limit, "%")
        .at(vec![place.clone()])
        .of_columns(names.map(String::clone).to_vec())
        .shown(flight, Some(&place), curves, None);
    Some(vec![finding])
}

pub(in crate::report) fn desync(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let motors = Motors::of(flight)?;
    let labels = [axes("gyroADC"), axes("setpoint"), axes("axisError")].concat();
    let gyro = flight.frames("main", &labels.iter().map(String::as_str).collect::<Vec<_>>())?;
    let column = |name: &str, axis: usize| gyro.column(&axes(name)[axis]);
    let has = |name: &str| (0..3).all(|axis| column(name, axis).is_some());
    if !(has("axisError") || has("setpoint") && has("gyroADC")) {
        return None;
    }
    let error = |row: usize| {
        let of_axis = |axis: usize| match (column("setpoint", axis), column("gyroADC", axis)) {
            (Some(wanted), Some(flown)) if has("setpoint") => (wanted[row] - flown[row]).abs(),
            _ => column("axisError", axis).map_or(0.0, |error| error[row].abs()),
        };
        (0..3).map(of_axis).fold(0.0, f64::max)
    };
    let limits = flight.rules;
    let (limit, seconds) = (limits.threshold(rule), limits.seconds(rule));
    let output = limits.limit(rule, "output") / 100.0;
    let share = |motor: usize, row: usize| (motors.output(motor)[row] - motors.least) / (motors.most - motors.least);
    // One motor at its limit, and none of the others: at full throttle all are.
    let alone = |row: usize| {
        let mut full = (0..motors.labels.len()).filter(|motor| share(*motor, row) >= output);
        full.next().filter(|_| full.next().is_none())
    };
    let excess = |row: usize| {
        let is_alone = flight.armed.contains(gyro.times_us[row]) && motors.mean(row) < 0.8 && alone(row).is_some();
        is_alone.then(|| error(row) - limit)
    };
    let mut found = spans(&gyro.times_us, 20_000, excess);
    found.retain(|span| span.length_us(&gyro.times_us) as f64 / 1e6 >= seconds);
    found.sort_by(|a, b| error(b.peak).total_cmp(&error(a.peak)));
    let Some(worst) = found.first().copied() else { return Some(Vec::new()) };
    let motor = alone(worst.peak).unwrap_or(0);
    let value = error(worst.peak);
    let summary = format!(
        "At {:.2} s, {} was at its maximum while the rotation was {} deg/s from what was wanted.",
        gyro.times_us[worst.peak] as f64 / 1e6,
        motors.labels[motor],
        short(value)
    );
    let place =
        |span: &crate::report::spans::Span| Evidence::of_span(flight, &gyro, *span).with_value(error(span.peak));
    let places: Vec<Evidence> = found.iter().map(place).collect();
    let axis = (0..3).max_by(|a, b| {
        let flown = |axis: &usize| column("gyroADC", *axis).map_or(0.0, |flown| flown[worst.peak].abs());
        flown(a).total_cmp(&flown(b))
    });
    let shown = [
        Candidate::of(&motors.sensor, &motors.labels[motor]),
        axis.and_then(|axis| Candidate::of(&gyro, &axes("gyroADC")[axis])),
    ];
    let shown: Vec<Candidate<'_, '_>> = shown.into_iter().flatten().collect();
    let first = places.first().cloned();
    let finding = Finding::new(rule, summary, value, limit, "deg/s")
        .severe_if(true)
        .at(places)
        .of_columns(shown.iter().map(|curve| curve.name.clone()).collect())
        .shown(flight, first.as_ref(), shown.iter().map(Candidate::curve).collect(), None);
    Some(vec![finding])
}
