//! What the arguments ask for: the expressions, evaluated, as a figure.

use super::arguments::{Arguments, Given};
use super::evaluation::{curves_of, evaluated, signals};
use super::tuning::Tuning;
use super::{legend_names, log_names, preset};
use crate::input::{Input, in_a_shell};
use crate::outcome::{Failure, warn};
use crate::plot::align::Origin;
use crate::plot::curves::Plotted;
use crate::plot::expression::Expression;
use crate::plot::figure::Figure;
use crate::plot::figures;
use crate::plot::presets::Kind;
use binlog::AnyLog;
use std::path::Path;

pub(super) fn figure(
    arguments: &Arguments,
    given: &Given,
    inputs: &[Input],
    plotted: &[Plotted<'_>],
) -> Result<Figure, Failure> {
    let preset = arguments.preset.as_ref().map(|name| preset::find(arguments, name)).transpose()?;
    let kind = arguments.kind(preset.as_ref())?;
    let mut expressions = match &preset {
        Some(preset) if preset.kind == Kind::Curves => preset::first(preset, plotted, &log_names(inputs))?,
        _ => Vec::new(),
    };
    expressions.extend(given.expressions.iter().cloned());
    if expressions.is_empty() && kind == Kind::Curves && !arguments.spectrum && !arguments.spectrogram {
        return Err(Failure::new(
            "nothing to plot; write a column such as ATT.Roll, or --preset NAME (`binlog plot --list-presets`)",
        ));
    }
    let origin = Origin::of(&plotted.iter().map(|plotted| plotted.session).collect::<Vec<_>>());
    if origin != Origin::Start {
        for Plotted { name, session, .. } in plotted.iter().filter(|plotted| plotted.session.armed().is_empty()) {
            let place = match origin.flight(session) {
                Some(_) => "its times are those of a flight that is plotted, too, and stay where they are in it",
                None => "its first time is 0 on the axis",
            };
            warn(format_args!("{name} doesn't say when it was armed; {place}"));
        }
    }
    let title = arguments.title.clone().unwrap_or_else(|| legend_names(inputs).join(", "));
    let drawn = if kind != Kind::Curves {
        let by = arguments.by.as_ref();
        Tuning { kind, by, plotted, origin }.figure(title, &expressions, preset)
    } else if arguments.xy {
        let [place, value] = &expressions[..] else {
            let text = "--xy plots one expression over another: binlog plot flight.bin --xy POS.Lng POS.Lat";
            return Err(Failure::new(text));
        };
        curves_of(&expressions, plotted, origin).and_then(|curves| figures::xy(title, [place, value], curves, plotted))
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
