//! `binlog stats`: minimum, maximum, mean and deviation of each column.

use crate::arguments::{self, Context, Logs};
use crate::columns::Table;
use crate::dump::Types;
use crate::flight::Session;
use crate::input::{self, Input};
use crate::json;
use crate::outcome::{CommandResult, Failure, Outcome};
use crate::output::Output;
use crate::selection::{Intervals, Selection};
use crate::statistics::Statistics;
use crate::style::Style;
use binlog::Scaling;
use serde::Serialize;
use std::io::Write;

/// Prints minimum, maximum, mean and standard deviation of each column, and how many values are missing.
///
/// Numbers are in the columns' units: times in seconds, angles in degrees. Values that aren't finite are missing.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    logs: Logs,

    /// Only these types, separated by commas; `*` and `?` are wildcards: ATT,XK*. Of Blackbox logs: main, slow, gps, home.
    #[arg(long, short, value_name = "TYPES", value_delimiter = ',', value_parser = arguments::name)]
    types: Vec<String>,

    #[command(flatten)]
    selection: Selection,
}

#[derive(Serialize)]
struct Row<'r> {
    log: &'r str,
    session: usize,
    column: String,
    unit: &'r str,
    count: u64,
    missing: u64,
    minimum: Option<f64>,
    maximum: Option<f64>,
    mean: Option<f64>,
    deviation: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    let mut out = Output::stdout();
    let outcome = input::for_each(&arguments.logs.logs, |input| {
        of_log(input, arguments, context, &mut out).map_err(|failure| failure.in_(&input.name))
    })?;
    out.finish()?;
    Ok(outcome)
}

fn of_log(input: &Input, arguments: &Arguments, context: &Context, out: &mut Output) -> CommandResult {
    let sessions = input.flight.sessions();
    let intervals = arguments.selection.intervals(&sessions)?;
    let types = Types::new(&arguments.types);
    let names: Vec<String> = sessions.iter().flat_map(Session::table_names).collect();
    types.require(names.iter().map(String::as_str))?;
    if !context.json {
        let heading = ["minimum", "maximum", "mean", "deviation"].map(|text| format!("{text:>14}")).concat();
        let heading = format!("{:<24}{:>9}{:>9}{heading}  unit", "column", "count", "missing");
        writeln!(out, "{}", Style::Faint.of(heading, context.color))?;
    }
    for (session, chosen) in sessions.iter().zip(&intervals).filter(|(_, chosen)| !chosen.is_nothing()) {
        for name in session.table_names().iter().filter(|name| types.contains(name)) {
            for table in session.table(name, None)? {
                of_table(input, session, &table, chosen, context, out)?;
            }
        }
    }
    input.set_lost(sessions.iter().any(Session::is_damaged));
    Ok(Outcome::Fine)
}

fn of_table(
    input: &Input,
    session: &Session<'_>,
    table: &Table<'_>,
    chosen: &Intervals,
    context: &Context,
    out: &mut Output,
) -> Result<(), Failure> {
    let instances = table.instance_label().and_then(|label| table.column(label));
    let instance = |row: usize| instances.and_then(|column| column.text(row));
    let mut of_instances: Vec<(Option<String>, Vec<usize>)> = Vec::new();
    for (row, _) in table.times_us().iter().enumerate().filter(|(_, time_us)| chosen.contains(**time_us)) {
        let instance = instance(row);
        match of_instances.iter_mut().find(|(of, _)| *of == instance) {
            Some((_, rows)) => rows.push(row),
            None => of_instances.push((instance, vec![row])),
        }
    }
    of_instances.sort();
    for (instance, rows) in &of_instances {
        let name = match instance {
            Some(instance) => format!("{}[{instance}]", table.name()),
            None => table.name().to_owned(),
        };
        for column in table.columns().iter().filter(|column| column.is_number()) {
            let mut statistics = Statistics::default();
            for &row in rows {
                statistics.add(column.number(row, Scaling::Units).unwrap_or(f64::NAN));
            }
            let row = Row {
                log: &input.name,
                session: session.number() + 1,
                column: format!("{name}.{}", column.label()),
                unit: column.unit(Scaling::Units),
                count: statistics.count,
                missing: statistics.missing,
                minimum: statistics.minimum(),
                maximum: statistics.maximum(),
                mean: statistics.mean(),
                deviation: statistics.deviation(),
            };
            match context.json {
                true => json::line(out, &row)?,
                false => print(out, &row)?,
            }
        }
    }
    Ok(())
}

fn print(out: &mut impl Write, row: &Row<'_>) -> Result<(), Failure> {
    write!(out, "{:<24}{:>9}{:>9}", row.column, row.count, row.missing)?;
    for number in [row.minimum, row.maximum, row.mean, row.deviation] {
        write!(out, "{:>14}", number.map_or_else(|| "-".to_owned(), shown))?;
    }
    let unit = row.unit;
    Ok(writeln!(out, "{}{unit}", if unit.is_empty() { "" } else { "  " })?)
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
