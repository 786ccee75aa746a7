//! The columns of a type without their values.

use super::column::Quantity;
use super::gather::Cells;
use super::rows::Rows;
use super::select::SelectError;
use crate::read::{LoggedColumn, LoggedDefinition};
use crate::source::{ColumnSchema, Kind, Numbers, TableSchema};
use std::collections::HashSet;

impl Rows<'_> {
    /// What its columns are, without reading a value: those of [`columns`](Rows::columns) with all labels and these
    /// `numbers`. Columns with the same label, in a damaged definition, have
    /// [distinct labels](LoggedDefinition::distinct_labels).
    ///
    /// ```
    /// # use binlog::{LogMessage, LogSchema, LogWriter, messages};
    /// # use zerocopy::{Immutable, IntoBytes};
    /// #[derive(LogMessage, IntoBytes, Immutable)]
    /// #[log(name = "ATT")]
    /// #[repr(C, packed)]
    /// struct Attitude {
    ///     time_us: u64,
    ///     #[log(unit = "deg")]
    ///     roll: binlog::field::Centi<i16>,
    /// }
    /// # #[derive(LogSchema)]
    /// # enum FlightLog { Att(Attitude) }
    /// # let bytes = LogWriter::<FlightLog, _>::new(Vec::new())?.finish()?;
    /// use binlog::log::{Kind, Numbers};
    /// use binlog::{Log, Scaling};
    ///
    /// let log = Log::from_bytes(bytes);
    /// let schema = log.rows("ATT")?.schema(Numbers::Scaled(Scaling::Shown))?;
    /// let roll = schema.column("Roll").expect("a column");
    /// assert_eq!((roll.kind, &*roll.unit, roll.scale), (Kind::F64, "deg", 1.0));
    /// let stored = log.rows("ATT")?.schema(Numbers::Native)?;
    /// let roll = stored.column("Roll").expect("a column");
    /// assert_eq!((roll.kind, &*roll.unit, roll.scale), (Kind::I16, "deg", 0.01));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the log redefines a column with another format, unit or multiplier. [`by_definition`](Rows::by_definition)
    /// has the records of each definition.
    pub fn schema(&self, numbers: Numbers) -> Result<TableSchema, SelectError> {
        // Looking for one label at a time would read the texts of a definition as often as it has columns.
        let definitions: Vec<Named<'_>> = self.definitions().map(Named::of).collect();
        let mut seen = HashSet::new();
        let labels = definitions.iter().flat_map(|definition| definition.columns.iter().map(|(label, _)| &**label));
        let labels: Vec<&str> = labels.filter(|label| seen.insert(*label)).collect();
        let mut schema = TableSchema::new(self.definitions().next().map_or("", |definition| definition.name()));
        let described = self.log().description_of(&schema.name);
        schema.description = described.map(|message| message.description.clone()).unwrap_or_default();
        for label in labels {
            let labelled = |piece: usize| definitions[piece].labelled(label);
            let distinct = |piece: usize| definitions[piece].column(label);
            let (quantity, offsets) = self.find_either(label, labelled, distinct)?;
            let mut column = ColumnSchema::new(label, self.kind(&quantity, &offsets, numbers));
            let of_column = described.and_then(|message| message.column(label));
            column.description = of_column.map(|column| column.description.clone()).unwrap_or_default();
            if (&*schema.name, label, column.kind) == ("FILE", "Data", Kind::Text) {
                // Its texts are pieces of a file.
                column.kind = Kind::Bytes;
            }
            (column.unit, column.scale) = quantity.unit_and_scale(numbers);
            column.multiplier = quantity.multiplier();
            column.is_converted = quantity.is_converted(numbers);
            let separators = definitions.iter().map(|definition| definition.instance);
            column.is_instance = separators.zip(&offsets).any(|(separator, &offset)| separator == Some(offset));
            let mut labelled = (0..definitions.len()).filter_map(labelled);
            if let Some(names) = labelled.find_map(|column| self.log().value_names(&schema.name, &column)) {
                [column.values, column.bits] = names.by_number();
            }
            schema.columns.push(column);
        }
        Ok(schema)
    }

    fn kind(&self, quantity: &Quantity, offsets: &[usize], numbers: Numbers) -> Kind {
        match quantity.cells(numbers) {
            Cells::F64(_) if Kind::of(quantity.format).is_number() => Kind::F64,
            _ if self.lacks_times(offsets) => Kind::U64,
            _ => Kind::of(quantity.format),
        }
    }
}

/// The columns of a definition by their distinct labels.
struct Named<'log> {
    columns: Vec<(String, LoggedColumn<'log>)>,
    /// The offset of the column that separates the instances.
    instance: Option<usize>,
}

impl<'log> Named<'log> {
    fn of(definition: LoggedDefinition<'log>) -> Self {
        Named {
            columns: definition.distinct_labels().into_iter().zip(definition.columns()).collect(),
            instance: definition.instance_column().map(|column| column.offset),
        }
    }

    /// The first column with this label in the log.
    fn labelled(&self, label: &str) -> Option<LoggedColumn<'log>> {
        self.columns.iter().map(|(_, column)| *column).find(|column| column.label == label)
    }

    /// The column with this distinct label.
    fn column(&self, label: &str) -> Option<LoggedColumn<'log>> {
        self.columns.iter().find(|(distinct, _)| distinct == label).map(|(_, column)| *column)
    }
}
