//! `binlog texts`: what a log says in words.

use crate::any_log::Session;
use crate::context::{Context, Logs};
use crate::export::time::utc;
use crate::input::Input;
use crate::json;
use crate::one_line::on_one_line;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::Output;
use crate::selection::Selection;
use crate::style::Style;
use crate::texts::level;
use serde::Serialize;
use std::io::Write;

/// Prints the texts of a log (MSG), each whole on one line, with its time in seconds since boot.
///
/// A text that takes several records is joined. With --json, a text has the `level` that the bridges to tracing and log
/// write in front of it, as in `WARN battery: sagging`, and `utc` if the log has GPS time.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    logs: Logs,

    #[command(flatten)]
    selection: Selection,
}

#[derive(Serialize)]
struct Row<'r> {
    log: &'r str,
    session: usize,
    time_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    utc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'static str>,
    text: &'r str,
    /// Whether no part of it is missing before its end.
    is_complete: bool,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    let mut out = Output::stdout();
    let outcome = arguments.logs.sources()?.for_each(|input| {
        of_log(input, &arguments.selection, context, &mut out).map_err(|failure| failure.context(&input.name))
    })?;
    out.finish()?;
    Ok(outcome)
}

fn of_log(input: &Input, selection: &Selection, context: &Context, out: &mut Output) -> CommandResult {
    let sessions = input.sessions();
    let intervals = selection.intervals(&sessions)?;
    if !context.json {
        input.print_heading(out)?;
    }
    let mut count = 0;
    for (session, chosen) in sessions.iter().zip(&intervals).filter(|(_, chosen)| !chosen.is_nothing()) {
        let Some(log) = session.ardupilot() else {
            let text = "a Blackbox log has no texts; `binlog dump --json -t events` prints its events";
            return Err(Failure::absent(text));
        };
        if sessions.len() > 1 && !context.json {
            writeln!(out, "{}", Style::Strong.of(format!("session {}", session.number()), context.color))?;
        }
        for text in log.texts().iter().filter(|text| chosen.contains(text.time_us)) {
            let row = Row {
                log: &input.name,
                session: session.number(),
                time_s: text.time_us as f64 / 1e6,
                utc: date(session, text.time_us),
                level: level(&text.text),
                text: &text.text,
                is_complete: text.is_complete,
            };
            count += 1;
            if context.json { json::line(out, &row)? } else { print(out, &row, context)? }
        }
    }
    if count == 0 {
        let part = if selection.is_everything() { "log has no texts" } else { "chosen part has no texts" };
        warn(format_args!("{}: the {part}", input.name));
    }
    input.note_sessions(&sessions);
    Ok(Outcome::Fine)
}

fn date(session: &Session<'_>, time_us: u64) -> Option<String> {
    utc(session.clock_unix_us()?.checked_add_unsigned(time_us)?)
}

fn print(out: &mut Output, row: &Row<'_>, context: &Context) -> Result<(), Failure> {
    let text = on_one_line(row.text);
    let missing = if row.is_complete { "" } else { " (a part is missing)" };
    write!(out, "{} ", Style::Faint.of(format!("{:>12.6}", row.time_s), context.color))?;
    match row.level {
        Some("ERROR" | "WARN") => writeln!(out, "{}{missing}", Style::Warning.of(text, context.color))?,
        _ => writeln!(out, "{text}{missing}")?,
    }
    Ok(())
}
