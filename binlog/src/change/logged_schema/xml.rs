//! The definitions of a log as `LogMessages.xml`.

use super::LoggedSchema;
use super::descriptions::named;
use crate::describe::log_messages::{Escaped, xml};
use crate::read::catalogue::column::ResolvedColumn;
use crate::read::descriptions::DescribedColumn;
use std::fmt;

/// The messages of a log as ArduPilot's `LogMessages.xml`: returned by [`LoggedSchema::log_messages_xml`].
#[derive(Clone, Copy, Debug)]
pub struct LoggedXml<'s>(&'s LoggedSchema);

impl LoggedSchema {
    /// The messages as ArduPilot's `LogMessages.xml`, which pymavlink reads: their columns, with units and formats by
    /// the definitions, and what the [descriptions](Self::descriptions) say. Of a message that the log redefines, the
    /// last definition.
    ///
    /// [`log_messages::xml`](crate::log_messages::xml()) says where pymavlink looks for it.
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
