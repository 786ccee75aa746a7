//! The figures that a plot can be: curves by time, spectra, or a spectrogram; [`tuning`] has those of tuning.

mod map;
pub mod tuning;

use super::align::Origin;
use super::curves::{CurveOf, CurveSource, Plotted};
use super::expression::Expression;
use super::figure::{Axis, Curve, Figure, Heat, NewCurve, Panel, panels, panels_by_unit, range};
use super::moments::{bands, marks};
use super::spectrum::{self, Spectrogram};
use super::vibration::Signal;
use crate::outcome::Failure;
use map::Map;
use std::collections::BTreeSet;

/// About as many spectra as a picture has columns.
const SPECTROGRAM_COLUMNS: usize = 1000;

/// The vehicle's own motion is below this frequency, in Hz.
const MOTION: f64 = 5.0;

/// Curves by time. The modes, messages and events of one session are shown with them; those of several would cover each
/// other.
///
/// # Errors
///
/// If there is nothing to draw: no record, or no finite value.
pub fn by_time(
    title: String,
    curves: Vec<NewCurve>,
    plotted: &[Plotted<'_>],
    origin: Origin,
) -> Result<Figure, Failure> {
    if curves.iter().all(|curve| curve.x.is_empty()) {
        return Err(Failure::new("the columns have no record in the chosen part of the log"));
    }
    if !curves.iter().any(|curve| curve.y.iter().any(|value| value.is_finite())) {
        let text =
            "nothing to plot: no value is finite in the chosen part of the log; does an expression divide by zero?";
        return Err(Failure::new(text));
    }
    let x_range = x_range(&curves);
    let mut figure = Figure {
        title,
        x_label: origin.label().into(),
        x_range,
        panels: panels(curves),
        bands: Vec::new(),
        marks: Vec::new(),
    };
    if let [Plotted { session, intervals, .. }] = plotted {
        let zero_us = origin.zero_us(session);
        figure.bands = bands(session, zero_us);
        figure.bands.retain(|band| band.to > x_range.0 && band.from < x_range.1);
        figure.marks = marks(session, zero_us, intervals);
        figure.marks.retain(|mark| (x_range.0..=x_range.1).contains(&mark.at));
    }
    Ok(figure)
}

/// One expression over another: the curves of the first one are the places on the horizontal axis, those of the second
/// the values, which stand at the last place before them. Both are of the same instances, or one of them is of one
/// curve in each session, which is that of all instances of the other. Latitude over longitude, or the reverse, is a
/// map: the missions, fences and rally points of each session are drawn on it.
///
/// # Errors
///
/// If the expressions have different instances, or if nothing is finite.
pub fn xy(
    title: String,
    [place, value]: [&Expression; 2],
    curves: Vec<CurveOf>,
    plotted: &[Plotted<'_>],
) -> Result<Figure, Failure> {
    let (places, values): (Vec<_>, Vec<_>) = curves.into_iter().partition(|(of, _)| of.expression == 0);
    let [unit, other] = [&places, &values].map(|curves| curves.first().map_or("", |(_, curve)| &curve.unit));
    let mut map = Map::of((place, unit), (value, other));
    let label = place.text();
    let label = if unit.is_empty() { label.to_owned() } else { format!("{label} ({unit})") };
    let mut curves = Vec::new();
    let sessions: BTreeSet<usize> = values.iter().map(|(of, _)| of.session).collect();
    for session in sessions {
        let before = curves.len();
        let [places, values] =
            [&places, &values].map(|curves| curves.iter().filter(|(of, _)| of.session == session).collect::<Vec<_>>());
        match (&places[..], &values[..]) {
            // The session lacks the column, which is said.
            ([], _) => {}
            ([(_, place)], values) => {
                curves.extend(values.iter().map(|(_, value)| over(place, value, value.name.clone())))
            }
            (places, [(_, value)]) => {
                let name = |place: &NewCurve| format!("{} over {}", value.name, place.name);
                curves.extend(places.iter().map(|(_, place)| over(place, value, name(place))));
            }
            (places, values) => {
                let same = |of: &CurveSource| places.iter().find(|(other, _)| other.instances == of.instances);
                let pairs: Option<Vec<_>> = values.iter().map(|(of, value)| Some((&same(of)?.1, value))).collect();
                let Some(pairs) = pairs.filter(|pairs| pairs.len() == places.len()) else {
                    let text = "the two expressions have different instances; choose one of each: IMU[0].GyrX";
                    return Err(Failure::new(text));
                };
                curves.extend(pairs.into_iter().map(|(place, value)| over(place, value, value.name.clone())));
            }
        }
        if let (Some(map), Some(plotted)) = (&mut map, plotted.get(session)) {
            map.add(plotted, &curves[before..]);
        }
    }
    let is_drawn = |curve: &NewCurve| curve.x.iter().zip(&curve.y).any(|(x, y)| x.is_finite() && y.is_finite());
    if !curves.iter().any(is_drawn) {
        return Err(Failure::new("nothing to plot: no record in the chosen part has both values"));
    }
    curves.extend(map.into_iter().flat_map(Map::curves));
    let x_range = range(curves.iter().flat_map(|curve| curve.x.iter().copied()), 0.04);
    Ok(Figure { title, x_label: label, x_range, panels: panels(curves), bands: Vec::new(), marks: Vec::new() })
}

/// The values over the places.
fn over(places: &NewCurve, values: &NewCurve, name: String) -> NewCurve {
    let last = |time: &f64| places.x.partition_point(|at| at <= time).checked_sub(1);
    let x = values.x.iter().map(|time| last(time).map_or(f64::NAN, |last| places.y[last])).collect();
    NewCurve { name, x, is_stepped: false, ..values.clone() }
}

fn x_range(curves: &[NewCurve]) -> (f64, f64) {
    let ends = curves.iter().flat_map(|curve| [curve.x.first(), curve.x.last()]).flatten().copied();
    range(ends, 0.0)
}

fn too_short<'s>(signals: impl IntoIterator<Item = &'s Signal>) -> Failure {
    let names: Vec<&str> = signals.into_iter().map(|signal| signal.name.as_str()).collect();
    Failure::new(format_args!("{}: a spectrum needs 16 samples without a gap", names.join(", ")))
}

/// The amplitude of each frequency of signals.
///
/// # Errors
///
/// If no signal is long enough.
pub fn spectra(title: String, signals: &[Signal]) -> Result<Figure, Failure> {
    let curve = |signal: &Signal| {
        let spectrum = spectrum::welch(&signal.runs)?;
        Some(NewCurve {
            name: signal.name.clone(),
            unit: signal.unit.clone(),
            x: spectrum.frequencies,
            y: spectrum.amplitudes,
            ..NewCurve::default()
        })
    };
    let curves: Vec<NewCurve> = signals.iter().filter_map(curve).collect();
    if curves.is_empty() {
        return Err(too_short(signals));
    }
    let x_range = x_range(&curves);
    let mut panels = panels_by_unit(curves);
    for panel in &mut panels {
        let Panel { curves, left, .. } = panel;
        let high = curves.iter().flat_map(above_motion).fold(0.0, f64::max);
        left.range = (0.0, if high > 0.0 { high * 1.05 } else { left.range.1 });
        left.label = if left.label.is_empty() { "amplitude".into() } else { format!("amplitude ({})", left.label) };
    }
    Ok(Figure { title, x_label: "frequency (Hz)".into(), x_range, panels, bands: Vec::new(), marks: Vec::new() })
}

/// The amplitudes above the vehicle's own motion, which is slow and much stronger than vibration. The axis ends at the
/// highest one. A slow signal has all of its amplitudes.
fn above_motion(curve: &Curve) -> impl Iterator<Item = f64> + '_ {
    let is_fast = curve.x.last().is_some_and(|highest| *highest > 10.0 * MOTION);
    let samples = curve.x.iter().zip(&curve.y).filter(move |(frequency, _)| !is_fast || **frequency >= MOTION);
    samples.map(|(_, amplitude)| *amplitude)
}

