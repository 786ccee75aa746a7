//! `binlog params`: the parameters of a log.

use crate::context::{self, Context, Logs};
use crate::input::{Input, Source, require_stdin_once};
use crate::intervals::Intervals;
use crate::json;
use crate::one_line::on_one_line;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::{Existing, Output};
use crate::parameters::{self, Parameter, Parameters};
use crate::patterns::{self, Patterns};
use crate::selection::Selection;
use crate::style::Style;
use crate::suggest;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

/// Prints the parameters of a log: values, changes in flight, defaults; or how they differ from those of another log.
///
/// Blackbox logs have the numbers of their header. If a log has several boots or sessions, each has its own parameters
/// under a heading; --param writes those of the last one, and --diff compares with those of the other log's last one.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    logs: Logs,

    /// Only these parameters; `*` and `?` are wildcards; may be given several times.
    #[arg(long, short, value_name = "NAME", value_delimiter = ',', value_parser = context::name)]
    name: Vec<String>,

    /// Only parameters that changed in flight.
    #[arg(long)]
    changed: bool,

    /// Only parameters that differ from the firmware's defaults, if the log has the defaults.
    #[arg(long)]
    not_default: bool,

    /// Only parameters that differ from those of another log, or of a .param file of a ground station.
    #[arg(long, value_name = "FILE")]
    diff: Option<PathBuf>,

    /// Prints lines NAME,VALUE, as ground stations read them.
    #[arg(long, conflicts_with_all = ["diff", "json"])]
    param: bool,

    /// Writes to a file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,

    #[command(flatten)]
    selection: Selection,
}

#[derive(Serialize)]
struct Row<'r> {
    log: &'r str,
    /// The session, counted from 1.
    session: usize,
    name: &'r str,
    /// The last value in the chosen part of the log; `None` if only the other log has the parameter.
    value: Option<f64>,
    default: Option<f64>,
    /// All values of the session with their times, in seconds of its clock.
    changes: Vec<Change>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Option<f64>>,
}

#[derive(Serialize)]
struct Change {
    time_s: f64,
    value: f64,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    require_stdin_once(arguments.logs.logs.iter().chain(&arguments.diff).map(PathBuf::as_path))?;
    let other = arguments.diff.as_deref().map(parameters::of_file).transpose()?;
    let logs = arguments.logs.sources()?;
    let inputs = logs.paths().chain(arguments.diff.as_deref());
    let mut out = Output::create(arguments.output.as_deref(), inputs, arguments.existing)?;
    let (other, other_outcome) = other.map_or((None, Outcome::Fine), |(other, outcome)| (Some(other), outcome));
    let outcome = logs.for_each(|input| {
        of_log(input, other.as_ref(), arguments, context, &mut out).map_err(|failure| failure.in_(&input.name))
    })?;
    out.finish()?;
    Ok(outcome.max(other_outcome))
}

fn of_log(
    input: &Input,
    other: Option<&Parameters>,
    arguments: &Arguments,
    context: &Context,
    out: &mut Output,
) -> CommandResult {
    let sessions = input.flight.sessions();
    let intervals = arguments.selection.intervals(&sessions)?;
    let found = sessions.iter().zip(&intervals).map(|(session, chosen)| OfSession {
        session: session.number() + 1,
        parameters: parameters::of_session(session, chosen),
    });
    let mut found: Vec<OfSession> = found.filter(|of_session| !of_session.parameters.is_empty()).collect();
    let of_log = || -> BTreeSet<String> {
        let all = sessions.iter().map(|session| parameters::of_session(session, &Intervals::everything()));
        all.flat_map(Parameters::into_keys).collect()
    };
    if found.is_empty() {
        return Err(Failure::new(match of_log().is_empty() {
            true => "the log has no parameters",
            false => "no parameter is in the chosen part of the log",
        }));
    }
    let mut known = found.iter().flat_map(|of_session| &of_session.parameters);
    let lacks_defaults = arguments.not_default && known.all(|(_, parameter)| parameter.default.is_none());
    if lacks_defaults {
        warn(format_args!("{}: the log has no defaults, so --not-default finds nothing", input.name));
    }
    let names = Patterns::new(&arguments.name);
    let known: BTreeSet<&str> =
        found.iter().flat_map(|of_session| of_session.parameters.keys().map(String::as_str)).collect();
    if let Some(pattern) = names.unmatched(known.iter().copied()) {
        let of_log = of_log();
        let known = of_log.iter().map(String::as_str);
        if known.clone().any(|name| patterns::matches(pattern, name)) {
            return Err(Failure::new(format_args!("no value of `{pattern}` is in the chosen part of the log")));
        }
        let hint = suggest::hint(pattern, "it has", known);
        return Err(Failure::new(format_args!("the log has no parameter `{pattern}`; {hint}")));
    }
    match (context.json, arguments.param, input.name_among_several()) {
        (true, ..) => {}
        // Ground stations read that as a comment.
        (_, true, Some(name)) => writeln!(out, "# {name}")?,
        _ => input.print_heading(out)?,
    }
    if arguments.param {
        // A file has each parameter once.
        found.drain(..found.len() - 1);
    }
    let mut has_rows = false;
    for of_session in &found {
        let mut rows = of_session.rows(&input.name, other, &names, arguments).peekable();
        if sessions.len() > 1 && !context.json && rows.peek().is_some() {
            match arguments.param {
                true => writeln!(out, "# session {}", of_session.session)?,
                false => {
                    let heading = format!("session {}", of_session.session);
                    writeln!(out, "{}", Style::Strong.of(heading, context.color))?;
                }
            }
        }
        for row in rows {
            has_rows = true;
            match (context.json, arguments.param, row.value) {
                (true, ..) => json::line(out, &row)?,
                (false, true, Some(value)) => writeln!(out, "{}", parameters::line(row.name, value))?,
                (false, true, None) => {}
                (false, false, _) => print(out, &row, context.color)?,
            }
        }
    }
    if !has_rows && !lacks_defaults {
        warn(format_args!("{}: {}", input.name, nothing(arguments)));
    }
    input.note_sessions(&sessions);
    Ok(Outcome::Fine)
}

