// Held by tests/tests/read/logged_schema.rs.

//! Converts a schema to Rust source: structs with the derive, and the enum that lists them.

#[cfg(test)]
mod as_logged;
mod names;
mod source;

use crate::change::LoggedSchema;
use crate::declare::messages;
use crate::format::header::FMT_ID;
use crate::format::{Definition, Format, LogMessage, Multiplier};
use crate::read::LoggedDefinition;
use crate::read::catalogue::DEFINITIONS;
use crate::read::catalogue::units::UnitTables;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// The Rust source of a schema: returned by [`LoggedSchema::to_rust`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RustSource {
    /// A module in rustfmt's default style. The comment at its top lists the messages that are left out.
    pub source: String,
    /// The messages that can't be written as structs, in the order of the log.
    pub left_out: Vec<LeftOut>,
}

/// A message that can't be written as a struct. `Display` prints one line with the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// Its id.
    pub id: u8,
    /// Its name; `""` if it isn't UTF-8.
    pub name: String,
    /// The reason.
    pub obstacle: Obstacle,
}

/// Why the definition of a message can't be that of a struct.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Obstacle {
    /// The name is empty or isn't UTF-8.
    NoName,
    /// It has no columns, or its labels aren't UTF-8.
    NoColumns,
    /// A format character that the format doesn't have.
    UnknownFormat(char),
    /// The numbers of format characters and labels differ.
    Counts {
        /// Format characters.
        formats: usize,
        /// Labels.
        labels: usize,
    },
    /// The length differs from that of the columns.
    Length {
        /// FMT's length, header included.
        length: u8,
        /// The length of the columns with the header.
        columns: usize,
    },
    /// The numbers of units and columns differ.
    UnitCount {
        /// Ids of units.
        units: usize,
        /// Columns.
        columns: usize,
    },
    /// The numbers of multipliers and columns differ.
    MultiplierCount {
        /// Ids of multipliers.
        multipliers: usize,
        /// Columns.
        columns: usize,
    },
    /// The id of a unit isn't a printable ASCII character.
    UnitId(u8),
    /// The id of a multiplier isn't a printable ASCII character.
    MultiplierId(u8),
    /// A multiplier isn't standard, and the log's table has no positive value for it.
    MultiplierValue(u8),
    /// The id is 255, which is reserved.
    ReservedId,
    /// FMT has an id other than 128, or another message has the id 128.
    FmtId,
    /// FMT, UNIT, MULT or FMTU has a layout other than the one that `binlog` writes.
    Layout,
    /// An earlier message has the same name and another definition.
    NameTaken {
        /// The id of the earlier message.
        by: u8,
    },
    /// An earlier message has the same id.
    IdTaken {
        /// The name of the earlier message.
        by: String,
    },
    /// Every log of `binlog` has UNIT, MULT and FMTU, and no id would be left for them.
    NoIdLeft,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (id {}): {}", self.name.escape_debug(), self.id, self.obstacle)
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::NoName => f.write_str("it has no name, or one that isn't UTF-8"),
            Obstacle::NoColumns => f.write_str("it has no columns, or labels that aren't UTF-8"),
            Obstacle::UnknownFormat(format) => write!(f, "{format:?} is not a format"),
            Obstacle::Counts { formats, labels } => {
                write!(f, "its definition has {formats} format characters and {labels} labels")
            }
            Obstacle::Length { length, columns } => {
                write!(f, "its length is {length} bytes, but its columns take {columns}")
            }
            Obstacle::UnitCount { units, columns } => write!(f, "it has {units} units for {columns} columns"),
            Obstacle::MultiplierCount { multipliers, columns } => {
                write!(f, "it has {multipliers} multipliers for {columns} columns")
            }
            Obstacle::UnitId(id) => write!(f, "the id {id} of a unit is not a printable ASCII character"),
            Obstacle::MultiplierId(id) => write!(f, "the id {id} of a multiplier is not a printable ASCII character"),
            Obstacle::MultiplierValue(id) => {
                write!(f, "the log's table has no positive value for the multiplier {:?}", char::from(*id))
            }
            Obstacle::ReservedId => f.write_str("id 255 is reserved"),
            Obstacle::FmtId => f.write_str("FMT has id 128 in every log, and nothing else has"),
            Obstacle::Layout => f.write_str("binlog writes this message itself, in another layout"),
            Obstacle::NameTaken { by } => {
                write!(f, "an earlier message has its name, with another definition (id {by})")
            }
            Obstacle::IdTaken { by } => write!(f, "{} already has its id", by.escape_debug()),
            Obstacle::NoIdLeft => f.write_str("its id is needed for UNIT, MULT or FMTU, which every log of binlog has"),
        }
    }
}

