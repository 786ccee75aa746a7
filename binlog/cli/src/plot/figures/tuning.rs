//! The figures for tuning: responses to a step, noise by throttle, delays of filters.

use super::{MOTION, heat_panel, too_short};
use crate::outcome::Failure;
use crate::plot::delay::Delay;
use crate::plot::figure::{Figure, Measured, NewCurve, Panel, panels};
use crate::plot::groups::Value;
use crate::plot::spectrum::{Spectrogram, by_value};
use crate::plot::step_response::{LENGTH, Responses};
use crate::plot::vibration::Signal;

/// The ranges of the value on the axis of a spectrogram.
const COLUMNS: usize = 50;

/// The lowest and the highest response that the axis shows: a group with little input may have any.
const LOWEST: f64 = -0.5;
const HIGHEST: f64 = 2.0;

/// Responses to a step: a panel for each list, whose curves have names. What was measured stands beside the names.
pub fn step_responses(title: String, responses: Vec<Vec<(String, Responses)>>) -> Figure {
    let of_list = |list: Vec<(String, Responses)>| {
        let curves = list.into_iter().filter_map(|(name, responses)| response_curve(&name, responses)).collect();
        panels(curves).into_iter().map(|mut panel| {
            let (low, high) = panel.left.range;
            panel.left.range = (low.clamp(LOWEST, 0.0), high.clamp(1.1, HIGHEST));
            panel.left.label = "response".into();
            panel
        })
    };
    Figure {
        title,
        x_label: "time since the step (s)".into(),
        x_range: (0.0, LENGTH),
        panels: responses.into_iter().filter(|list| !list.is_empty()).flat_map(of_list).collect(),
        bands: Vec::new(),
        marks: Vec::new(),
    }
}

fn response_curve(name: &str, Responses { response, used, left_out }: Responses) -> Option<NewCurve> {
    let response = response?;
    let mut measured: Vec<Measured> = Vec::new();
    let mut texts = Vec::new();
    if let Some(rise) = response.rise {
        measured.push(("rise_ms", rise * 1e3));
        texts.push(format!("rise {:.0} ms", rise * 1e3));
    }
    if let Some(overshoot) = response.overshoot {
        measured.push(("overshoot_percent", overshoot * 1e2));
        texts.push(format!("overshoot {:.0} %", overshoot * 1e2));
    }
    if let Some(delay) = response.delay {
        measured.push(("delay_ms", delay * 1e3));
        texts.push(format!("delay {:.0} ms", delay * 1e3));
    }
    measured.extend([
        ("settled", response.settled),
        ("highest_hz", response.highest_frequency),
        ("windows", used as f64),
        ("windows_left_out", left_out as f64),
    ]);
    texts.push(format!("settles at {:.2}", response.settled));
    texts.push(format!("{used} of {} windows", used + left_out));
    let name = format!("{name}: {}", texts.join(", "));
    Some(NewCurve { name, x: response.times, y: response.values, measured, ..NewCurve::default() })
}

/// Correlations by lag, with the delays beside the names.
pub fn delays(title: String, delays: Vec<(String, Delay)>) -> Figure {
    let curve = |(name, delay): (String, Delay)| NewCurve {
        name: format!("{name}: {:.2} ms later, correlation {:.3}", delay.delay * 1e3, delay.correlation),
        x: delay.lags.iter().map(|lag| lag * 1e3).collect(),
        y: delay.correlations,
        measured: vec![("delay_ms", delay.delay * 1e3), ("correlation", delay.correlation)],
        ..NewCurve::default()
    };
    let curves: Vec<NewCurve> = delays.into_iter().map(curve).collect();
    let x_range = super::x_range(&curves);
    let mut panels = panels(curves);
    panels.iter_mut().for_each(|panel| panel.left.label = "correlation".into());
    Figure { title, x_label: "lag (ms)".into(), x_range, panels, bands: Vec::new(), marks: Vec::new() }
}

/// The frequencies above the vehicle's own motion, which is so strong that noise would be dark beside it.
fn without_motion(mut spectrogram: Spectrogram) -> Spectrogram {
    let slow = spectrogram.frequencies.partition_point(|frequency| *frequency < MOTION);
    spectrogram.frequencies.drain(..slow);
    spectrogram.amplitudes.iter_mut().for_each(|amplitudes| drop(amplitudes.drain(..slow)));
    spectrogram
}

/// Spectrograms with a value in place of time, a panel for each signal. Each session has its signals and its value.
///
/// Also returns the number of stretches in which the value isn't known.
///
/// # Errors
///
/// If no signal is long enough, or if the value is known nowhere.
pub fn spectrogram_by(title: String, sessions: &[(Vec<Signal>, Value)]) -> Result<(Figure, usize), Failure> {
    let ends = |ends: (f64, f64), (_, value): &(Vec<Signal>, Value)| {
        (ends.0.min(value.range.start), ends.1.max(value.range.end))
    };
    let x_range = sessions.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    let (mut panels, mut unknown): (Vec<Panel>, usize) = (Vec::new(), 0);
    for (signal, value) in
        sessions.iter().flat_map(|(signals, value)| signals.iter().map(move |signal| (signal, value)))
    {
        let mean = |during| value.mean(during);
        let Some((spectrogram, left_out)) = by_value(&signal.runs, x_range.0..x_range.1, COLUMNS, mean) else {
            continue;
        };
        unknown += left_out;
        let spectrogram = without_motion(spectrogram);
        if !spectrogram.times.is_empty() {
            panels.extend(heat_panel(signal, spectrogram));
        }
    }
    let signals: Vec<&Signal> = sessions.iter().flat_map(|(signals, _)| signals).collect();
    match (&panels[..], sessions.first()) {
        ([_, ..], Some((_, value))) => {
            let x_label = value.label();
            Ok((Figure { title, x_label, x_range, panels, bands: Vec::new(), marks: Vec::new() }, unknown))
        }
        (_, Some((_, value))) if unknown > 0 => {
            Err(Failure::new(format_args!("{} isn't known while the samples were taken", value.name)))
        }
        _ => Err(too_short(signals)),
    }
}
