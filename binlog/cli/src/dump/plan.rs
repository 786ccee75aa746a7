//! How the records of one definition are printed: what is known before the first of them.

use binlog::log::ValueNames;
use binlog::{Format, Log, LoggedDefinition, Value};
use std::borrow::Cow;

/// How the records of one definition are printed.
#[derive(Debug)]
pub(super) struct Plan {
    /// The type's name.
    pub(super) name: String,
    /// Whether its records are printed.
    pub(super) is_chosen: bool,
    /// Whether the clock takes its records' times. A record without a time gets the last of them.
    pub(super) is_timed: bool,
    /// Where records have their time.
    pub(super) time: Time,
    /// The labels and cells of its columns.
    pub(super) columns: Vec<(String, Cell)>,
    /// What stands before each column and after the last one.
    pub(super) between: Vec<Vec<u8>>,
    /// Of each column, what the log calls its values; empty if numbers are printed.
    pub(super) names: Vec<Option<ValueNames>>,
}

/// The time of a record, as pymavlink finds it: by the label of the first column, with any format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Time {
    /// TimeUS.
    Micros(Cell),
    /// TimeMS.
    Millis(Cell),
    /// The first column is another one.
    None,
    /// The record has no columns.
    NoColumns,
}

/// One value of a record: how and where it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) format: Format,
    /// Its offset in the payload.
    pub(super) at: usize,
    /// Whether it is raw bytes: the contents of a file, which pymavlink doesn't decode.
    pub(super) is_raw: bool,
}

impl Plan {
    pub(super) fn new(definition: &LoggedDefinition<'_>) -> Self {
        let name = definition.name().to_owned();
        let logged: Vec<_> = definition.columns().collect();
        let cell = |label: &str| {
            // Of several columns with one label, pymavlink shows the last one in each place.
            let column = logged.iter().rev().find(|column| column.label == label)?;
            let is_raw = name == "FILE" && column.format == Format::Chars64;
            Some((label.to_owned(), Cell { format: column.format, at: column.offset, is_raw }))
        };
        let columns: Vec<_> = logged.iter().filter_map(|column| cell(column.label)).collect();
        let time = match columns.first() {
            Some((label, cell)) if label == "TimeUS" => Time::Micros(*cell),
            Some((label, cell)) if label == "TimeMS" => Time::Millis(*cell),
            Some(_) => Time::None,
            None => Time::NoColumns,
        };
        let names = Vec::new();
        Plan { is_chosen: true, is_timed: true, time, columns, between: Vec::new(), names, name }
    }

    /// Prints the names that the log has for values.
    pub(super) fn name_values(&mut self, log: &Log<'_>, definition: &LoggedDefinition<'_>) {
        let names = |(label, cell): &(String, Cell)| {
            let column = definition.columns().find(|column| column.label == label && column.offset == cell.at)?;
            log.value_names(&self.name, &column)
        };
        self.names = self.columns.iter().map(names).collect();
        if self.names.iter().all(Option::is_none) {
            self.names.clear();
        }
    }

    /// The name of a column's value, if the log has one and it is wanted.
    #[inline]
    pub(super) fn value_name(&self, place: usize, payload: &[u8]) -> Option<Cow<'_, str>> {
        let (names, (_, cell)) = (self.names.get(place)?.as_ref()?, self.columns.get(place)?);
        names.of(Value::of(cell.format, payload.get(cell.at..)?)?.to_integer()?)
    }

    /// Whether it has a column with this label.
    pub(super) fn has(&self, label: &str) -> bool {
        self.columns.iter().any(|(own, _)| own == label)
    }

    /// The number in the column with this label.
    pub(super) fn number(&self, label: &str, payload: &[u8]) -> Option<f64> {
        self.columns.iter().find(|(own, _)| own == label).and_then(|(_, cell)| cell.number(payload))
    }
}

impl Cell {
    /// Its number, as pymavlink shows it; `None` for text and arrays.
    #[inline]
    pub(super) fn number(self, payload: &[u8]) -> Option<f64> {
        let bytes = payload.get(self.at..)?;
        match self.format {
            Format::U64 => bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes) as f64),
            format => Value::of(format, bytes)?.to_f64(),
        }
    }
}
