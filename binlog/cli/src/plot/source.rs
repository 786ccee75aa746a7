//! The columns of a session, for expressions.

use super::expression::{ColumnName, MissingColumn, Samples, Source};
use crate::any_log::Session;
use crate::columns::names;
use crate::outcome::Failure;
use binlog::{Log, Scaling};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// A session's columns. Numbers of ArduPilot logs are those that pymavlink shows, for which graphs of MAVExplorer are
/// written; numbers of Blackbox logs are in their units.
pub struct SessionColumns<'s> {
    session: &'s Session<'s>,
    /// The times of each table, which all of its columns share.
    times: RefCell<HashMap<String, Arc<[u64]>>>,
}

impl<'s> SessionColumns<'s> {
    /// The columns of a session.
    pub fn new(session: &'s Session<'s>) -> Self {
        SessionColumns { session, times: RefCell::default() }
    }

    /// The instances of a type, if it has several and the name selects none.
    pub fn instances(&self, table: &str) -> Vec<String> {
        let rows = self.session.ardupilot().filter(|_| !table.contains('[')).and_then(|log| log.rows(table).ok());
        let is_separated =
            |rows: &binlog::log::Rows<'_>| rows.definitions().any(|definition| definition.instance_column().is_some());
        let Some(rows) = rows.filter(is_separated) else { return Vec::new() };
        let mut instances: Vec<String> = rows.instances().iter().map(ToString::to_string).collect();
        instances.sort_by_key(|instance| (instance.parse::<u64>().unwrap_or(u64::MAX), instance.clone()));
        if instances.len() > 1 { instances } else { Vec::new() }
    }

    fn times(&self, table: &str, times: impl FnOnce() -> Vec<u64>) -> Arc<[u64]> {
        self.times.borrow_mut().entry(table.to_owned()).or_insert_with(|| times().into()).clone()
    }

    fn of_ardupilot(&self, log: &Log<'_>, name: &ColumnName) -> Result<Samples, Failure> {
        let full = name.to_string();
        let (rows, label) = log.select(&full)?;
        let column = rows.column(label)?;
        if rows.is_empty() {
            return Err(Failure::new(format_args!("the log has no record of {}", rows.name())));
        }
        let Some(values) = column.to_f64(Scaling::Shown) else {
            return Err(names::no_numbers(&full));
        };
        let table = rows.name().to_owned();
        let times_us = self.times(&table, || rows.times_us());
        let (unit, names) = (column.shown_unit().to_owned(), column.value_names().cloned());
        Ok(Samples { times_us, values, unit, names, table })
    }

    fn of_blackbox(&self, name: &ColumnName) -> Result<Samples, Failure> {
        let tables = match &name.table {
            Some(table) => vec![table.clone()],
            None => self.session.table_names(),
        };
        for table in tables {
            for table in self.session.table(&table, Some(&[&name.label]))? {
                if let Some(column) = table.columns().first()
                    && let Some(values) = column.numbers(Scaling::Units)
                {
                    let times_us = self.times(table.name(), || table.times_us().to_vec());
                    let unit = column.unit(Scaling::Units).to_owned();
                    return Ok(Samples { table: table.name().to_owned(), times_us, values, unit, names: None });
                }
            }
        }
        // Its error says what there is, and what may be meant.
        self.session.series(&name.to_string(), Scaling::Units).map(|series| Samples {
            table: series.name,
            times_us: series.times_us.into(),
            values: series.values,
            unit: series.unit,
            names: None,
        })
    }
}

impl Source for SessionColumns<'_> {
    fn samples(&self, name: &ColumnName) -> Result<Samples, MissingColumn> {
        let samples = match self.session.ardupilot() {
            Some(log) => self.of_ardupilot(log, name),
            None => self.of_blackbox(name),
        };
        samples.map_err(|failure| MissingColumn(failure.to_string()))
    }
}
