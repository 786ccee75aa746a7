//! `binlog plot`: curves of one or several logs, as a picture, a page, text or points.

mod arguments;
mod evaluation;
mod figure;
mod points;
mod preset;
mod tuning;

pub use arguments::Arguments;

use crate::any_log::Session;
use crate::context::Context;
use crate::input::{Input, Sources};
use crate::one_line;
use crate::outcome::{CommandResult, Failure, warn};
use crate::output::Output;
use crate::plot::curves::Plotted;
use crate::plot::figure::Figure;
use crate::plot::{drawing, html, terminal};
use arguments::Format;
use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    if arguments.list_presets {
        return preset::list(arguments, context);
    }
    let given = arguments.given()?;
    let format = match context.json {
        true => arguments.require_points().map(|()| Format::Text)?,
        false => arguments.output_format()?,
    };
    let (inputs, left_out) = Sources::of(&given.logs)?.open_all()?;
    let presets: Vec<PathBuf> = match arguments.output {
        Some(_) => arguments.presets.iter().map(|path| preset::files(path)).collect::<Result<Vec<_>, _>>()?.concat(),
        None => Vec::new(),
    };
    let paths = inputs.iter().filter_map(|input| input.path.as_deref()).chain(presets.iter().map(PathBuf::as_path));
    let mut out = Output::create(arguments.output.as_deref(), paths, arguments.existing)?;
    let sessions: Vec<(&Input, Vec<Session<'_>>)> = inputs.iter().map(|input| (input, input.sessions())).collect();
    let mut plotted = Vec::new();
    let names = legend_names(&inputs);
    for ((input, sessions), name) in sessions.iter().zip(&names) {
        match of_log(arguments, (input, name), sessions) {
            Err(failure) if failure.is_absent() && inputs.len() > 1 => warn(failure),
            of_log => plotted.extend(of_log?),
        }
        input.note_sessions(sessions);
    }
    if plotted.is_empty() {
        return Err(Failure::new("nothing to plot: no record is in the chosen part").context(log_names(&inputs)));
    }
    name(&mut plotted, inputs.len());
    let figure = figure::figure(arguments, &given, &inputs, &plotted).inspect_err(|_| {
        // What it didn't find may be in what can't be read.
        for input in &inputs {
            input.warn_of_loss();
        }
    })?;
    if context.json {
        points::print(&mut out, &figure)?;
    } else {
        write(arguments, format, &figure.with_steps(), context, &mut out)?;
    }
    out.finish()?;
    Ok(inputs.iter().map(Input::warn_of_loss).max().map_or(left_out, |outcome| outcome.max(left_out)))
}

/// The sessions of a log of which something is chosen, with their numbers as names.
fn of_log<'s>(
    arguments: &Arguments,
    (input, log): (&Input, &str),
    sessions: &'s [Session<'s>],
) -> Result<Vec<Plotted<'s>>, Failure> {
    let intervals = arguments.selection.intervals(sessions).map_err(|failure| failure.context(&input.name))?;
    let plotted = sessions.iter().zip(intervals).filter(|(_, intervals)| !intervals.is_nothing());
    let plotted = plotted.map(|(session, intervals)| {
        let name = if sessions.len() > 1 { format!("{log} session {}", session.number()) } else { log.to_owned() };
        Plotted { session, intervals, name }
    });
    Ok(plotted.collect())
}

/// The names of the logs in a legend: those of their files, with as many folders as tell them apart.
fn legend_names(inputs: &[Input]) -> Vec<String> {
    let longest = inputs.iter().filter_map(|input| input.path.as_deref()).map(|path| path.iter().count()).max();
    let mut names = Vec::new();
    for length in 1..=longest.unwrap_or(1) {
        names = inputs.iter().map(|input| legend_name(input, length)).collect();
        if names.iter().collect::<HashSet<_>>().len() == names.len() {
            break;
        }
    }
    names
}

/// The name of a log: the end of its path, of this many parts.
fn legend_name(input: &Input, length: usize) -> String {
    let Some(path) = input.path.as_deref() else { return input.name.clone() };
    let end: PathBuf = path.iter().skip(path.iter().count().saturating_sub(length)).collect();
    one_line::shown(&end)
}

/// The logs' names for an error that is about all of them.
fn log_names(inputs: &[Input]) -> String {
    const NAMED: usize = 3;
    let names: Vec<&str> = inputs.iter().take(NAMED).map(|input| input.name.as_str()).collect();
    match inputs.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// One session needs no name; the sessions of one log need no log's name.
fn name(plotted: &mut [Plotted<'_>], logs: usize) {
    if let [only] = plotted {
        only.name.clear();
    } else if logs == 1 {
        plotted.iter_mut().for_each(|plotted| plotted.name = format!("session {}", plotted.session.number()));
    }
}

fn write(
    arguments: &Arguments,
    format: Format,
    figure: &Figure,
    context: &Context,
    out: &mut Output,
) -> Result<(), Failure> {
    let panels = figure.panels.len();
    let (width, height) = arguments.size.map_or((drawing::WIDTH, drawing::height(panels)), |size| size.0);
    let least = drawing::least_height(panels);
    if matches!(format, Format::Png | Format::Svg) && height < least {
        return Err(Failure::new(format_args!(
            "the units of the curves take {panels} panels, which need a height of {least}; plot fewer curves at once, \
             or give a larger --size"
        )));
    }
    if format == Format::Html && arguments.xy {
        return Err(Failure::new("a page has time on its axis: write --xy to a picture, -o FILE.png or .svg"));
    }
    if format == Format::Text && figure.panels.iter().any(|panel| panel.heat.is_some()) {
        return Err(Failure::new("a spectrogram needs colours: write it to a picture with -o FILE.png or .html"));
    }
    match format {
        Format::Svg => out.write_all(drawing::svg(figure, width, height).as_bytes())?,
        Format::Png => {
            let picture = drawing::png(&drawing::svg(figure, width, height));
            out.write_all(&picture.map_err(|error| Failure::of(out.name(), &error))?)?;
        }
        Format::Html => out.write_all(html::page(figure).as_bytes())?,
        Format::Text => {
            let is_terminal = arguments.output.is_none() && std::io::stdout().is_terminal();
            let (columns, lines) = text_size(is_terminal);
            out.write_all(terminal::text(figure, columns, lines, context.color).as_bytes())?;
        }
    }
    Ok(())
}

/// The size of the terminal; 100 by 30 characters elsewhere.
fn text_size(is_terminal: bool) -> (usize, usize) {
    let size = terminal_size::terminal_size().filter(|_| is_terminal);
    size.map_or((100, 30), |(columns, lines)| (columns.0.into(), usize::from(lines.0).saturating_sub(1)))
}
