//! The tables of a session: one face of both formats, for analysis and export.
//!
//! An ArduPilot log has a table for each type, `ATT`, and for each instance of it, `IMU[0]`. A Blackbox log has the
//! tables `main`, `slow`, `gps` and `home`, and one for each letter that only its header defines.
//!
//! ```no_run
//! # use binlog_cli::{input::Input, outcome::Failure};
//! use binlog::Scaling;
//! # fn example(input: &Input) -> Result<(), Failure> {
//! for session in input.sessions() {
//!     for table in session.tables() {
//!         println!("{}: {} rows", table.name(), table.len());
//!         for column in table.columns() {
//!             println!("  {} in {}", column.label(), column.unit(Scaling::Units));
//!         }
//!     }
//!     let roll = session.series("ATT.Roll", Scaling::Units)?;
//! }
//! # Ok(())
//! # }
//! ```

pub(crate) mod names;
mod series;

pub use series::Series;

use crate::any_log::Session;
use crate::outcome::Failure;
use binlog::log::{Rows, ValueNames, Values};
use binlog::{Format, LoggedDefinition, Scaling, blackbox};
use std::borrow::Cow;
use std::fmt;

/// Rows with a time each, and their columns.
#[derive(Clone)]
pub struct Table<'s> {
    name: String,
    instance_label: Option<String>,
    times_us: Cow<'s, [u64]>,
    columns: Vec<Column<'s>>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column<'s> {
    /// Its label; `A_2` if it is the second one with the label `A`.
    name: String,
    source: Source<'s>,
}

#[derive(Clone, Debug)]
enum Source<'s> {
    ArduPilot(binlog::log::Column),
    Blackbox(&'s blackbox::log::Column),
}

impl<'s> Table<'s> {
    /// Its name: `ATT`, `IMU[0]`, `main`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The label of the column that separates instances, if the log says that there is one.
    pub fn instance_label(&self) -> Option<&str> {
        self.instance_label.as_deref()
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.times_us.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.times_us.is_empty()
    }

    /// The times of the rows in microseconds of the session's clock. A row without a time has that of the record
    /// before.
    pub fn times_us(&self) -> &[u64] {
        &self.times_us
    }

    /// The columns, in the order of the record.
    pub fn columns(&self) -> &[Column<'s>] {
        &self.columns
    }

    /// The first column with this label.
    pub fn column(&self, label: &str) -> Option<&Column<'s>> {
        self.columns.iter().find(|column| column.label() == label)
    }
}

impl fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<&str> = self.columns.iter().map(Column::label).collect();
        f.debug_struct("Table")
            .field("name", &self.name)
            .field("len", &self.len())
            .field("labels", &labels)
            .finish_non_exhaustive()
    }
}

impl Column<'_> {
    /// Its label: `Roll`, `gyroADC[0]`. Labels that are the same in a damaged definition get numbers: `A`, `A_2`,
    /// `A_3`.
    pub fn label(&self) -> &str {
        &self.name
    }

    /// The unit of its numbers in a scaling; empty if it has none or if the log doesn't say it. Stored numbers have no
    /// unit, and the shown numbers of Blackbox logs are the stored ones.
    pub fn unit(&self, scaling: Scaling) -> &str {
        match (&self.source, scaling) {
            (Source::ArduPilot(column), Scaling::Shown) => column.shown_unit(),
            (Source::ArduPilot(column), Scaling::Units) => column.unit(),
            (Source::Blackbox(column), Scaling::Units) => column.unit(),
            _ => "",
        }
    }

    /// How an ArduPilot log stores it; `None` for a Blackbox log, whose values are integers of 32 bits.
    pub fn format(&self) -> Option<Format> {
        match &self.source {
            Source::ArduPilot(column) => Some(column.format()),
            Source::Blackbox(_) => None,
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.values().len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values().is_empty()
    }

    /// The values as stored, in their native type.
    pub fn values(&self) -> &Values {
        match &self.source {
            Source::ArduPilot(column) => column.values(),
            Source::Blackbox(column) => column.values(),
        }
    }

    /// Whether its values are numbers: no texts, no arrays.
    pub fn is_number(&self) -> bool {
        !matches!(self.values(), Values::Chars4(_) | Values::Chars16(_) | Values::Chars64(_) | Values::I16x32(_))
    }

    /// The number of a row; `None` for text and arrays, and beyond the end.
    #[inline]
    pub fn number(&self, row: usize, scaling: Scaling) -> Option<f64> {
        match (&self.source, scaling) {
            (Source::ArduPilot(column), _) => column.number(row, scaling),
            (Source::Blackbox(column), Scaling::Units) => column.number(row, Scaling::Units),
            (Source::Blackbox(column), _) => column.number(row, Scaling::Stored),
        }
    }

    /// All numbers; `None` for text and arrays.
    pub fn numbers(&self, scaling: Scaling) -> Option<Vec<f64>> {
        match (&self.source, scaling) {
            (Source::ArduPilot(column), _) => column.to_f64(scaling),
            (Source::Blackbox(column), Scaling::Units) => Some(column.to_f64(Scaling::Units)),
            (Source::Blackbox(column), _) => Some(column.to_f64(Scaling::Stored)),
        }
    }

    /// What the log calls its values or bits; `None` if it doesn't say, and of Blackbox logs.
    pub fn value_names(&self) -> Option<&ValueNames> {
        match &self.source {
            Source::ArduPilot(column) => column.value_names(),
            Source::Blackbox(_) => None,
        }
    }

    /// The stored integer of a row; `None` for other values and beyond the end.
    pub fn integer(&self, row: usize) -> Option<i128> {
        match &self.source {
            Source::ArduPilot(column) => column.get(row)?.to_integer(),
            Source::Blackbox(column) => column.get(row).map(i128::from),
        }
    }

    /// The value of a row as text, as `dump` prints it; `None` beyond the end.
    pub fn text(&self, row: usize) -> Option<String> {
        match &self.source {
            Source::ArduPilot(column) => Some(column.get(row)?.to_string()),
            Source::Blackbox(column) => Some(column.get(row)?.to_string()),
        }
    }
}

