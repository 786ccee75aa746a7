//! What the plot shows: curves by time, spectra, or a spectrogram.

use super::arguments::{Arguments, Given};
use super::{log_name, log_names, preset};
use crate::counted::counted;
use crate::input::Input;
use crate::outcome::{Failure, warn};
use crate::plot::align::Origin;
use crate::plot::curves::{Lacking, Plotted, curves};
use crate::plot::expression::Expression;
use crate::plot::figure::{Axis, Curve, Figure, Heat, NewCurve, Panel, panels, panels_by_unit, range};
use crate::plot::moments::{bands, marks};
use crate::plot::spectrum::{spectrogram, welch};
use crate::plot::vibration::{Signal, batches};
use crate::progress::Progress;

/// About as many spectra as a picture has columns.
const SPECTROGRAM_COLUMNS: usize = 1000;

/// The vehicle's own motion is below this frequency, in Hz.
const MOTION: f64 = 5.0;

pub(super) fn figure(
    arguments: &Arguments,
    given: &Given,
    inputs: &[Input],
    plotted: &[Plotted<'_>],
) -> Result<Figure, Failure> {
    let mut expressions = match &arguments.preset {
        Some(name) => preset::expressions(arguments, name, plotted, &log_names(inputs))?,
        None => Vec::new(),
    };
    expressions.extend(given.expressions.iter().cloned());
    if expressions.is_empty() && !arguments.spectrum && !arguments.spectrogram {
        return Err(Failure::new(
            "nothing to plot; write a column such as ATT.Roll, or --preset NAME (`binlog plot --list-presets`)",
        ));
    }
    let origin = Origin::of(plotted.len());
    if origin == Origin::Arming {
        for Plotted { name, .. } in plotted.iter().filter(|plotted| plotted.session.armed().is_empty()) {
            warn(format_args!("{name} doesn't say when it was armed; its first time is 0 on the axis"));
        }
    }
    let names: Vec<String> = inputs.iter().map(log_name).collect();
    let title = arguments.title.clone().unwrap_or_else(|| names.join(", "));
    let drawn = if arguments.spectrum {
        signals(&expressions, plotted, origin).and_then(|signals| of_spectra(title, &signals))
    } else if arguments.spectrogram {
        signals(&expressions, plotted, origin).and_then(|signals| of_spectrogram(title, &signals, origin))
    } else {
        evaluated(&expressions, plotted, origin).and_then(|curves| by_time(title, curves, plotted, origin))
    };
    drawn.map_err(|failure| failure.in_(log_names(inputs)))
}

/// The curves of the expressions, with a progress bar.
fn evaluated(expressions: &[Expression], plotted: &[Plotted<'_>], origin: Origin) -> Result<Vec<NewCurve>, Failure> {
    let mut progress = Progress::count("plotting", (expressions.len() * plotted.len()) as u64);
    let mut all_left_out = 0;
    let evaluated = |left_out| {
        progress.add(1);
        all_left_out += left_out;
    };
    let (curves, lacking) = curves(expressions, plotted, origin, evaluated).map_err(Failure::new)?;
    drop(progress);
    for Lacking { name, error } in lacking {
        let text = error.to_string();
        warn(format_args!("{name} has no curve: {}", text.lines().next().unwrap_or_default()));
    }
    if all_left_out > 0 {
        let samples = counted(all_left_out, "sample");
        warn(format_args!("left out {samples} with a damaged time, more than an hour from the times around it"));
    }
    Ok(curves)
}

fn by_time(title: String, curves: Vec<NewCurve>, plotted: &[Plotted<'_>], origin: Origin) -> Result<Figure, Failure> {
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
    // Those of several logs would cover each other.
    if let [Plotted { session, intervals, .. }] = plotted {
        let zero_us = origin.zero_us(session);
        figure.bands = bands(session, zero_us);
        figure.bands.retain(|band| band.to > x_range.0 && band.from < x_range.1);
        figure.marks = marks(session, zero_us, intervals);
        figure.marks.retain(|mark| (x_range.0..=x_range.1).contains(&mark.at));
    }
    Ok(figure)
}

fn x_range(curves: &[NewCurve]) -> (f64, f64) {
    let ends = curves.iter().flat_map(|curve| [curve.x.first(), curve.x.last()]).flatten().copied();
    range(ends, 0.0)
}

fn signals(expressions: &[Expression], plotted: &[Plotted<'_>], origin: Origin) -> Result<Vec<Signal>, Failure> {
    if expressions.is_empty() {
        let batches = batches(plotted, origin);
        if !batches.is_empty() {
            return Ok(batches);
        }
    }
    let gyros = [["IMU.GyrX", "IMU.GyrY", "IMU.GyrZ"], ["gyroADC[0]", "gyroADC[1]", "gyroADC[2]"]];
    let defaults = || {
        let parse = |names: [&str; 3]| names.iter().filter_map(|name| Expression::parse(name).ok()).collect::<Vec<_>>();
        gyros.into_iter().map(parse).find_map(|gyros| evaluated(&gyros, plotted, origin).ok())
    };
    let curves = match expressions {
        [] => defaults().ok_or_else(|| {
            Failure::new("the log has neither batches of samples nor a gyroscope; write an expression to analyse")
        })?,
        expressions => evaluated(expressions, plotted, origin)?,
    };
    Ok(curves.into_iter().map(Signal::of_curve).collect())
}

fn too_short(signals: &[Signal]) -> Failure {
    let names: Vec<&str> = signals.iter().map(|signal| signal.name.as_str()).collect();
    Failure::new(format_args!("{}: a spectrum needs 16 samples without a gap", names.join(", ")))
}

fn of_spectra(title: String, signals: &[Signal]) -> Result<Figure, Failure> {
    let curve = |signal: &Signal| {
        let spectrum = welch(&signal.runs)?;
        Some(NewCurve {
            name: signal.name.clone(),
            unit: signal.unit.clone(),
            x: spectrum.frequencies,
            y: spectrum.amplitudes,
            is_right: false,
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

fn of_spectrogram(title: String, signals: &[Signal], origin: Origin) -> Result<Figure, Failure> {
    let panel = |signal: &Signal| {
        let spectrogram = spectrogram(&signal.runs, SPECTROGRAM_COLUMNS)?;
        let range = (0.0, spectrogram.frequencies.last().copied()?);
        let heat = Heat {
            name: signal.name.clone(),
            unit: signal.unit.clone(),
            x: spectrogram.times,
            width: spectrogram.stretch,
            y: spectrogram.frequencies,
            values: spectrogram.amplitudes,
        };
        let left = Axis { label: "frequency (Hz)".into(), range };
        Some(Panel { curves: Vec::new(), heat: Some(heat), left, right: None })
    };
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