/// What to say if no parameter is printed.
fn nothing(arguments: &Arguments) -> String {
    let what = if arguments.name.is_empty() { "no parameter" } else { "no parameter of --name" };
    let does = match (arguments.diff.as_deref(), arguments.changed, arguments.not_default) {
        (Some(other), false, false) => return format!("{what} differs from {}", Source::of(other).name()),
        (None, true, false) if arguments.selection.is_everything() => "changed in flight",
        (None, true, false) => "changed in the chosen part",
        (None, false, true) => "differs from its default",
        _ => "meets all the options",
    };
    format!("{what} {does}")
}

/// The parameters of a session.
struct OfSession {
    /// Counted from 1.
    session: usize,
    parameters: Parameters,
}

impl OfSession {
    /// The rows that are asked for, by name.
    fn rows<'r>(
        &'r self,
        log: &'r str,
        other: Option<&'r Parameters>,
        names: &'r Patterns,
        arguments: &'r Arguments,
    ) -> impl Iterator<Item = Row<'r>> {
        let all: BTreeSet<&String> =
            self.parameters.keys().chain(other.iter().flat_map(|other| other.keys())).collect();
        let rows = all.into_iter().filter(|name| names.contains(name)).map(move |name| {
            let parameter = self.parameters.get(name);
            let changes = parameter.iter().flat_map(|parameter| &parameter.values);
            Row {
                log,
                session: self.session,
                name,
                value: parameter.and_then(Parameter::last),
                default: parameter.and_then(|parameter| parameter.default),
                changes: changes.map(|&(time_us, value)| Change { time_s: time_us as f64 / 1e6, value }).collect(),
                other: other.map(|other| other.get(name).and_then(Parameter::last)),
            }
        });
        rows.filter(|row| {
            (!arguments.changed || row.changes.len() > 1)
                && (!arguments.not_default || row.default.is_some_and(|default| !is_same(Some(default), row.value)))
                && row.other.is_none_or(|other| !is_same(other, row.value))
        })
    }
}

/// Whether two values are the same in a log, which stores them as `f32`, and in a file, which has a few of their digits.
fn is_same(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            one == other || one as f32 == other as f32 || (one - other).abs() <= one.abs() * 1e-6
        }
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// The digits of an `f32`, which logs have; all of a whole number.
fn shown(value: f64) -> String {
    if value.fract() == 0.0 { value.to_string() } else { (value as f32).to_string() }
}

fn print(out: &mut impl Write, row: &Row<'_>, color: bool) -> Result<(), Failure> {
    let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), shown);
    write!(out, "{:<16} {:>14}", Style::Strong.of(on_one_line(row.name), color), shown(row.value))?;
    if let Some(other) = row.other {
        write!(out, "  there {}", shown(other))?;
    }
    if row.default.is_some_and(|default| !is_same(Some(default), row.value)) {
        write!(out, "  default {}", shown(row.default))?;
    }
    if row.changes.len() > 1 {
        let changes: Vec<String> = row
            .changes
            .iter()
            .map(|change| format!("{} at {:.3} s", shown(Some(change.value)), change.time_s))
            .collect();
        write!(out, "  changed: {}", changes.join(", "))?;
    }
    Ok(writeln!(out)?)
}
