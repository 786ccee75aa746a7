//! The definition of a message: its name and its columns.

use crate::format::{FieldHistory, Format, Multiplier, Unit};
use core::fmt;
use core::panic::Location;

/// The definition of a message: the contents of its FMT and FMTU, and descriptions, which a log has no room for.
///
/// `#[derive(LogMessage)]` builds it at compile time. Its [`Display`](fmt::Display) is a Markdown section for your
/// documentation: the description and a table of the columns.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// The name in the log, at most 4 characters: `ATT`.
    pub name: &'static str,
    /// The struct's doc comment.
    pub description: &'static str,
    /// The columns in the order of the record, at most 16.
    pub columns: &'static [ColumnDefinition],
    /// The id in a schema that gives none; only the format's own messages have one.
    pub default_id: Option<u8>,
    /// Names that older logs used: `#[log(alias = "OLD")]`.
    pub aliases: &'static [&'static str],
    /// The rules that it follows.
    pub rules: RuleSet,
}

/// The rules that a definition follows. A schema checks them at compile time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RuleSet {
    /// The limits of FMT, and the rules of readers: for names, labels, time, instance and scaling.
    All,
    /// Only the limits of FMT: the definition is that of another firmware, `#[log(as_logged)]`.
    AsLogged,
    /// The derive has already checked the rules.
    #[doc(hidden)]
    Checked,
}

/// One column of a message.
#[derive(Clone, Copy, Debug)]
pub struct ColumnDefinition {
    /// The label in the log: `DesRoll`.
    pub label: &'static str,
    /// How the column is stored.
    pub format: Format,
    /// The unit of the value times the multiplier.
    pub unit: Unit,
    /// The factor from the stored number to the unit.
    pub multiplier: Multiplier,
    /// The field's doc comment.
    pub description: &'static str,
    /// The meanings of single values or bits.
    pub meanings: Meanings,
    /// Whether its type refuses some of the numbers: [`Field::IS_CLOSED`](crate::Field::IS_CLOSED).
    pub is_closed: bool,
    /// What older logs have in its place.
    pub history: FieldHistory,
    /// Where the program declares it; `None` if that is unknown.
    pub place: Option<&'static Location<'static>>,
    /// The field of the message that is flattened into it, if it is declared in another struct.
    pub flattened_at: Option<&'static Location<'static>>,
}

impl ColumnDefinition {
    /// A column without description and meanings, declared at the caller's place.
    #[track_caller]
    pub const fn new(label: &'static str, format: Format, unit: Unit, multiplier: Multiplier) -> Self {
        ColumnDefinition {
            label,
            format,
            unit,
            multiplier,
            description: "",
            meanings: Meanings::None,
            is_closed: false,
            history: FieldHistory::NONE,
            place: Some(Location::caller()),
            flattened_at: None,
        }
    }
}

/// The meanings of a column's values or bits. They are for documentation; a log contains them only as
/// [descriptions](crate::guide::descriptions).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meanings {
    /// The values are plain numbers.
    None,
    /// Each value has a name.
    Values(&'static [Meaning]),
    /// Each bit has a name; the value is the bit's number, 0 the lowest.
    Bits(&'static [Meaning]),
}

/// The name of one value or bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// The value, or the number of the bit. An `i128`, because the values of a `u64` exceed an `i64`.
    pub value: i128,
    /// Its name.
    pub name: &'static str,
    /// Its doc comment; may be empty.
    pub description: &'static str,
}

impl Definition {
    /// Bytes of the header before the payload: `A3 95` and the id.
    pub const HEADER_LENGTH: usize = 3;

    /// Length of a record in bytes, header included: FMT's `Length`. At most 255 in every definition that compiles.
    pub const fn length(&self) -> usize {
        let mut length = Self::HEADER_LENGTH;
        let mut i = 0;
        while i < self.columns.len() {
            length += self.columns[i].format.size();
            i += 1;
        }
        length
    }
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## {}\n", self.name)?;
        if !self.description.is_empty() {
            writeln!(f, "{}\n", self.description)?;
        }
        writeln!(f, "{} bytes a record.\n", self.length())?;
        writeln!(f, "| label | format | unit | multiplier | description |")?;
        writeln!(f, "| --- | --- | --- | --- | --- |")?;
        for column in self.columns {
            write!(f, "| {} | {} | ", column.label, column.format)?;
            cell(f, column.unit.name())?;
            f.write_str(" | ")?;
            factor(f, column.multiplier.value())?;
            f.write_str(" | ")?;
            cell(f, column.description)?;
            if column.meanings != Meanings::None && !column.description.is_empty() {
                f.write_str(" ")?;
            }
            column.meanings.write(f)?;
            writeln!(f, " |")?;
        }
        Ok(())
    }
}

impl Meanings {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, meanings) = match self {
            Meanings::None => return Ok(()),
            Meanings::Values(meanings) => ("", *meanings),
            Meanings::Bits(meanings) => ("bit ", *meanings),
        };
        meanings_cell(f, kind, meanings.iter().map(|meaning| (meaning.value, meaning.name, meaning.description)))
    }
}

/// Values or bits in a cell of a table, each with its name and description: `0: Pad (On the ground.), 3: Boost`.
pub(crate) fn meanings_cell<'m>(
    f: &mut fmt::Formatter<'_>,
    kind: &str,
    meanings: impl Iterator<Item = (i128, &'m str, &'m str)>,
) -> fmt::Result {
    for (i, (value, name, description)) in meanings.enumerate() {
        let separator = if i == 0 { "" } else { ", " };
        write!(f, "{separator}{kind}{value}: ")?;
        cell(f, name)?;
        if !description.is_empty() {
            f.write_str(" (")?;
            cell(f, description)?;
            f.write_str(")")?;
        }
    }
    Ok(())
}

/// A multiplier's value in a cell of a table; empty for 0, which means no multiplier.
pub(crate) fn factor(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    match value {
        0.0 => Ok(()),
        value if value < 0.1 => write!(f, "{value:e}"),
        value => write!(f, "{value}"),
    }
}

/// Text in a cell of a table: on one line, with `|` escaped, because it ends a cell, and control characters, which a
/// terminal would obey.
pub(crate) fn cell(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for (i, line) in text.lines().enumerate() {
        if i > 0 {
            f.write_str(" ")?;
        }
        for (j, part) in line.trim().split('|').enumerate() {
            if j > 0 {
                f.write_str("\\|")?;
            }
            for character in part.chars() {
                match character.is_control() && character != '\t' {
                    true => write!(f, "{}", character.escape_default())?,
                    false => write!(f, "{character}")?,
                }
            }
        }
    }
    Ok(())
}
