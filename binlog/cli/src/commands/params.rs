//! `binlog params`: the parameters of a log.

mod print;
mod rows;

use crate::any_log::Session;
use crate::context::{self, Context, Logs};
use crate::input::{Input, Source, require_stdin_once};
use crate::intervals::Intervals;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::{Existing, Output};
use crate::parameters::{self, Parameters};
use crate::patterns::{self, Patterns};
use crate::selection::Selection;
use crate::suggest;
use print::Form;
use rows::OfSession;
use std::collections::BTreeSet;
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

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    require_stdin_once(arguments.logs.logs.iter().chain(&arguments.diff).map(PathBuf::as_path))?;
    let other = arguments.diff.as_deref().map(parameters::of_file).transpose()?;
    let logs = arguments.logs.sources()?;
    let inputs = logs.paths().chain(arguments.diff.as_deref());
    let mut out = Output::create(arguments.output.as_deref(), inputs, arguments.existing)?;
    let (other, other_outcome) = other.map_or((None, Outcome::Fine), |(other, outcome)| (Some(other), outcome));
    let outcome = logs.for_each(|input| {
        of_log(input, other.as_ref(), arguments, context, &mut out).map_err(|failure| failure.context(&input.name))
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
    let sessions = input.sessions();
    let mut chosen = chosen(&sessions, arguments)?;
    let lacks_defaults = arguments.not_default && chosen.iter().all(OfSession::lacks_defaults);
    if lacks_defaults {
        warn(format_args!("{}: the log has no defaults, so --not-default finds nothing", input.name));
    }
    let names = Patterns::new(&arguments.name);
    require(&names, &chosen, &sessions)?;
    if arguments.param {
        // A file has each parameter once.
        chosen.drain(..chosen.len() - 1);
    }
    let form = Form::of(arguments, context);
    form.log_heading(input, out)?;
    let mut has_rows = false;
    for of_session in &chosen {
        let mut rows = of_session.rows(&input.name, other, &names, arguments).peekable();
        if sessions.len() > 1 && rows.peek().is_some() {
            form.session_heading(of_session.session, out)?;
        }
        for row in rows {
            has_rows = true;
            form.row(&row, out)?;
        }
    }
    if !has_rows && !lacks_defaults {
        warn(format_args!("{}: {}", input.name, nothing(arguments)));
    }
    input.note_sessions(&sessions);
    Ok(Outcome::Fine)
}

/// The sessions that have parameters in the chosen part of the log: at least one.
fn chosen(sessions: &[Session<'_>], arguments: &Arguments) -> Result<Vec<OfSession>, Failure> {
    let intervals = arguments.selection.intervals(sessions)?;
    let all = sessions.iter().zip(&intervals).map(|(session, chosen)| OfSession {
        session: session.number(),
        parameters: parameters::of_session(session, chosen),
    });
    let chosen: Vec<OfSession> = all.filter(|of_session| !of_session.parameters.is_empty()).collect();
    match chosen.is_empty() {
        true if of_whole_log(sessions).is_empty() => Err(Failure::new("the log has no parameters")),
        true => Err(Failure::new("no parameter is in the chosen part of the log")),
        false => Ok(chosen),
    }
}

/// The names of all parameters of a log.
fn of_whole_log(sessions: &[Session<'_>]) -> BTreeSet<String> {
    let all = sessions.iter().map(|session| parameters::of_session(session, &Intervals::everything()));
    all.flat_map(Parameters::into_keys).collect()
}

/// A name that no chosen parameter has is a mistake.
fn require(names: &Patterns, chosen: &[OfSession], sessions: &[Session<'_>]) -> Result<(), Failure> {
    let known: BTreeSet<&str> =
        chosen.iter().flat_map(|of_session| of_session.parameters.keys().map(String::as_str)).collect();
    let Some(pattern) = names.unmatched(known.iter().copied()) else { return Ok(()) };
    let of_log = of_whole_log(sessions);
    let known = of_log.iter().map(String::as_str);
    if known.clone().any(|name| patterns::matches(pattern, name)) {
        return Err(Failure::new(format_args!("no value of `{pattern}` is in the chosen part of the log")));
    }
    let hint = suggest::hint(pattern, "it has", known);
    Err(Failure::new(format_args!("the log has no parameter `{pattern}`; {hint}")))
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