/// The crate's structs for the format's own messages.
const OWN: [(&str, Definition); 17] = [
    ("Fmt", messages::Fmt::DEFINITION),
    ("Unit", messages::Unit::DEFINITION),
    ("Mult", messages::Mult::DEFINITION),
    ("Fmtu", messages::Fmtu::DEFINITION),
    ("Parm", messages::Parm::DEFINITION),
    ("Msg", messages::Msg::DEFINITION),
    ("LegacyMsg", messages::LegacyMsg::DEFINITION),
    ("Ver", messages::Ver::DEFINITION),
    ("Mode", messages::Mode::DEFINITION),
    ("Ev", messages::Ev::DEFINITION),
    ("Err", messages::Err::DEFINITION),
    ("Dsf", messages::Dsf::DEFINITION),
    ("Dropped", messages::Dropped::DEFINITION),
    ("Ring", messages::Ring::DEFINITION),
    ("File", messages::File::DEFINITION),
    ("Arm", messages::Arm::DEFINITION),
    ("Gps", messages::Gps::DEFINITION),
];

/// A message that can be written as a struct.
struct Written<'a> {
    definition: LoggedDefinition<'a>,
    /// The name of the struct and of the variant.
    name: String,
    /// The crate's struct with the same definition.
    own: Option<&'static str>,
}

