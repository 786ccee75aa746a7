//! `LogMessages.xml`, as ArduPilot writes it and pymavlink reads it (`DFMetaData` in `DFReader.py`).

use super::{Escaped, ShownUnit, c_type};
use crate::format::{Definition, Format, Meaning, Meanings, SchemaMessage};
use core::fmt;

/// All messages of a schema as ArduPilot's `LogMessages.xml`.
///
/// pymavlink reads the file from `~/.pymavlink/LogMessages/`, by the name of the vehicle: `Copter.xml`, `Plane.xml`,
/// `Rover.xml`, `Sub.xml`, `Tracker.xml` or `Blimp.xml`.
#[derive(Clone, Copy, Debug)]
pub struct Xml(pub(crate) &'static [SchemaMessage]);

impl fmt::Display for Xml {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        file(f, |f| self.0.iter().try_for_each(|message| logformat(f, message.definition)))
    }
}

fn logformat(f: &mut fmt::Formatter<'_>, definition: &Definition) -> fmt::Result {
    message(f, definition.name, definition.description, |f| {
        for column in definition.columns {
            let named = |meanings: &'static [Meaning]| {
                meanings.iter().map(|meaning| (meaning.value, meaning.name, meaning.description))
            };
            let (values, bits): (&[_], &[_]) = match column.meanings {
                Meanings::None => (&[], &[]),
                Meanings::Values(values) => (values, &[]),
                Meanings::Bits(bits) => (&[], bits),
            };
            let (label, unit) = (column.label, ShownUnit(column));
            field(f, label, unit, column.format, column.description, named(values), named(bits))?;
        }
        Ok(())
    })
}

/// Writes a file: the messages that `messages` writes.
pub(crate) fn file(
    f: &mut fmt::Formatter<'_>,
    messages: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_str("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<loggermessagefile>\n")?;
    messages(f)?;
    f.write_str("</loggermessagefile>\n")
}

/// Writes a message, with the fields that `fields` writes.
pub(crate) fn message(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    description: &str,
    fields: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    writeln!(f, "  <logformat name=\"{}\">", Escaped(name))?;
    writeln!(f, "    <description>{}</description>\n    <fields>", Escaped(description))?;
    fields(f)?;
    f.write_str("    </fields>\n  </logformat>\n")
}

/// Writes a column. `unit` is escaped already; values and bits are numbers with names and descriptions.
pub(crate) fn field<'m>(
    f: &mut fmt::Formatter<'_>,
    label: &str,
    unit: impl fmt::Display,
    format: Format,
    description: &str,
    values: impl Iterator<Item = (i128, &'m str, &'m str)>,
    bits: impl Iterator<Item = (i128, &'m str, &'m str)>,
) -> fmt::Result {
    writeln!(f, "      <field name=\"{}\" units=\"{unit}\" type=\"{}\">", Escaped(label), c_type(format))?;
    writeln!(f, "        <description>{}</description>", Escaped(description))?;
    // pymavlink divides hundredths before it looks for the name of a value.
    let has_fractions = format.is_centi() || format == Format::Coordinate;
    meanings(f, "enum", "element", values.filter(|_| !has_fractions))?;
    // The value of a bit is its mask.
    let mask =
        |(bit, name, description): (i128, _, _)| Some((1_i128.checked_shl(bit.try_into().ok()?)?, name, description));
    meanings(f, "bitmask", "bit", bits.filter_map(mask))?;
    f.write_str("      </field>\n")
}

fn meanings<'m>(
    f: &mut fmt::Formatter<'_>,
    list: &str,
    entry: &str,
    meanings: impl Iterator<Item = (i128, &'m str, &'m str)>,
) -> fmt::Result {
    let mut meanings = meanings.peekable();
    if meanings.peek().is_none() {
        return Ok(());
    }
    writeln!(f, "        <{list}>")?;
    for (value, name, description) in meanings {
        writeln!(f, "          <{entry} name=\"{}\">\n            <value>{value}</value>", Escaped(name))?;
        if !description.is_empty() {
            writeln!(f, "            <description>{}</description>", Escaped(description))?;
        }
        writeln!(f, "          </{entry}>")?;
    }
    writeln!(f, "        </{list}>")
}
