//! Vibration and clipping.

use super::{Candidate, Evidence, Finding, Flight, Rule, Side, beyond, bound, short};
use crate::report::spans::spans;

pub(in crate::report) fn vibration(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let labels = ["VibeX", "VibeY", "VibeZ"];
    let sensors = flight.sensors(&["VIBE"], &labels);
    let candidates: Vec<Candidate<'_, '_>> =
        sensors.iter().flat_map(|sensor| labels.iter().filter_map(|label| Candidate::of(sensor, label))).collect();
    if candidates.is_empty() {
        return None;
    }
    Some(beyond(flight, rule, &candidates, &bound(flight, rule, Side::Above, "m/s/s")).into_iter().collect())
}

pub(in crate::report) fn clipping(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let labels = ["Clip", "Clip0", "Clip1", "Clip2"];
    let sensors = flight.sensors(&["VIBE"], &labels);
    let counters: Vec<Candidate<'_, '_>> =
        sensors.iter().flat_map(|sensor| labels.iter().filter_map(|label| Candidate::of(sensor, label))).collect();
    if counters.is_empty() {
        return None;
    }
    // The samples since boot: what is added while armed counts.
    let added = |counter: &Candidate<'_, '_>, row: usize| {
        let before = row.checked_sub(1).map_or(counter.values[row], |before| counter.values[before]);
        let added = (counter.values[row] - before).max(0.0);
        if flight.armed.contains(counter.sensor.times_us[row]) { added } else { 0.0 }
    };
    let total = |counter: &Candidate<'_, '_>| (0..counter.values.len()).map(|row| added(counter, row)).sum::<f64>();
    let worst = counters.iter().map(|counter| (total(counter), counter)).max_by(|a, b| a.0.total_cmp(&b.0));
    let (limit, severe) = (flight.rules.threshold(rule), flight.rules.severe(rule));
    let Some((total, worst)) = worst.filter(|(total, _)| *total > 0.0 && *total >= limit) else {
        return Some(Vec::new());
    };
    let mut found = spans(&worst.sensor.times_us, 1_000_000, |row| Some(added(worst, row)));
    let of_span = |first: usize, last: usize| (first..=last).map(|row| added(worst, row)).sum::<f64>();
    found.sort_by(|a, b| of_span(b.first, b.last).total_cmp(&of_span(a.first, a.last)));
    let place = |span: &crate::report::spans::Span| {
        Evidence::of_span(flight, worst.sensor, *span).with_value(of_span(span.first, span.last))
    };
    let places: Vec<Evidence> = found.iter().map(place).collect();
    let first = places.first().cloned();
    let summary = format!("{} counted {} samples at the sensor's limit while armed.", worst.name, short(total));
    let finding = Finding::new(rule, summary, total, limit, "samples")
        .severe_if(total >= severe)
        .at(places)
        .of_columns(vec![worst.name.clone()])
        .shown(flight, first.as_ref(), vec![worst.curve()], None);
    Some(vec![finding])
}