impl LoggedSchema {
    /// Converts the messages to Rust source: a struct for each, and the schema `FlightLog` that lists them with their
    /// ids.
    ///
    /// A program with this source as a module reads the log's records by value, and its own logs define the messages as
    /// the log does: each FMT is equal byte for byte, and each FMTU except for its time. If the log has no FMTU for a
    /// message, its columns get the units and multipliers of their types. A message with the definition of one of
    /// [`messages`] becomes that one. Messages that break the rules of this crate get `as_logged`. What the log
    /// [describes](Self::descriptions) becomes doc comments, and names of values and bits the attributes `values` and
    /// `bits`: an enum in their place couldn't hold a value without a name.
    ///
    /// The program's logs contain UNIT and MULT records for the units and multipliers in use, equal to those of the log
    /// with two exceptions: standard units and multipliers that the log redefines, and custom units that the log
    /// doesn't name. The comment at the top of the source lists them.
    ///
    /// A definition that contradicts itself can't become a struct, nor can one with the name or id of an earlier
    /// definition: [`RustSource::left_out`] lists them.
    ///
    /// ```
    /// use binlog::{LogSchema, LoggedSchema, messages};
    ///
    /// #[derive(LogSchema)]
    /// enum FlightLog {
    ///     #[log(id = 7)]
    ///     Mode(messages::Mode),
    /// }
    ///
    /// let rust = LoggedSchema::of::<FlightLog>().to_rust();
    /// assert!(rust.source.contains("    #[log(id = 7)]\n    Mode(messages::Mode),\n"));
    /// assert!(rust.left_out.is_empty());
    /// ```
    pub fn to_rust(&self) -> RustSource {
        // Each with its place among the definitions.
        let mut written: Vec<(usize, LoggedDefinition<'_>)> = Vec::new();
        let mut left_out: Vec<(usize, LeftOut)> = Vec::new();
        let mut leave_out = |place: usize, definition: &LoggedDefinition<'_>, obstacle: Obstacle| {
            left_out.push((place, LeftOut { id: definition.id(), name: definition.name().to_owned(), obstacle }));
        };
        let (mut ids, mut names): (HashMap<u8, &str>, HashMap<&str, u8>) = Default::default();
        for (place, definition) in self.messages().enumerate() {
            let (id, name) = (definition.id(), definition.name());
            if let Err(obstacle) = self.expressible(&definition) {
                leave_out(place, &definition, obstacle);
            } else if let Some(&by) = names.get(name) {
                leave_out(place, &definition, Obstacle::NameTaken { by });
            } else if let Some(&by) = ids.get(&id) {
                leave_out(place, &definition, Obstacle::IdTaken { by: by.to_owned() });
            } else {
                ids.insert(id, name);
                names.insert(name, id);
                written.push((place, definition));
            }
        }
        // Messages of every preamble that the log lacks take some of the ids 0 to 254 other than FMT's.
        let unlisted = DEFINITIONS[1..].iter().filter(|name| !names.contains_key(**name)).count();
        let is_other = |(_, definition): &(usize, LoggedDefinition<'_>)| !DEFINITIONS.contains(&definition.name());
        while written.iter().filter(|(_, definition)| definition.id() != FMT_ID).count() + unlisted > 254
            && let Some(last) = written.iter().rposition(is_other)
        {
            let (place, definition) = written.remove(last);
            leave_out(place, &definition, Obstacle::NoIdLeft);
        }
        left_out.sort_by_key(|&(place, _)| place);
        let left_out: Vec<LeftOut> = left_out.into_iter().map(|(_, left_out)| left_out).collect();

        let mut taken = HashSet::new();
        let written: Vec<Written<'_>> = written
            .into_iter()
            .map(|(_, definition)| Written {
                definition,
                name: names::of_type(&definition, &mut taken),
                own: own(&definition),
            })
            .collect();
        RustSource { source: source::source(self, &written, &left_out), left_out }
    }

    /// Whether a struct can have the definition.
    fn expressible(&self, definition: &LoggedDefinition<'_>) -> Result<(), Obstacle> {
        if definition.name().is_empty() {
            return Err(Obstacle::NoName);
        }
        let is_known = |format: &char| u8::try_from(*format).ok().and_then(Format::from_character).is_some();
        if let Some(format) = definition.format().chars().find(|format| !is_known(format)) {
            return Err(Obstacle::UnknownFormat(format));
        }
        let (formats, labels) = (definition.format().len(), definition.label_count());
        if labels == 0 {
            return Err(Obstacle::NoColumns);
        }
        if formats != labels {
            return Err(Obstacle::Counts { formats, labels });
        }
        let sizes = definition.format().bytes().filter_map(Format::from_character).map(Format::size);
        let length = Definition::HEADER_LENGTH + sizes.sum::<usize>();
        if length != usize::from(definition.length()) {
            return Err(Obstacle::Length { length: definition.length(), columns: length });
        }
        self.expressible_units(definition, formats)?;
        if definition.id() == 255 {
            return Err(Obstacle::ReservedId);
        }
        if (definition.id() == FMT_ID) != (definition.name() == "FMT") {
            return Err(Obstacle::FmtId);
        }
        if DEFINITIONS.contains(&definition.name()) && own(definition).is_none() {
            return Err(Obstacle::Layout);
        }
        Ok(())
    }

    fn expressible_units(&self, definition: &LoggedDefinition<'_>, columns: usize) -> Result<(), Obstacle> {
        let (Some(units), Some(multipliers)) = (definition.unit_ids(), definition.multiplier_ids()) else {
            return Ok(());
        };
        if units.len() != columns {
            return Err(Obstacle::UnitCount { units: units.len(), columns });
        }
        if multipliers.len() != columns {
            return Err(Obstacle::MultiplierCount { multipliers: multipliers.len(), columns });
        }
        if let Some(id) = units.bytes().find(|id| !id.is_ascii_graphic()) {
            return Err(Obstacle::UnitId(id));
        }
        for id in multipliers.bytes().filter(|&id| Multiplier::from_id(id).is_none()) {
            if !id.is_ascii_graphic() {
                return Err(Obstacle::MultiplierId(id));
            }
            if !self.logged_multiplier(id).is_some_and(|value| value.is_normal() && value > 0.0) {
                return Err(Obstacle::MultiplierValue(id));
            }
        }
        Ok(())
    }
}

/// The crate's struct with this definition.
fn own(definition: &LoggedDefinition<'_>) -> Option<&'static str> {
    OWN.iter().find(|(_, own)| definition.check(own).is_ok()).map(|(name, _)| *name)
}
