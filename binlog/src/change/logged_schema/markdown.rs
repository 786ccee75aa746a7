//! Prints a schema as Markdown, in the layout of [`Definition`](crate::Definition).

use super::LoggedSchema;
use super::descriptions::named;
use crate::format::definition::{cell, factor, meanings_cell};
use crate::read::LoggedDefinition;
use std::fmt;

/// Markdown: one section for each message, with a table of its columns.
impl fmt::Display for LoggedSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, message) in self.messages().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            self.section(f, &message)?;
        }
        Ok(())
    }
}

impl LoggedSchema {
    fn section(&self, f: &mut fmt::Formatter<'_>, message: &LoggedDefinition<'_>) -> fmt::Result {
        writeln!(f, "## {}\n", message.shown_name())?;
        writeln!(f, "Id {}, {} bytes a record.\n", message.id(), message.length())?;
        if message.unit_ids().is_none() {
            writeln!(f, "The log has no units for it.\n")?;
        }
        let columns = message.columns();
        let (shown, formats) = (columns.clone().count(), message.format().chars().count());
        let labels = message.label_count();
        if shown < formats.max(labels) {
            writeln!(
                f,
                "It has {formats} format characters and {labels} labels; {shown} columns fit into the record.\n"
            )?;
        }
        let described = self.described(message.name());
        if let Some(described) = described.filter(|described| !described.description.is_empty()) {
            cell(f, &described.description)?;
            f.write_str("\n\n")?;
        }
        let more = if described.is_some() { [" description |", " --- |"] } else { ["", ""] };
        writeln!(f, "| label | format | unit | multiplier |{}", more[0])?;
        writeln!(f, "| --- | --- | --- | --- |{}", more[1])?;
        for column in columns {
            f.write_str("| ")?;
            cell(f, column.label)?;
            write!(f, " | {} | ", column.format)?;
            match column.unit_id.map(|id| (id, self.unit_name(id))) {
                Some((_, Some(name))) => cell(f, name)?,
                Some((id, None)) => cell(f, &format!("{:?}", char::from(id)))?,
                None => {}
            }
            f.write_str(" | ")?;
            match column.multiplier_id.map(|id| (id, self.multiplier_value(id))) {
                Some((_, Some(value))) => factor(f, value)?,
                Some((id, None)) => cell(f, &format!("{:?}", char::from(id)))?,
                None => {}
            }
            if let Some(described) = described {
                f.write_str(" | ")?;
                if let Some(column) = described.column(column.label) {
                    cell(f, &column.description)?;
                    let has_names = !column.values.is_empty() || !column.bits.is_empty();
                    f.write_str(if has_names && !column.description.is_empty() { " " } else { "" })?;
                    meanings_cell(f, "", named(&column.values))?;
                    f.write_str(if column.values.is_empty() || column.bits.is_empty() { "" } else { ", " })?;
                    meanings_cell(f, "bit ", named(&column.bits))?;
                }
            }
            writeln!(f, " |")?;
        }
        Ok(())
    }
}

#[cfg(all(test, feature = "derive"))]
mod tests {
    use crate::change::LoggedSchema;
    use crate::declare::messages;

    #[derive(binlog_derive::LogSchema)]
    enum FlightLog {
        #[log(id = 7)]
        Dsf(messages::Dsf),
    }

    #[test]
    fn a_section_has_a_table_of_the_columns() {
        let markdown = LoggedSchema::of::<FlightLog>().to_string();
        let section = "## DSF\n\nId 7, 33 bytes a record.\n\n| label | format | unit | multiplier |\n\
                       | --- | --- | --- | --- |\n| TimeUS | Q | s | 1e-6 |\n| Dp | I |  |  |\n| Blk | H |  |  |\n\
                       | Bytes | I | B | 1 |\n| FMn | I |  |  |\n| FMx | I |  |  |\n| FAv | I |  |  |\n";
        assert!(markdown.ends_with(section), "{markdown}");
        assert_eq!(markdown.matches("## ").count(), 5);
    }
}