/// The amplitude of each frequency of signals by time, a panel for each signal.
///
/// # Errors
///
/// If no signal is long enough.
pub fn spectrogram(title: String, signals: &[Signal], origin: Origin) -> Result<Figure, Failure> {
    let panel = |signal: &Signal| heat_panel(signal, spectrum::spectrogram(&signal.runs, SPECTROGRAM_COLUMNS)?);
    let panels: Vec<Panel> = signals.iter().filter_map(panel).collect();
    if panels.is_empty() {
        return Err(too_short(signals));
    }
    let heats = panels.iter().filter_map(|panel| panel.heat.as_ref());
    let ends = heats.flat_map(|heat| {
        let half = heat.width / 2.0;
        [heat.x.first().map(|x| x - half), heat.x.last().map(|x| x + half)].into_iter().flatten()
    });
    let x_range = range(ends, 0.0);
    let x_label = origin.label().into();
    Ok(Figure { title, x_label, x_range, panels, bands: Vec::new(), marks: Vec::new() })
}

/// The panel of a signal's spectrogram.
fn heat_panel(signal: &Signal, spectrogram: Spectrogram) -> Option<Panel> {
    let range = (0.0, spectrogram.frequencies.last().copied()?);
    let heat = Heat {
        name: signal.name.clone(),
        unit: signal.unit.clone(),
        x: spectrogram.times,
        width: spectrogram.stretch,
        y: spectrogram.frequencies,
        values: spectrogram.amplitudes,
    };
    let left = Axis { label: "frequency (Hz)".into(), range, states: Vec::new() };
    Some(Panel { curves: Vec::new(), heat: Some(heat), left, right: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::spectrum::Run;

    fn sine(frequency: f64, amplitude: f64) -> impl Fn(f64) -> f64 {
        move |time| amplitude * (std::f64::consts::TAU * frequency * time).sin()
    }

    fn signal(name: &str, unit: &str, rate: f64, value: impl Fn(f64) -> f64) -> Signal {
        let samples = (0..2000).map(|i| value(f64::from(i) / rate)).collect();
        Signal { name: name.into(), unit: unit.into(), runs: vec![Run { start: 0.0, rate, samples }] }
    }

    fn curve(y: Vec<f64>) -> NewCurve {
        let x = (0..y.len()).map(|i| i as f64).collect();
        NewCurve { name: "ATT.Roll".into(), unit: "deg".into(), x, y, ..NewCurve::default() }
    }

    #[test]
    fn spectrum_axis_ends_at_the_strongest_vibration() {
        let (motion, vibration) = (sine(1.0, 50.0), sine(80.0, 2.0));
        let figure = spectra("A".into(), &[signal("Gyro 0 X", "deg/s", 1000.0, |at| motion(at) + vibration(at))]);
        let panel = &figure.expect("a figure").panels[0];
        assert_eq!(panel.left.label, "amplitude (deg/s)");
        assert_eq!(panel.left.range.0, 0.0);
        assert!((1.5..3.0).contains(&panel.left.range.1), "{:?}", panel.left.range);
        // A signal that can't have vibrations has nothing else to show.
        let figure = spectra("A".into(), &[signal("GPS.Spd", "m/s", 10.0, sine(1.0, 50.0))]);
        assert!((45.0..60.0).contains(&figure.expect("a figure").panels[0].left.range.1));
    }

    #[test]
    fn spectrogram_of_each_signal_spans_its_first_to_last_sample() {
        let signals = [signal("X", "", 500.0, sine(60.0, 1.0)), signal("Y", "", 500.0, sine(90.0, 1.0))];
        let figure = spectrogram("A".into(), &signals, Origin::Start).expect("a figure");
        assert_eq!(figure.panels.len(), 2);
        assert!(figure.x_range.0.abs() < 0.1 && (figure.x_range.1 - 4.0).abs() < 0.1, "{:?}", figure.x_range);
        for panel in figure.panels {
            assert_eq!(panel.left.range, (0.0, 250.0));
        }
    }

    #[test]
    fn what_has_nothing_to_draw_is_an_error_that_says_why() {
        let short = Signal { runs: Vec::new(), ..signal("X", "", 500.0, |_| 0.0) };
        for error in [
            spectra("A".into(), std::slice::from_ref(&short)).expect_err("no sample"),
            spectrogram("A".into(), &[short], Origin::Start).expect_err("no sample"),
        ] {
            assert_eq!(error.to_string(), "X: a spectrum needs 16 samples without a gap");
        }
        let error = by_time("A".into(), vec![curve(vec![])], &[], Origin::Start).expect_err("no record");
        assert!(error.to_string().contains("no record"), "{error}");
        let error = by_time("A".into(), vec![curve(vec![f64::NAN; 3])], &[], Origin::Start).expect_err("no value");
        assert!(error.to_string().contains("no value is finite"), "{error}");
        assert_eq!(
            by_time("A".into(), vec![curve(vec![1.0; 3])], &[], Origin::Start).expect("a figure").x_range.1,
            2.0
        );
    }
}
