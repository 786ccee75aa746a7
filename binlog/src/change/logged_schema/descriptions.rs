//! What a log says about the messages that it defines, for each form in which a schema is written.

use super::LoggedSchema;
use crate::read::descriptions::{Described, DescribedMessage};

/// Numbers with their names and descriptions.
pub(super) fn named(described: &[Described]) -> impl Iterator<Item = (i128, &str, &str)> {
    described.iter().map(|named| (named.value, named.name.as_str(), named.description.as_str()))
}

impl LoggedSchema {
    /// What the log says about its messages, in the order of the definitions: of [`Log::schema`](crate::Log::schema),
    /// the messages and columns of [`Log::descriptions`](crate::Log::descriptions) that the log defines. Empty if it
    /// carries no descriptions, and of [`from_bytes`](Self::from_bytes) and [`of`](Self::of).
    ///
    /// All definitions of a message share its descriptions: in a log of several boots, those of the last boot that has
    /// them.
    pub fn descriptions(&self) -> &[DescribedMessage] {
        &self.descriptions
    }

    /// What the log says about the message with this name.
    pub fn described(&self, name: &str) -> Option<&DescribedMessage> {
        self.descriptions.iter().find(|described| described.name == name)
    }

    /// The same definitions with those descriptions that are about defined messages and columns.
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
