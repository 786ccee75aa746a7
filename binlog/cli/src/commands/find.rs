//! `binlog find`: which columns a word is about.

use crate::any_log::Session;
use crate::columns::names;
use crate::context::{Context, Logs};
use crate::counted::counted;
use crate::input::{Input, in_a_shell, is_log_file};
use crate::json;
use crate::one_line::on_one_line;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::Output;
use crate::patterns;
use crate::style::Style;
use crate::suggest;
use binlog::Scaling;
use binlog::log::DescribedMessage;
use binlog::log::{Column, Rows};
use serde::Serialize;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::Path;

/// Finds columns by label, type, unit, description or state: `binlog find roll flight.bin`.
///
/// Upper and lower case are the same. The wildcards `*` (any text) and `?` (any byte) match whole types, labels and
/// columns only: `find 'XK*'`, `find '*.Roll'`. Descriptions and states (the names of values and bits) are those in the
/// log. A type is listed if its description has the word. `IMU[0]` and `IMU[0].GyrX` are an instance and its column.
/// The exit code is 1 if no log has such a column.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// A part of a label, type, description or state; a whole unit; or a name with `*` and `?`.
    #[arg(value_name = "WORD")]
    word: String,

    #[command(flatten)]
    logs: Logs,
}

/// A column, or a type with a description.
#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Found {
    column: String,
    unit: String,
    /// The unit of the numbers in exports and plots, which are those that pymavlink shows.
    shown_unit: String,
    records: usize,
    description: String,
    /// The names of its values and bits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
    /// Whether it is a type of messages, which only its description is compared with.
    #[serde(skip)]
    is_type: bool,
}

impl Found {
    /// The unit, and what the numbers of exports and plots are in, if that is another.
    fn units(&self) -> String {
        match self.shown_unit.as_str() {
            shown if shown == self.unit => self.unit.clone(),
            // The log has no FMTU; the label says what a time is in.
            "" => format!("{}, shown as logged", self.unit),
            shown => format!("{}, shown in {shown}", self.unit),
        }
    }

    /// Adds what another session has of the same column.
    fn add(&mut self, other: Found) {
        self.records += other.records;
        if self.description.is_empty() {
            self.description = other.description;
        }
        let new: Vec<String> = other.names.into_iter().filter(|name| !self.names.contains(name)).collect();
        self.names.extend(new);
    }

    /// What the log says about it: the description, and the names of values and bits.
    fn about(&self) -> String {
        let about = [self.description.clone(), self.names.join(", ")];
        about.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    require_word_first(arguments)?;
    let mut out = Output::stdout();
    let word = &arguments.word;
    let mut search =
        Search { given: word, word: word.to_lowercase(), logs: 0, is_found: false, known: BTreeSet::new() };
    let outcome = arguments.logs.sources()?.for_each(|input| search.in_log(input, context, &mut out))?;
    out.finish()?;
    if search.is_found || search.logs == 0 {
        return Ok(outcome);
    }
    let known = search.known.iter().map(String::as_str);
    let meant = if search.has_wildcards() { None } else { suggest::nearest(word, known) };
    let hint = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
    let what = if search.has_wildcards() {
        "type, label or column matches"
    } else {
        "type, label, unit, description or state has"
    };
    warn(format_args!("no {what} `{word}`{hint}"));
    Ok(outcome.max(Outcome::Finding))
}

/// A log in the place of the word is a mistake if what follows isn't a file.
fn require_word_first(arguments: &Arguments) -> Result<(), Failure> {
    let (log, word) = (Path::new(&arguments.word), arguments.logs.logs.first());
    let Some(word) = word.filter(|word| *word != Path::new("-") && !word.exists()) else { return Ok(()) };
    if !log.is_dir() && !is_log_file(log).unwrap_or(false) {
        return Ok(());
    }
    let (log, word) = (in_a_shell(log), in_a_shell(word));
    Err(Failure::new(format_args!("{log} is a log; the word comes first: binlog find {word} {log}")))
}

/// A search of all logs for one word.
struct Search<'w> {
    given: &'w str,
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

impl Search<'_> {
    fn in_log(&mut self, input: &Input, context: &Context, out: &mut Output) -> CommandResult {
        let sessions = input.sessions();
        input.note_sessions(&sessions);
        let columns = columns(&sessions);
        self.logs += 1;
        let mut found: Vec<&Found> = columns.iter().filter(|column| self.is_meant(column)).collect();
        let of_instance = if found.is_empty() { of_instance(&sessions, self.given) } else { Vec::new() };
        found.extend(&of_instance);
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
            return !found.is_type && [&*column, of_type, label].iter().any(|name| patterns::matches(&self.word, name));
        }
        !found.is_type && found.column.to_lowercase().contains(&self.word)
            || [&found.unit, &found.shown_unit].iter().any(|unit| unit.to_lowercase() == self.word)
            || [&found.description].into_iter().chain(&found.names).any(|text| text.to_lowercase().contains(&self.word))
    }
}

