//! Expressions, evaluated with a progress bar.

use crate::counted::counted;
use crate::outcome::{Failure, warn};
use crate::plot::align::Origin;
use crate::plot::curves::{CurveOf, Lacking, Plotted, curves};
use crate::plot::expression::Expression;
use crate::plot::figure::NewCurve;
use crate::plot::vibration::{Signal, batches};
use crate::progress::Progress;

/// The curves of the expressions, with a progress bar.
pub(super) fn evaluated(
    expressions: &[Expression],
    plotted: &[Plotted<'_>],
    origin: Origin,
) -> Result<Vec<NewCurve>, Failure> {
    Ok(curves_of(expressions, plotted, origin)?.into_iter().map(|(_, curve)| curve).collect())
}

/// As [`evaluated`], with what each curve is of.
pub(super) fn curves_of(
    expressions: &[Expression],
    plotted: &[Plotted<'_>],
    origin: Origin,
) -> Result<Vec<CurveOf>, Failure> {
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

/// The signals to analyse: those of the expressions, or the batch samples, or the gyroscopes.
pub(super) fn signals(
    expressions: &[Expression],
    plotted: &[Plotted<'_>],
    origin: Origin,
) -> Result<Vec<Signal>, Failure> {
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