impl<'a> Session<'a> {
    /// The names of its tables that have rows, in the order of their definitions: types and frames, without instances.
    /// Nothing but an ArduPilot log's index is built for that; of a Blackbox log, all frames are decoded.
    pub fn table_names(&self) -> Vec<String> {
        match self.ardupilot() {
            Some(log) => log.types().map(|rows| rows.name().to_owned()).collect(),
            None => self.frames().map(|table| table.name()).collect(),
        }
    }

    /// All tables that have rows, decoded by as many threads as there are processors. A type that the log redefines has
    /// several tables of one name.
    pub fn tables(&self) -> Vec<Table<'_>> {
        match self.ardupilot() {
            Some(log) => {
                let table = |table: binlog::log::Table<'_>| {
                    let names = table.definition().distinct_labels();
                    Table {
                        name: table.name().to_owned(),
                        instance_label: instance_label(&table.definition(), &names),
                        times_us: table.rows().times_us().into(),
                        columns: names
                            .into_iter()
                            .zip(table.into_columns())
                            .map(|(name, column)| Column { name, source: Source::ArduPilot(column) })
                            .collect(),
                    }
                };
                log.tables().into_iter().map(table).collect()
            }
            None => self.frames().map(|table| of_frames(table, |_| true)).collect(),
        }
    }

    /// The tables of one type, of one instance of it (`IMU[0]`), or of one kind of frame: one, or several if the log
    /// redefines the type. Only the columns with a label in `labels` are decoded, or all without it.
    ///
    /// # Errors
    ///
    /// If there is no such table, with a suggestion. A label that a table lacks is not an error.
    pub fn table(&self, name: &str, labels: Option<&[&str]>) -> Result<Vec<Table<'_>>, Failure> {
        let is_wanted = |label: &str| labels.is_none_or(|labels| labels.contains(&label));
        match self.ardupilot() {
            Some(log) => of_rows(&log.rows(name)?, is_wanted),
            None => Ok(vec![of_frames(self.frames_named(name)?, is_wanted)]),
        }
    }

    /// Calls `visit` with each table that has rows, in the order of the definitions. One type is decoded after the
    /// other, so that only one is in memory, and only those whose name is chosen.
    ///
    /// # Errors
    ///
    /// Those of `visit`, which end the visits.
    pub fn visit_tables(
        &self,
        is_chosen: impl Fn(&str) -> bool,
        mut visit: impl FnMut(&Table<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self.ardupilot() {
            // The names of a damaged log may look like that of an instance, `X[Q]`, so no type is looked up by its
            // name.
            Some(log) => log
                .types()
                .filter(|rows| is_chosen(rows.name()))
                .try_for_each(|rows| of_rows(&rows, |_| true)?.iter().try_for_each(&mut visit)),
            None => self
                .frames()
                .filter(|table| is_chosen(&table.name()))
                .try_for_each(|table| visit(&of_frames(table, |_| true))),
        }
    }

    /// The frames of a Blackbox log that have rows.
    fn frames(&self) -> impl Iterator<Item = &blackbox::log::Table> {
        let tables = self.blackbox().map(|(_, tables)| tables.tables()).unwrap_or_default();
        tables.iter().filter(|table| !table.is_empty())
    }

    fn frames_named(&self, name: &str) -> Result<&blackbox::log::Table, Failure> {
        let table = names::letter_of(name).and_then(|letter| self.blackbox()?.1.table(letter));
        table.ok_or_else(|| names::no_table(name, &self.table_names()))
    }
}

fn of_frames(table: &blackbox::log::Table, is_wanted: impl Fn(&str) -> bool) -> Table<'_> {
    let columns = table.columns().iter().filter(|column| is_wanted(column.name()));
    Table {
        name: table.name(),
        instance_label: None,
        times_us: table.times_us().into(),
        columns: columns
            .map(|column| Column { name: column.name().to_owned(), source: Source::Blackbox(column) })
            .collect(),
    }
}

fn of_rows<'s>(rows: &Rows<'_>, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Table<'s>>, Failure> {
    let mut tables = Vec::new();
    for rows in rows.by_definition() {
        let Some(definition) = rows.definitions().next() else { continue };
        let names = definition.distinct_labels();
        let instance_label = instance_label(&definition, &names);
        let mut columns = Vec::new();
        for (place, name) in names.into_iter().enumerate().filter(|(_, name)| is_wanted(name)) {
            columns.push(Column { name, source: Source::ArduPilot(rows.column_at(place)?) });
        }
        tables.push(Table { name: rows.name().to_owned(), instance_label, times_us: rows.times_us().into(), columns });
    }
    Ok(tables)
}

/// The name of the column that separates instances.
fn instance_label(definition: &LoggedDefinition<'_>, names: &[String]) -> Option<String> {
    let instance = definition.instance_column()?;
    let place = definition.columns().position(|column| column.offset == instance.offset)?;
    names.get(place).cloned()
}