fn print(input: &Input, found: &[&Found], context: &Context, out: &mut Output) -> Result<(), Failure> {
    writeln!(out, "{}", Style::Strong.of(&input.name, context.color))?;
    let width = |text: fn(&Found) -> &str| found.iter().map(|found| text(found).chars().count()).max().unwrap_or(0);
    let units: Vec<String> = found.iter().map(|found| found.units()).collect();
    let of_units = units.iter().map(|units| units.chars().count()).max().unwrap_or(0);
    let of_columns = width(|found| &found.column);
    for (found, units) in found.iter().zip(units) {
        let (column, records, about) = (&found.column, counted(found.records, "record"), found.about());
        let line = format!("  {column:<of_columns$}  {units:<of_units$}  {records:>17}  {about}");
        writeln!(out, "{}", on_one_line(line.trim_end()))?;
    }
    Ok(())
}

/// All columns of the log. Only definitions are read, and one record of each type.
fn columns(sessions: &[Session<'_>]) -> Vec<Found> {
    let mut columns = Vec::new();
    for session in sessions {
        if let Some(log) = session.ardupilot() {
            let descriptions = log.descriptions();
            columns.extend(log.types().filter_map(|rows| of_type(&rows, &descriptions)));
            columns.extend(log.types().flat_map(|rows| of_rows(&rows, &descriptions)));
        } else {
            for table in session.tables() {
                columns.extend(table.columns().iter().map(|column| Found {
                    column: format!("{}.{}", table.name(), column.label()),
                    unit: column.unit(Scaling::Units).to_owned(),
                    shown_unit: column.unit(Scaling::Units).to_owned(),
                    records: table.len(),
                    ..Found::default()
                }));
            }
        }
    }
    of_all_sessions(columns)
}

/// The columns of one instance, `IMU[0]`, or one of them, `IMU[0].GyrX`.
fn of_instance(sessions: &[Session<'_>], word: &str) -> Vec<Found> {
    let Some((of_type, rest)) = word.split_once('[') else { return Vec::new() };
    let (instance, label) = match rest.split_once("].") {
        Some((instance, label)) => (instance, Some(label)),
        None => (rest.strip_suffix(']').unwrap_or_default(), None),
    };
    let mut columns = Vec::new();
    for log in sessions.iter().filter_map(Session::ardupilot) {
        let types = log.types().filter(|rows| rows.name().eq_ignore_ascii_case(of_type));
        for rows in types.filter_map(|rows| rows.instance(instance).ok()) {
            columns.extend(of_rows(&rows, &log.descriptions()));
        }
    }
    let is_meant = |column: &Found| {
        let own = column.column.rsplit_once('.').map(|(_, own)| own);
        label.is_none_or(|label| own.is_some_and(|own| own.eq_ignore_ascii_case(label)))
    };
    columns.retain(is_meant);
    of_all_sessions(columns)
}

/// The type itself, if the log describes it.
fn of_type(rows: &Rows<'_>, descriptions: &[DescribedMessage]) -> Option<Found> {
    let described =
        descriptions.iter().find(|message| message.name == rows.name() && !message.description.is_empty())?;
    let (column, description) = (described.name.clone(), described.description.clone());
    Some(Found { column, records: rows.len(), description, is_type: true, ..Found::default() })
}

/// The columns of a type or an instance.
fn of_rows(rows: &Rows<'_>, descriptions: &[DescribedMessage]) -> Vec<Found> {
    // Rows of an instance have its number in their name.
    let of_type = rows.definitions().next().map(|definition| definition.name());
    let described = descriptions.iter().find(|message| Some(message.name.as_str()) == of_type);
    let found = |label: String| {
        let of_column = described.and_then(|message| message.columns.iter().find(|column| column.label == label));
        let column = rows.column(&label);
        let [unit, shown_unit] = match &column {
            Ok(column) => [column.unit(), column.shown_unit()].map(str::to_owned),
            Err(_) => Default::default(),
        };
        let names = column.as_ref().ok().and_then(Column::value_names);
        let named = names.into_iter().flat_map(|names| names.values().iter().chain(names.bits()));
        Found {
            column: format!("{}.{label}", rows.name()),
            unit,
            shown_unit,
            records: rows.len(),
            description: of_column.map(|column| column.description.clone()).unwrap_or_default(),
            names: named.map(|named| named.name.clone()).filter(|name| !name.is_empty()).collect(),
            is_type: false,
        }
    };
    names::of_columns(rows).into_iter().map(found).collect()
}

/// Each column once, with the records and names of all sessions.
fn of_all_sessions(columns: Vec<Found>) -> Vec<Found> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut all: Vec<Found> = Vec::new();
    for column in columns {
        match places.entry(column.column.clone()) {
            Entry::Occupied(place) => all[*place.get()].add(column),
            Entry::Vacant(place) => {
                place.insert(all.len());
                all.push(column);
            }
        }
    }
    all
}
