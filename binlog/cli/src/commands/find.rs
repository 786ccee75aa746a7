//! `binlog find`: which columns a word is about.

use crate::arguments::{Context, Logs};
use crate::counted::counted;
use crate::input::{Input, on_one_line};
use crate::json;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::Output;
use crate::patterns;
use crate::style::Style;
use crate::suggest;
use binlog::Scaling;
use serde::Serialize;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;

/// Finds columns by label, type, unit or description: `binlog find roll flight.bin`.
///
/// Upper and lower case are the same. A word with `*`, any text, or `?`, any byte, has to match a whole type, label or
/// column, and isn't compared with units and descriptions: `find 'XK*'`, `find '*.Roll'`. Descriptions are those that the
/// log carries. The exit code is 1 if no log has such a column.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// A part of a label, type or description; a whole unit; or a name with `*` and `?`.
    #[arg(value_name = "WORD")]
    word: String,

    #[command(flatten)]
    logs: Logs,
}

/// A column.
#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    column: String,
    unit: String,
    records: usize,
    description: String,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    let mut out = Output::stdout();
    let mut search = Search { word: arguments.word.to_lowercase(), logs: 0, is_found: false, known: BTreeSet::new() };
    let outcome = arguments.logs.sources()?.for_each(|input| search.in_log(input, context, &mut out))?;
    out.finish()?;
    if search.is_found || search.logs == 0 {
        return Ok(outcome);
    }
    let word = &arguments.word;
    let known = search.known.iter().map(String::as_str);
    let meant = if search.has_wildcards() { None } else { suggest::nearest(word, known) };
    let hint = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
    let what =
        if search.has_wildcards() { "type, label or column matches" } else { "type, label, unit or description has" };
    warn(format_args!("no {what} `{word}`{hint}"));
    Ok(outcome.max(Outcome::Finding))
}

/// A search of all logs for one word.
struct Search {
    /// In lower case.
    word: String,
    /// The logs that were searched.
    logs: usize,
    is_found: bool,
    /// What somebody may have meant.
    known: BTreeSet<String>,
}

/// What a log has, as `--json` prints it.
#[derive(Serialize)]
struct InLog<'f> {
    log: &'f str,
    columns: Vec<&'f Found>,
}

impl Search {
    fn in_log(&mut self, input: &Input, context: &Context, out: &mut Output) -> CommandResult {
        let columns = columns(input);
        self.logs += 1;
        let found: Vec<&Found> = columns.iter().filter(|column| self.is_meant(column)).collect();
        self.is_found |= !found.is_empty();
        if !self.is_found {
            let words = columns.iter().flat_map(|column| column.column.split('.').chain([column.unit.as_str()]));
            self.known.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        }
        if context.json {
            json::line(out, &InLog { log: &input.name, columns: found })?;
        } else if !found.is_empty() {
            print(input, &found, context, out)?;
        }
        Ok(Outcome::Fine)
    }

    fn has_wildcards(&self) -> bool {
        self.word.contains(['*', '?'])
    }

    fn is_meant(&self, found: &Found) -> bool {
        if self.has_wildcards() {
            let column = found.column.to_lowercase();
            let (of_type, label) = column.split_once('.').unwrap_or((&column, ""));
            return [&*column, of_type, label].iter().any(|name| patterns::matches(&self.word, name));
        }
        found.column.to_lowercase().contains(&self.word)
            || found.unit.to_lowercase() == self.word
            || found.description.to_lowercase().contains(&self.word)
    }
}

fn print(input: &Input, found: &[&Found], context: &Context, out: &mut Output) -> Result<(), Failure> {
    writeln!(out, "{}", Style::Strong.of(&input.name, context.color))?;
    let width = |text: fn(&Found) -> &str| found.iter().map(|found| text(found).chars().count()).max().unwrap_or(0);
    let (columns, units) = (width(|found| &found.column), width(|found| &found.unit));
    for Found { column, unit, records, description } in found {
        let records = counted(*records, "record");
        let line = format!("  {column:<columns$}  {unit:<units$}  {records:>17}  {description}");
        writeln!(out, "{}", on_one_line(line.trim_end()))?;
    }
    Ok(())
}

/// All columns of the log. Only definitions are read, and one record of each type.
fn columns(input: &Input) -> Vec<Found> {
    let mut columns = Vec::new();
    let sessions = input.flight.sessions();
    input.note_sessions(&sessions);
    for session in &sessions {
        if let Some(log) = session.ardupilot() {
            let descriptions = log.descriptions();
            for rows in log.types() {
                let described = descriptions.iter().find(|message| message.name == rows.name());
                for label in rows.labels() {
                    let of_column =
                        described.and_then(|message| message.columns.iter().find(|column| column.label == label));
                    let unit = rows.column(label).map(|column| column.unit().to_owned()).unwrap_or_default();
                    columns.push(Found {
                        column: format!("{}.{label}", rows.name()),
                        unit,
                        records: rows.len(),
                        description: of_column.map(|column| column.description.clone()).unwrap_or_default(),
                    });
                }
            }
        } else {
            for table in session.tables() {
                columns.extend(table.columns().iter().map(|column| Found {
                    column: format!("{}.{}", table.name(), column.label()),
                    unit: column.unit(Scaling::Units).to_owned(),
                    records: table.len(),
                    description: String::new(),
                }));
            }
        }
    }
    of_all_sessions(columns)
}

/// Each column once, with the records of all sessions.
fn of_all_sessions(columns: Vec<Found>) -> Vec<Found> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut all: Vec<Found> = Vec::new();
    for column in columns {
        match places.entry(column.column.clone()) {
            Entry::Occupied(place) => all[*place.get()].records += column.records,
            Entry::Vacant(place) => {
                place.insert(all.len());
                all.push(column);
            }
        }
    }
    all
}
