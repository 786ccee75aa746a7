//! Small charts: a finding around its place, and the course of the whole flight.

use super::evidence::Evidence;
use super::flight::{Curve, Flight, Sensor};
use super::words::short;
use crate::plot::drawing;
use crate::plot::figure::{Band, Figure, Mark, NewCurve, panels};
use crate::plot::thinning::thin;

/// A chart, drawn.
pub(crate) struct Chart {
    /// What it shows, for who can't see it.
    pub(super) label: String,
    pub(super) svg: String,
}

/// The size of a chart in pixels.
const WIDTH: u32 = 760;
const HEIGHT: u32 = 230;

/// Samples of a curve are thinned to this number of buckets, in which the lowest and the highest remain.
const BUCKETS: usize = 240;

/// The least time around a place, in seconds.
const AROUND_S: f64 = 4.0;

/// The most texts that are marked.
const MARKS: usize = 12;

/// The curves around a place: three times its length, within the flight. Without curves, the course of the flight is
/// shown there. `None` if there is nothing to draw.
pub(super) fn zoomed(
    flight: &Flight<'_>,
    place: &Evidence,
    curves: Vec<Curve<'_>>,
    limit: Option<(f64, &str)>,
) -> Option<Chart> {
    if !place.from_s.is_finite() {
        return None;
    }
    let (start_us, end_us) = flight.range_us();
    let around_s = place.length_s().max(AROUND_S);
    let from = (place.from_s - around_s).max(start_us as f64 / 1e6);
    let to = (place.to_s + around_s).min(end_us as f64 / 1e6);
    let mut shown: Vec<NewCurve> = curves.iter().filter_map(|curve| cut(curve, from, to)).collect();
    if curves.is_empty() {
        shown = course(flight, from, to);
    }
    if let Some((limit, unit)) = limit
        && shown.iter().any(|curve| curve.unit == unit)
    {
        shown.push(NewCurve {
            name: format!("limit {}", short(limit)),
            unit: unit.to_owned(),
            x: vec![from, to],
            y: vec![limit, limit],
            ..NewCurve::default()
        });
    }
    draw(flight, shown, from, to)
}

/// The course of the whole flight: altitude and throttle, then battery.
pub(super) fn overview(flight: &Flight<'_>) -> Vec<Chart> {
    let (start_us, end_us) = flight.range_us();
    let (from, to) = (start_us as f64 / 1e6, end_us as f64 / 1e6);
    let battery = columns(
        flight,
        &[
            &[("BAT", "Volt"), ("CURR", "Volt"), ("", "vbatLatest"), ("", "vbat")],
            &[("BAT", "Curr"), ("CURR", "Curr"), ("", "amperageLatest")],
        ],
        (from, to),
    );
    [course(flight, from, to), battery].into_iter().filter_map(|curves| draw(flight, curves, from, to)).collect()
}

/// Altitude and throttle between two times.
fn course(flight: &Flight<'_>, from: f64, to: f64) -> Vec<NewCurve> {
    let altitudes: &[(&str, &str)] =
        &[("POS", "RelHomeAlt"), ("CTUN", "Alt"), ("BARO", "Alt"), ("", "baroAlt"), ("", "BaroAlt"), ("GPS", "Alt")];
    let throttles: &[(&str, &str)] = &[("CTUN", "ThO"), ("CTUN", "ThrOut"), ("RCOU", "C3"), ("", "rcCommand[3]")];
    columns(flight, &[altitudes, throttles], (from, to))
}

/// Of each list, the first column that the log has, between two times.
fn columns(flight: &Flight<'_>, lists: &[&[(&str, &str)]], (from, to): (f64, f64)) -> Vec<NewCurve> {
    let sensor = |&(name, label): &(&str, &str)| -> Option<Sensor<'_>> {
        match name {
            "" => flight.frames("main", &[label]),
            name => flight.sensors(&[name], &[label]).into_iter().next(),
        }
    };
    let curve = |list: &&[(&str, &str)]| list.iter().find_map(|name| cut(&sensor(name)?.curve(name.1)?, from, to));
    lists.iter().filter_map(curve).collect()
}

/// The samples of a curve between two times, thinned. `None` if there are none.
fn cut(curve: &Curve<'_>, from: f64, to: f64) -> Option<NewCurve> {
    let samples =
        curve.times_us.iter().zip(curve.values.iter()).map(|(time_us, value)| (*time_us as f64 / 1e6, *value));
    let mut samples: Vec<(f64, f64)> = samples.filter(|(time, _)| (from..=to).contains(time)).collect();
    // Times that jump back are rare.
    if !samples.is_sorted_by(|a, b| a.0 <= b.0) {
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let (x, y): (Vec<f64>, Vec<f64>) = samples.into_iter().unzip();
    if !y.iter().any(|value| value.is_finite()) {
        return None;
    }
    let kept = thin(&x, &y, BUCKETS);
    let pick = |values: &[f64]| kept.iter().map(|&i| values[i]).collect();
    let finite = |value: f64| if value.is_finite() { value } else { f64::NAN };
    Some(NewCurve {
        name: curve.name.clone(),
        unit: curve.unit.clone(),
        x: pick(&x),
        y: pick(&y).into_iter().map(finite).collect(),
        ..NewCurve::default()
    })
}

fn draw(flight: &Flight<'_>, curves: Vec<NewCurve>, from: f64, to: f64) -> Option<Chart> {
    if curves.is_empty() || to <= from {
        return None;
    }
    let names: Vec<&str> = curves.iter().map(|curve| curve.name.as_str()).collect();
    let label = format!("{} from {from:.1} s to {to:.1} s", names.join(", "));
    let band = |mode: &crate::any_log::Mode| Band {
        from: mode.time_us.start as f64 / 1e6,
        to: mode.time_us.end as f64 / 1e6,
        name: mode.name.clone(),
    };
    let bands = flight.modes.iter().filter(|mode| !mode.name.is_empty()).map(band);
    let bands = bands.filter(|band| band.from < to && band.to > from).collect();
    let marks = flight.texts().iter().map(|(time_us, text)| Mark { at: *time_us as f64 / 1e6, text: text.clone() });
    let mut marks: Vec<Mark> = marks.filter(|mark| (from..=to).contains(&mark.at)).collect();
    // The many texts of a boot would cover the chart.
    if marks.len() > MARKS {
        marks.clear();
    }
    let panels = panels(curves);
    let height = HEIGHT * u32::try_from(panels.len()).unwrap_or(1).clamp(1, 3);
    let (title, x_label) = (String::new(), "time since boot (s)".to_owned());
    let figure = Figure { title, x_label, x_range: (from, to), panels, bands, marks };
    Some(Chart { label, svg: drawing::svg(&figure, WIDTH, height) })
}
