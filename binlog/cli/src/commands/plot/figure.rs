//! What the arguments ask for: the expressions, evaluated, as a figure.

use super::arguments::{Arguments, Given};
use super::{legend_names, log_names, preset};
use crate::counted::counted;
use crate::input::{Input, in_a_shell};
use crate::outcome::{Failure, warn};
use crate::plot::align::Origin;
use crate::plot::curves::{CurveOf, Lacking, Plotted, curves};
use crate::plot::expression::Expression;
use crate::plot::figure::{Figure, NewCurve};
use crate::plot::figures;
use crate::plot::vibration::{Signal, batches};
use crate::progress::Progress;
use binlog::AnyLog;
use std::path::Path;

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
    let title = arguments.title.clone().unwrap_or_else(|| legend_names(inputs).join(", "));
    if arguments.xy && expressions.len() != 2 {
        let text = "--xy plots one expression over another: binlog plot flight.bin --xy POS.Lng POS.Lat";
        return Err(Failure::new(text));
    }
    let drawn = if arguments.xy {
        let label = expressions[0].text().to_owned();
        curves_of(&expressions, plotted, origin).and_then(|curves| figures::xy(title, &label, curves))
    } else if arguments.spectrum {
        signals(&expressions, plotted, origin).and_then(|signals| figures::spectra(title, &signals))
    } else if arguments.spectrogram {
        signals(&expressions, plotted, origin).and_then(|signals| figures::spectrogram(title, &signals, origin))
    } else {
        evaluated(&expressions, plotted, origin).and_then(|curves| figures::by_time(title, curves, plotted, origin))
    };
    drawn.map_err(|failure| with_hint(failure, &expressions, inputs).context(log_names(inputs)))
}

/// Adds how to find the column that a name without a type may mean. ArduPilot logs have no such columns.
fn with_hint(failure: Failure, expressions: &[Expression], inputs: &[Input]) -> Failure {
    let mut names = expressions.iter().flat_map(Expression::columns);
    match (names.find(|name| name.table.is_none()), inputs) {
        (Some(name), [Input { log: AnyLog::ArduPilot(_), path: Some(log), .. }, ..]) => {
            let (word, log) = (in_a_shell(Path::new(&name.label)), in_a_shell(log));
            Failure::new(format_args!("{failure}; `binlog find {word} {log}` finds columns"))
        }
        _ => failure,
    }
}

/// The curves of the expressions, with a progress bar.
fn evaluated(expressions: &[Expression], plotted: &[Plotted<'_>], origin: Origin) -> Result<Vec<NewCurve>, Failure> {
    Ok(curves_of(expressions, plotted, origin)?.into_iter().map(|(_, curve)| curve).collect())
}

/// As [`evaluated`], with what each curve is of.
fn curves_of(expressions: &[Expression], plotted: &[Plotted<'_>], origin: Origin) -> Result<Vec<CurveOf>, Failure> {
    if plotted.iter().all(|plotted| plotted.session.time_range_us().is_none()) {
        return Err(Failure::new("no record has a time, so there is nothing to draw over; `export` writes the values"));
    }
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
