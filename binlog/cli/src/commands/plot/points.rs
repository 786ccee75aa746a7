//! `--json`: the points of all curves, none left out.

use crate::json;
use crate::outcome::Failure;
use crate::plot::figure::{Curve, Figure, Heat};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

#[derive(Serialize)]
struct Points<'f> {
    title: &'f str,
    x: &'f str,
    curves: Vec<CurvePoints<'f>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    spectrograms: Vec<Spectrogram<'f>>,
    modes: Vec<ModePoints<'f>>,
    messages: Vec<MessagePoint<'f>>,
}

#[derive(Serialize)]
struct CurvePoints<'f> {
    name: &'f str,
    unit: &'f str,
    right: bool,
    /// Whether each point is a mark of its own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    marked: bool,
    x: &'f [f64],
    y: &'f [f64],
    /// The names of values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<StatePoint<'f>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    measured: BTreeMap<&'f str, f64>,
}

#[derive(Serialize)]
struct StatePoint<'f> {
    value: f64,
    name: &'f str,
}

#[derive(Serialize)]
struct Spectrogram<'f> {
    name: &'f str,
    unit: &'f str,
    x: &'f [f64],
    frequencies: &'f [f64],
    amplitudes: &'f [Vec<f64>],
}

#[derive(Serialize)]
struct ModePoints<'f> {
    from: f64,
    to: f64,
    name: &'f str,
}

#[derive(Serialize)]
struct MessagePoint<'f> {
    at: f64,
    text: &'f str,
}

pub(super) fn print(out: &mut impl Write, figure: &Figure) -> Result<(), Failure> {
    let points = Points {
        title: &figure.title,
        x: &figure.x_label,
        curves: figure.panels.iter().flat_map(|panel| &panel.curves).map(curve_points).collect(),
        spectrograms: figure.panels.iter().filter_map(|panel| panel.heat.as_ref()).map(spectrogram).collect(),
        modes: figure.bands.iter().map(|b| ModePoints { from: b.from, to: b.to, name: &b.name }).collect(),
        messages: figure.marks.iter().map(|mark| MessagePoint { at: mark.at, text: &mark.text }).collect(),
    };
    json::line(out, &points)
}

fn curve_points(curve: &Curve) -> CurvePoints<'_> {
    let Curve { name, unit, x, y, is_right, is_marked, states, measured, .. } = curve;
    let states = states.iter().map(|(value, name)| StatePoint { value: *value, name }).collect();
    CurvePoints {
        name,
        unit,
        right: *is_right,
        marked: *is_marked,
        x,
        y,
        states,
        measured: measured.iter().copied().collect(),
    }
}

fn spectrogram(heat: &Heat) -> Spectrogram<'_> {
    let Heat { name, unit, x, y, values, .. } = heat;
    Spectrogram { name, unit, x, frequencies: y, amplitudes: values }
}
