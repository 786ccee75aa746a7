//! All columns of a log at once.

use super::column::{Column, Quantity};
use super::decode::{Plan, PlannedColumn, decode, threads};
use super::gather::Cells;
use super::rows::Rows;
use crate::format::Scaling;
use crate::read::{Log, LoggedColumn, LoggedDefinition};
use crate::source::{Numbers, Values};
use std::fmt;
use std::num::NonZero;

/// All columns of the records of one definition.
#[derive(Clone)]
pub struct Table<'log> {
    rows: Rows<'log>,
    definition: LoggedDefinition<'log>,
    columns: Vec<Column>,
}

impl<'log> Table<'log> {
    /// The type's name.
    pub fn name(&self) -> &str {
        self.rows.name()
    }

    /// The definition.
    pub fn definition(&self) -> LoggedDefinition<'log> {
        self.definition
    }

    /// The records of the table.
    pub fn rows(&self) -> &Rows<'log> {
        &self.rows
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no records. No table of [`Log::tables`] is empty.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The columns in the order of the record.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns, without the table.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// The first column with this label.
    pub fn column(&self, label: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.label() == label)
    }
}

impl fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<&str> = self.columns.iter().map(Column::label).collect();
        f.debug_struct("Table")
            .field("name", &self.name())
            .field("len", &self.len())
            .field("labels", &labels)
            .finish_non_exhaustive()
    }
}

impl Log<'_> {
    /// All columns of all types, in native types: one table for each definition with records, in the order of the
    /// definitions. A type that the log redefines has several tables.
    ///
    /// A long log is decoded by as many threads as there are processors.
    pub fn tables(&self) -> Vec<Table<'_>> {
        self.tables_with(Numbers::Native, threads(self.bytes().len()))
    }

    /// As [`tables`](Log::tables), with all numbers converted to `f64` and scaled. Text and arrays keep their type;
    /// integers beyond 2^53 are rounded.
    pub fn tables_f64(&self, scaling: Scaling) -> Vec<Table<'_>> {
        self.tables_with(Numbers::F64(scaling), threads(self.bytes().len()))
    }

    /// As [`tables`](Log::tables) or [`tables_f64`](Log::tables_f64), decoded by the given number of threads.
    /// As many as there are processors build the index of a long log before.
    pub fn tables_with(&self, numbers: Numbers, threads: NonZero<usize>) -> Vec<Table<'_>> {
        let (log, units) = (self.bytes(), self.units());
        let mut tables = Vec::new();
        let mut plans: Vec<Plan<'_>> = Vec::new();
        for kind in self.index().kinds.iter().filter(|kind| kind.offsets.len() > 0) {
            let definition = kind.place.definition(log);
            let (mut columns, mut planned) = (Vec::new(), Vec::new());
            for logged in definition.columns() {
                let quantity = Quantity::new(&logged, kind.place.defined_at(), units);
                let cells = quantity.cells(numbers);
                let (at, format, count) = (logged.offset, logged.format, kind.offsets.len());
                planned.push(PlannedColumn { at, format, cells, count });
                columns.push((logged, quantity, cells));
            }
            plans.push(Plan { offsets: &kind.offsets, columns: planned });
            tables.push((kind, definition, columns));
        }
        let values = decode(log, &plans, threads);
        let mut decoded = Vec::with_capacity(tables.len());
        for (values, (kind, definition, columns)) in values.into_iter().zip(tables) {
            let rows = Rows::of_kind(self, kind, self.index().units.clone());
            let column = |((logged, quantity, cells), values): ((LoggedColumn<'_>, Quantity, Cells), Values)| {
                let values = match rows.widened_times(&[logged.offset]) {
                    Some(times_us) => Values::of_times(times_us, cells),
                    None => values,
                };
                let scaled = numbers.scaling(cells);
                let names = match scaled {
                    Scaling::Stored => self.value_names(definition.name(), &logged),
                    _ => None,
                };
                Column::new(logged.label, quantity, values, scaled, names)
            };
            let columns = columns.into_iter().zip(values).map(column).collect();
            decoded.push(Table { rows, definition, columns });
        }
        decoded
    }
}
