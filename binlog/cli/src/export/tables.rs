//! The chosen tables of a session, of either format.

use super::blackbox;
use super::choice::Choice;
use super::chosen_table::{ChosenTable, Describe};
use crate::any_log::Session;
use crate::columns::names;
use crate::intervals::Intervals;
use crate::texts::Joined;
use binlog::Log;
use binlog::log::DescribedMessage;
use binlog::log::Rows;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::mpsc;
use std::thread;

/// Calls `visit` with the chosen columns of each type that has records in the intervals, one type after the other, in
/// the order of the definitions. A type that the log redefines comes once for each definition.
///
/// # Errors
///
/// Those of `visit`, which end the visits.
pub fn visit<E>(
    session: &Session<'_>,
    choice: &Choice,
    intervals: &Intervals,
    mut visit: impl FnMut(ChosenTable) -> Result<(), E>,
) -> Result<(), E> {
    if let Some((session, tables)) = session.blackbox() {
        for mut table in blackbox::tables(session, tables, choice) {
            table.keep_intervals(intervals);
            if !table.is_empty() {
                visit(table)?;
            }
        }
        return Ok(());
    }
    let Some(log) = session.ardupilot() else { return Ok(()) };
    let descriptions = Descriptions::of(log);
    for rows in log.types().filter(|rows| choice.has_type(rows.name())) {
        for rows in rows.by_definition() {
            let name = rows.name().to_owned();
            let mut table = ChosenTable::of_rows(&rows, &descriptions, |label| choice.has_column(&name, label));
            if name == "MSG" {
                table.join_texts(&Joined::of(log).parts(&rows));
            }
            choice.keep_instances(&mut table);
            table.keep_intervals(intervals);
            if !table.is_empty() {
                visit(table)?;
            }
        }
    }
    Ok(())
}

/// Logs with more bytes are decoded by a thread. Its allocations have an area of their own, in which many short logs
/// would leave gaps.
const LONG: usize = 8 << 20;

/// Calls `each` with every table of all sessions, each session with its intervals, in the order of [`visit`]. Of a long
/// log, a thread decodes the next table meanwhile, so two are in memory at a time.
///
/// # Errors
///
/// The first that `each` returns.
pub fn visit_all<E>(
    sessions: &[Session<'_>],
    intervals: &[Intervals],
    choice: &Choice,
    mut each: impl FnMut(&Session<'_>, ChosenTable) -> Result<(), E>,
) -> Result<(), E> {
    let all = || sessions.iter().zip(intervals);
    let is_long = sessions.iter().map(|session| session.range().len()).sum::<usize>() > LONG;
    thread::scope(|scope| {
        let (decoded, tables) = mpsc::sync_channel(0);
        let decode = move || {
            all().try_for_each(|(session, intervals)| {
                // After an error, the receiver is gone.
                visit(session, choice, intervals, |table| decoded.send((session, table)).map_err(|_| ()))
            })
        };
        if is_long && thread::Builder::new().spawn_scoped(scope, decode).is_ok() {
            return tables.into_iter().try_for_each(|(session, table)| each(session, table));
        }
        all().try_for_each(|(session, intervals)| visit(session, choice, intervals, |table| each(session, table)))
    })
}

/// All that [`visit`] visits.
pub fn tables(session: &Session<'_>, choice: &Choice, intervals: &Intervals) -> Vec<ChosenTable> {
    let mut tables = Vec::new();
    let visited = visit(session, choice, intervals, |table| {
        tables.push(table);
        Ok::<(), Infallible>(())
    });
    match visited {
        Ok(()) => tables,
    }
}

/// The records of the type with exactly this name, which may be `X[Q]` in a damaged log; `None` without records.
pub(super) fn rows_named<'l>(log: &'l Log<'_>, name: &str) -> Option<Rows<'l>> {
    log.types().find(|rows| rows.name() == name)
}

/// The types with records, and their labels: what a choice can name.
pub fn labels(session: &Session<'_>) -> Vec<(String, Vec<String>)> {
    match session.ardupilot() {
        Some(log) => log.types().map(|rows| (rows.name().to_owned(), names::of_columns(&rows))).collect(),
        None => {
            let labels =
                |table: ChosenTable| (table.name, table.columns.into_iter().map(|column| column.label).collect());
            tables(session, &Choice::default(), &Intervals::everything()).into_iter().map(labels).collect()
        }
    }
}

/// What a log says about its types: the file `LogMessages.xml` in it, if there is one.
struct Descriptions(HashMap<String, DescribedMessage>);

impl Descriptions {
    fn of(log: &Log<'_>) -> Self {
        let described = log.descriptions().into_iter();
        Descriptions(described.map(|message| (message.name.clone(), message)).collect())
    }
}

impl Describe for Descriptions {
    fn of_type(&self, name: &str) -> String {
        self.0.get(name).map(|message| message.description.clone()).unwrap_or_default()
    }

    fn of_column(&self, name: &str, label: &str) -> String {
        let mut columns = self.0.get(name).into_iter().flat_map(|message| &message.columns);
        let column = columns.find(|column| column.label == label);
        column.map(|column| column.description.clone()).unwrap_or_default()
    }
}
