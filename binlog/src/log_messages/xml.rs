//! `LogMessages.xml`, as ArduPilot writes it and pymavlink reads it (`DFMetaData` in `DFReader.py`).

use super::{Escaped, ShownUnit, c_type};
use crate::definition::{Definition, Meaning, Meanings};
use crate::schema_message::SchemaMessage;
use crate::{ColumnDefinition, Format};
use core::fmt;

/// All messages of a schema as ArduPilot's `LogMessages.xml`.
///
/// pymavlink reads the file from `~/.pymavlink/LogMessages/`, by the name of the vehicle: `Copter.xml`, `Plane.xml`,
/// `Rover.xml`, `Sub.xml`, `Tracker.xml` or `Blimp.xml`.
#[derive(Clone, Copy, Debug)]
pub struct Xml(pub(crate) &'static [SchemaMessage]);

impl fmt::Display for Xml {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<loggermessagefile>\n")?;
        for message in self.0 {
            logformat(f, message.definition)?;
        }
        f.write_str("</loggermessagefile>\n")
    }
}

fn logformat(f: &mut fmt::Formatter<'_>, definition: &Definition) -> fmt::Result {
    writeln!(f, "  <logformat name=\"{}\">", Escaped(definition.name))?;
    writeln!(f, "    <description>{}</description>\n    <fields>", Escaped(definition.description))?;
    for column in definition.columns {
        field(f, column)?;
    }
    f.write_str("    </fields>\n  </logformat>\n")
}

fn field(f: &mut fmt::Formatter<'_>, column: &ColumnDefinition) -> fmt::Result {
    let (label, unit, ty) = (Escaped(column.label), ShownUnit(column), c_type(column.format));
    writeln!(f, "      <field name=\"{label}\" units=\"{unit}\" type=\"{ty}\">")?;
    writeln!(f, "        <description>{}</description>", Escaped(column.description))?;
    match column.meanings {
        Meanings::Values(values) if !has_fractions(column.format) => {
            meanings(f, "enum", "element", values, Some)?;
        }
        // The value of a bit is its mask.
        Meanings::Bits(bits) => meanings(f, "bitmask", "bit", bits, |bit| 1_i128.checked_shl(bit.try_into().ok()?))?,
        Meanings::Values(_) | Meanings::None => {}
    }
    f.write_str("      </field>\n")
}

/// pymavlink divides hundredths before it looks for the name of a value.
fn has_fractions(format: Format) -> bool {
    format.is_centi() || format == Format::Coordinate
}

fn meanings(
    f: &mut fmt::Formatter<'_>,
    list: &str,
    entry: &str,
    meanings: &[Meaning],
    value_of: impl Fn(i128) -> Option<i128>,
) -> fmt::Result {
    writeln!(f, "        <{list}>")?;
    for Meaning { value, name, description } in meanings {
        let Some(value) = value_of(*value) else { continue };
        writeln!(f, "          <{entry} name=\"{}\">\n            <value>{value}</value>", Escaped(name))?;
        if !description.is_empty() {
            writeln!(f, "            <description>{}</description>", Escaped(description))?;
        }
        writeln!(f, "          </{entry}>")?;
    }
    writeln!(f, "        </{list}>")
}
