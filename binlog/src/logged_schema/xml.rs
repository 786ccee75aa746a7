//! The definitions of a log as `LogMessages.xml`.

use super::LoggedSchema;
use crate::catalogue::column::ResolvedColumn;
use crate::log_messages::{Described, DescribedColumn, DescribedMessage, Escaped, xml};
use std::fmt;

/// The messages of a log as ArduPilot's `LogMessages.xml`: returned by [`LoggedSchema::log_messages_xml`].
#[derive(Clone, Copy, Debug)]
pub struct LoggedXml<'s>(&'s LoggedSchema);

impl LoggedSchema {
    /// The messages as ArduPilot's `LogMessages.xml`, which pymavlink reads: their columns, with units and formats by
    /// the definitions, and what the [descriptions](Self::descriptions) say. Of a message that the log redefines, the
    /// last definition.
    ///
    /// [`LogSchema::log_messages_xml`](crate::LogSchema::log_messages_xml) says where pymavlink looks for it.
    pub fn log_messages_xml(&self) -> LoggedXml<'_> {
        LoggedXml(self)
    }
}

impl fmt::Display for LoggedXml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.0;
        let last = schema
            .messages()
            .enumerate()
            .filter(|(place, message)| !schema.messages().skip(place + 1).any(|later| later.name() == message.name()));
        xml::file(f, |f| {
            for (_, message) in last {
                let described = schema.described(message.name());
                let description = described.map_or("", |described| &described.description);
                xml::message(f, message.name(), description, |f| {
                    message.columns().try_for_each(|column| {
                        let none = DescribedColumn::default();
                        let of_column = described.and_then(|described| described.column(column.label));
                        let DescribedColumn { description, values, bits, .. } = of_column.unwrap_or(&none);
                        let unit = ResolvedColumn::of_log(&column, schema).shown_unit();
                        let (unit, format) = (Escaped(&unit), column.format);
                        xml::field(f, column.label, unit, format, description, named(values), named(bits))
                    })
                })?;
            }
            Ok(())
        })
    }
}

/// Numbers with their names and descriptions.
pub(super) fn named(described: &[Described]) -> impl Iterator<Item = (i128, &str, &str)> {
    described.iter().map(|named| (named.value, named.name.as_str(), named.description.as_str()))
}

impl LoggedSchema {
    /// What the log says about its messages, in the order of the definitions: of [`Log::schema`](crate::Log::schema),
    /// the messages and columns of [`Log::descriptions`](crate::Log::descriptions) that the log defines. Empty if it
    /// carries no descriptions, and of [`from_bytes`](Self::from_bytes) and [`of`](Self::of).
    pub fn descriptions(&self) -> &[DescribedMessage] {
        &self.descriptions
    }

    /// What the log says about the message with this name.
    pub fn described(&self, name: &str) -> Option<&DescribedMessage> {
        self.descriptions.iter().find(|described| described.name == name)
    }

    /// The same definitions with descriptions, as far as they are about messages and columns that are defined.
    pub(crate) fn with_descriptions(mut self, all: &[DescribedMessage]) -> Self {
        let mut descriptions: Vec<DescribedMessage> = Vec::new();
        for message in self.messages() {
            let Some(described) = all.iter().find(|described| described.name == message.name()) else { continue };
            let place = descriptions.iter().position(|known| known.name == described.name).unwrap_or_else(|| {
                let DescribedMessage { name, description, .. } = described.clone();
                descriptions.push(DescribedMessage { name, description, ..Default::default() });
                descriptions.len() - 1
            });
            for column in message.columns() {
                let is_new = descriptions[place].column(column.label).is_none();
                let column = described.column(column.label).filter(|column| is_new && !column.says_nothing());
                descriptions[place].columns.extend(column.cloned());
            }
        }
        descriptions.retain(|message| !message.description.is_empty() || !message.columns.is_empty());
        self.descriptions = descriptions;
        self
    }
}
