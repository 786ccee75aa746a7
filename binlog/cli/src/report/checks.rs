//! The rules' checks, by what they look at.

pub(super) mod battery;
pub(super) mod blackbox;
pub(super) mod compass;
pub(super) mod ekf;
pub(super) mod failsafes;
pub(super) mod gps;
pub(super) mod health;
pub(super) mod motors;
pub(super) mod tracking;
pub(super) mod vibration;

use super::evidence::Evidence;
use super::finding::Finding;
use super::flight::{Curve, Flight, Sensor};
use super::rules::Rule;
use super::spans::{Span, spans};
use super::words::short;

/// Values that are compared with a limit.
struct Candidate<'c, 's> {
    sensor: &'c Sensor<'s>,
    name: String,
    unit: String,
    values: std::borrow::Cow<'c, [f64]>,
}

impl<'c, 's> Candidate<'c, 's> {
    /// A column of a sensor.
    fn of(sensor: &'c Sensor<'s>, label: &str) -> Option<Self> {
        let values = sensor.column(label)?.into();
        Some(Candidate { sensor, name: sensor.name_of(label), unit: sensor.unit(label).to_owned(), values })
    }

    fn curve(&self) -> Curve<'_> {
        Curve {
            name: self.name.clone(),
            unit: self.unit.clone(),
            times_us: &self.sensor.times_us,
            values: self.values.as_ref().into(),
        }
    }
}

/// On which side of a limit a value is wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Above,
    Below,
}

/// Spans that are nearer than this are one place.
const JOIN_US: u64 = 500_000;

/// Where a value becomes wrong.
#[derive(Clone, Copy)]
struct Bound {
    side: Side,
    limit: f64,
    /// From here on, it is a problem.
    severe: f64,
    /// How long it must be beyond the limit in all.
    seconds: f64,
    unit: &'static str,
}

/// The bound of a rule with a threshold, `severe` and `seconds`.
fn bound(flight: &Flight<'_>, rule: &Rule, side: Side, unit: &'static str) -> Bound {
    let rules = flight.rules;
    Bound { side, limit: rules.threshold(rule), severe: rules.severe(rule), seconds: rules.seconds(rule), unit }
}

/// The values of each candidate beyond a bound while armed: a finding if one is beyond it for long enough. It has the
/// places of the worst, whose name is the first of its columns.
fn beyond(flight: &Flight<'_>, rule: &Rule, candidates: &[Candidate<'_, '_>], bound: &Bound) -> Option<Finding> {
    Some(beyond_for(flight, rule, candidates, bound)?.0)
}

/// As [`beyond`], with the seconds that the worst is beyond the bound in all.
fn beyond_for(
    flight: &Flight<'_>,
    rule: &Rule,
    candidates: &[Candidate<'_, '_>],
    bound: &Bound,
) -> Option<(Finding, f64)> {
    let Bound { side, limit, severe, seconds, unit } = *bound;
    let signed = |value: f64| if side == Side::Above { value - limit } else { limit - value };
    let of_candidate = |candidate: &Candidate<'_, '_>| {
        let times_us = &candidate.sensor.times_us;
        let excess = |row: usize| flight.armed.contains(times_us[row]).then(|| signed(candidate.values[row]));
        let excess_of = |row: usize| excess(row).filter(|excess| *excess > 0.0);
        let mut found = spans(times_us, JOIN_US, excess);
        // The time of the rows themselves, without what joins them.
        let step_us = |row: usize| times_us.get(row + 1).map_or(0, |next| next.saturating_sub(times_us[row]));
        let beyond_us: u64 = found
            .iter()
            .flat_map(|span| span.first..=span.last)
            .filter(|row| excess_of(*row).is_some())
            .map(|row| step_us(row).min(JOIN_US.max(1_000_000)))
            .sum();
        found.sort_by(|a, b| signed(candidate.values[b.peak]).total_cmp(&signed(candidate.values[a.peak])));
        let total_s = beyond_us as f64 / 1e6;
        (!found.is_empty() && total_s >= seconds).then_some((found, total_s))
    };
    let mut found: Vec<(&Candidate<'_, '_>, Vec<Span>, f64)> = candidates
        .iter()
        .filter_map(|candidate| of_candidate(candidate).map(|(spans, total_s)| (candidate, spans, total_s)))
        .collect();
    let peak = |(candidate, spans, _): &(&Candidate<'_, '_>, Vec<Span>, f64)| candidate.values[spans[0].peak];
    found.sort_by(|a, b| signed(peak(b)).total_cmp(&signed(peak(a))));
    let (worst, spans, total_s) = found.first()?;
    let total_s = *total_s;
    let value = peak(&found[0]);
    let (beyond, most) = if side == Side::Above { ("above", "highest") } else { ("below", "lowest") };
    let sep = if unit.is_empty() { "" } else { " " };
    let others: Vec<&str> = found.iter().skip(1).map(|(candidate, _, _)| candidate.name.as_str()).collect();
    let others = match others.len() {
        0 => String::new(),
        1..=3 => format!(" So {} {}.", if others.len() == 1 { "was" } else { "were" }, others.join(", ")),
        more => format!(" So were {} and {} more.", others[..3].join(", "), more - 3),
    };
    let summary = format!(
        "{} was {beyond} {}{sep}{unit} for {} s in all; the {most} value is {}{sep}{unit}.{others}",
        worst.name,
        short(limit),
        short(total_s),
        short(value)
    );
    let places: Vec<Evidence> = spans
        .iter()
        .map(|span| Evidence::of_span(flight, worst.sensor, *span).with_value(worst.values[span.peak]))
        .collect();
    let curves: Vec<Curve<'_>> = found.iter().take(3).map(|(candidate, _, _)| candidate.curve()).collect();
    let is_severe = if side == Side::Above { value >= severe } else { value <= severe };
    let shown_unit = worst.unit.clone();
    let columns = found.iter().map(|(candidate, _, _)| candidate.name.clone()).collect();
    let first = places.first().cloned();
    let finding = Finding::new(rule, summary, value, limit, unit)
        .severe_if(is_severe)
        .at(places)
        .of_columns(columns)
        .shown(flight, first.as_ref(), curves, Some((limit, &shown_unit)));
    Some((finding, total_s))
}
