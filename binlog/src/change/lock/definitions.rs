//! The definitions of a lock's messages, as a log has them.

use super::states::States;
use super::{Lock, LockError};
use crate::change::LoggedSchema;
use crate::change::compatibility::facts::{ColumnFacts, MessageFacts};
use crate::change::logged_schema::{LoggedMultiplier, LoggedUnit, UNIT_NAME, fits};
use crate::format::Definition;
use crate::read::catalogue::definition::CopiedDefinition;
use crate::read::descriptions::{Described, DescribedColumn, DescribedMessage};
use std::collections::BTreeMap;

impl Lock {
    /// The messages of the version that isn't released yet as a log defines them, with their descriptions and the names
    /// of values and bits: for programs that write logs without the structs.
    ///
    /// ```
    /// let lock: binlog::lock::Lock = "binlog-lock 1\n\
    ///     .. ENG id 7\n\
    ///     .. ENG order TimeUS,Rev\n\
    ///     .. ENG.TimeUS Q s 1e-6\n\
    ///     .. ENG.Rev I rpm 1\n"
    ///     .parse()?;
    /// let schema = lock.schema()?;
    /// assert_eq!(schema.message("ENG").map(|message| message.labels()), Some("TimeUS,Rev"));
    /// # Ok::<(), binlog::lock::LockError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a log has no room for a message, or if an id stands for two units or multipliers. Only a file that was edited
    /// by hand can cause that.
    pub fn schema(&self) -> Result<LoggedSchema, LockError> {
        let states = States::of(self)?;
        let next = self.releases.len();
        let today = states.versions.iter().zip(&states.messages).filter(|(versions, _)| versions.contains(&next));
        let (mut definitions, mut descriptions, mut tables) = (Vec::new(), Vec::new(), Tables::default());
        for (_, message) in today {
            definitions.push(definition(message)?);
            message.columns.iter().try_for_each(|column| tables.learn(message, column))?;
            descriptions.push(self.described(message));
        }
        let Tables { units, multipliers } = tables;
        let units = units.into_iter().map(|(id, name)| LoggedUnit { id, name: name.to_owned() }).collect();
        let multipliers = multipliers.into_iter().map(|(id, value)| LoggedMultiplier { id, value }).collect();
        Ok(LoggedSchema::of_parts(definitions, units, multipliers, &descriptions))
    }

    fn described(&self, message: &MessageFacts<'_>) -> DescribedMessage {
        let description = |column: Option<(&str, usize)>| {
            let of_subject = self.descriptions.iter().find(|(subject, _)| {
                let of_column = subject.column.as_ref().map(|(label, nth)| (label.as_str(), *nth));
                subject.message == message.name && of_column == column
            });
            of_subject.map(|(_, text)| text.clone()).unwrap_or_default()
        };
        let column = |column: &ColumnFacts<'_>| {
            let meanings = column.meanings.clone().unwrap_or_default();
            let named = meanings.rows.iter().map(|row| Described {
                value: row.value.0,
                name: row.value.1.to_owned(),
                description: String::new(),
            });
            let (bits, values) = named.partition(|_| meanings.are_bits);
            let description = description(Some((column.label(), column.nth)));
            DescribedColumn { label: column.label().to_owned(), description, values, bits }
        };
        DescribedMessage {
            name: message.name.to_string(),
            description: description(None),
            columns: message.columns.iter().map(column).collect(),
        }
    }
}

/// What the ids of the columns mean.
#[derive(Default)]
struct Tables<'l> {
    units: BTreeMap<u8, &'l str>,
    multipliers: BTreeMap<u8, f64>,
}

impl<'l> Tables<'l> {
    fn learn(&mut self, message: &MessageFacts<'_>, column: &ColumnFacts<'l>) -> Result<(), LockError> {
        let said = &column.said.value;
        let wrong = |what: String| {
            let text = format!("{}.{}: {what}", message.name, said.label);
            Err(LockError::new(column.said.line.unwrap_or_default(), text))
        };
        if let Err(what) = fits("the name of a unit", said.unit, UNIT_NAME) {
            return wrong(what);
        }
        if let Some(id) = said.unit_id {
            let unit = self.units.entry(id).or_insert(said.unit);
            if *unit != said.unit {
                return wrong(format!("`{}` is the id of two units, {unit} and {}", id.escape_ascii(), said.unit));
            }
        }
        if let (Some(id), Some(value)) = (said.multiplier_id, said.multiplier) {
            let multiplier = self.multipliers.entry(id).or_insert(value);
            if *multiplier != value {
                return wrong(format!(
                    "`{}` is the id of two multipliers, {multiplier} and {value}",
                    id.escape_ascii()
                ));
            }
        }
        Ok(())
    }
}

/// The definition of a message, if FMT has room for it.
fn definition(message: &MessageFacts<'_>) -> Result<CopiedDefinition, LockError> {
    let texts = |text: fn(&ColumnFacts<'_>) -> char| message.columns.iter().map(text).collect::<String>();
    let format = texts(|column| column.said.value.format.character().into());
    let units = texts(|column| column.said.value.unit_id.unwrap_or(b'-').into());
    let multipliers = texts(|column| column.said.value.multiplier_id.unwrap_or(b'-').into());
    let labels: Vec<&str> = message.columns.iter().map(ColumnFacts::label).collect();
    let length: usize = message.columns.iter().map(|column| column.said.value.format.size()).sum();
    let length = Definition::HEADER_LENGTH + length;
    let check = || {
        fits("name", &message.name, 4)?;
        fits("formats", &format, 16)?;
        if let Some(label) = labels.iter().find(|label| label.contains(',')) {
            return Err(format!("a comma would end the label {label:?}"));
        }
        let labels = labels.join(",");
        fits("labels and commas", &labels, 64)?;
        let Ok(length) = length.try_into() else {
            return Err(format!("a record has {length} bytes with its header, but only 255 fit"));
        };
        let units = Some((&*units, &*multipliers));
        Ok(CopiedDefinition::new(message.id.value, length, &message.name, &format, &labels, units))
    };
    let line = message.order.line.unwrap_or_default();
    check().map_err(|what| LockError::new(line, format!("{}: {what}", message.name)))
}
