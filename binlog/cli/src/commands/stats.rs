//! `binlog stats`: minimum, maximum, mean and deviation of each column.

use super::export::{require, require_instances};
use crate::any_log::Session;
use crate::context::{self, Context, Logs};
use crate::export::choice::Choice;
use crate::export::tables;
use crate::input::{Input, looks_like_log};
use crate::json;
use crate::one_line;
use crate::one_line::on_one_line;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::Output;
use crate::selection::Selection;
use crate::statistics::{self, ColumnStatistics, StateCount};
use crate::style::Style;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// Prints minimum, maximum, mean and standard deviation of each column, and how many values are missing.
///
/// Definitions (FMT, FMTU, UNIT and MULT) are left out unless -t names them. Numbers are in the columns' units: times
/// in seconds, angles in degrees. Values that aren't finite count as missing; records that weren't logged don't. If the
/// log has names for a column's values or bits, those that occur follow the column, with their number of records. With
/// several logs, a line `==> NAME <==` precedes each.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    logs: Logs,

    /// Only these types and columns, separated by commas; in types, `*` and `?` are wildcards:
    /// XK*,ATT.Roll,IMU[0].GyrX. Of Blackbox logs, the types are main, slow, gps and home: main.gyroADC[0].
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',', value_parser = context::name)]
    types: Vec<String>,

    #[command(flatten)]
    selection: Selection,
}

#[derive(Serialize)]
struct Row<'r> {
    log: &'r str,
    session: usize,
    column: &'r str,
    unit: &'r str,
    count: u64,
    missing: u64,
    minimum: Option<f64>,
    maximum: Option<f64>,
    mean: Option<f64>,
    deviation: Option<f64>,
    /// How many records have each named value, and each named bit.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    states: &'r [StateCount],
}

impl<'r> Row<'r> {
    fn of(input: &'r Input, session: &Session<'_>, column: &'r ColumnStatistics) -> Self {
        let ColumnStatistics { name, unit, statistics, states } = column;
        Row {
            log: &input.name,
            session: session.number(),
            column: name,
            unit,
            count: statistics.count,
            missing: statistics.missing,
            minimum: statistics.minimum(),
            maximum: statistics.maximum(),
            mean: statistics.mean(),
            deviation: statistics.deviation(),
            states,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    let mut out = Output::stdout();
    let choice = Choice::of(arguments.types.iter().map(String::as_str));
    arguments.logs.logs.iter().try_for_each(|path| require_no_column(path))?;
    let outcome = arguments.logs.sources()?.for_each(|input| {
        of_log(input, arguments, &choice, context, &mut out).map_err(|failure| failure.context(&input.name))
    })?;
    out.finish()?;
    Ok(outcome)
}

/// For `plot`, columns are typed after the logs.
fn require_no_column(path: &Path) -> Result<(), Failure> {
    let name = path.to_string_lossy();
    let is_column = name.split_once('.').is_some_and(|(of_type, label)| {
        of_type.starts_with(|first: char| first.is_ascii_uppercase()) && label.starts_with(char::is_alphabetic)
    });
    if path.exists() || !is_column || looks_like_log(path) {
        return Ok(());
    }
    let text = "a column is named with -t: binlog stats -t";
    let name = one_line::shown(path);
    Err(Failure::new(format_args!("there is no log `{name}`; {text} {name} flight.bin")))
}

fn of_log(input: &Input, arguments: &Arguments, choice: &Choice, context: &Context, out: &mut Output) -> CommandResult {
    let sessions = input.sessions();
    let intervals = arguments.selection.intervals(&sessions)?;
    if !choice.is_everything() {
        let names: Vec<String> = sessions.iter().flat_map(Session::table_names).collect();
        let mut labels: Vec<_> = sessions.iter().flat_map(tables::labels).collect();
        // Events have no numbers, so they have no table here.
        labels.retain(|(name, _)| names.contains(name));
        require(&choice.unknown(&labels))?;
        require_instances(choice, &sessions)?;
    }
    if !context.json {
        input.print_heading(out)?;
        let heading = ["minimum", "maximum", "mean", "deviation"].map(|text| format!("{text:>14}")).concat();
        let heading = format!("{:<24}{:>9}{:>9}{heading}  unit", "column", "count", "missing");
        writeln!(out, "{}", Style::Faint.of(heading, context.color))?;
    }
    let mut found = Found::default();
    for (session, chosen) in sessions.iter().zip(&intervals).filter(|(_, chosen)| !chosen.is_nothing()) {
        if sessions.len() > 1 && !context.json {
            let heading = format!("session {}", session.number());
            writeln!(out, "{}", Style::Strong.of(heading, context.color))?;
        }
        session.visit_tables(
            |name| choice.has_type(name),
            |table| {
                let of_table = statistics::of_table(table, choice, chosen);
                found.records += of_table.records;
                found.columns += of_table.columns.len();
                let mut rows = of_table.columns.iter().map(|column| Row::of(input, session, column));
                rows.try_for_each(|row| if context.json { json::line(out, &row) } else { print(out, &row) })
            },
        )?;
    }
    match found {
        _ if sessions.is_empty() => {}
        Found { records: 0, .. } => arguments.selection.warn_of_nothing(input, !choice.is_everything()),
        Found { columns: 0, .. } => warn(format_args!("{}: no chosen column has numbers", input.name)),
        _ => {}
    }
    input.note_sessions(&sessions);
    Ok(Outcome::Fine)
}

/// What was chosen.
#[derive(Default)]
struct Found {
    records: usize,
    /// Columns of numbers, which are printed.
    columns: usize,
}

fn print(out: &mut impl Write, row: &Row<'_>) -> Result<(), Failure> {
    write!(out, "{:<24}{:>9}{:>9}", on_one_line(row.column), row.count, row.missing)?;
    for number in [row.minimum, row.maximum, row.mean, row.deviation] {
        write!(out, "{:>14}", number.map_or_else(|| "-".to_owned(), shown))?;
    }
    let unit = on_one_line(row.unit);
    writeln!(out, "{}{unit}", if unit.is_empty() { "" } else { "  " })?;
    for StateCount { name, count, .. } in row.states {
        writeln!(out, "  {:<22}{count:>9}", on_one_line(name))?;
    }
    Ok(())
}

/// Six digits, as `%g` of C prints them.
fn shown(number: f64) -> String {
    let magnitude = number.abs();
    if number == 0.0 {
        return "0".into();
    }
    if !(1e-4..1e9).contains(&magnitude) {
        return format!("{number:.5e}");
    }
    let digits = (5 - magnitude.log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{number:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_digits() {
        for (number, text) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (-123.456789, "-123.457"),
            (123456789.0, "123456789"),
            (0.000123456789, "0.000123457"),
            (1e-7, "1.00000e-7"),
            (100.0, "100"),
        ] {
            assert_eq!(shown(number), text);
        }
    }
}
