//! The definitions of a log as data: to convert to Rust source or JSON, to print, or to compare.
//!
//! A [`LoggedSchema`] is read from a log of any firmware, or from the preamble of a program's own [`LogSchema`]. It has
//! four uses:
//!
//! - A program gets structs for a log that it reads or writes: [`to_rust`](LoggedSchema::to_rust).
//! - A team keeps its format as JSON beside its code, and CI compares it with the program's: `to_json` and `from_json`
//!   with the feature `json`, [`difference`](LoggedSchema::difference).
//! - People read it: `Display` prints Markdown, one section for each message, with the descriptions if the log has
//!   them.
//! - pymavlink shows what the log says about its messages: [`log_messages_xml`](LoggedSchema::log_messages_xml).
//!
//! ```
//! use binlog::compatibility::Level;
//! use binlog::{LogSchema, LoggedSchema, messages};
//!
//! #[derive(LogSchema)]
//! enum Before {
//!     Ev(messages::Ev),
//!     Mode(messages::Mode),
//! }
//!
//! #[derive(LogSchema)]
//! enum After {
//!     Ev(messages::Ev),
//! }
//!
//! let difference = LoggedSchema::of::<Before>().difference(&LoggedSchema::of::<After>());
//! assert!(difference.breaks(Level::Names));
//! assert_eq!(
//!     difference.to_string(),
//!     "MODE: removed: id 135, TimeUS,Mode,ModeNum,Rsn → nothing (breaks names)\n"
//! );
//! ```

mod descriptions;
mod difference;
#[cfg(feature = "json")]
mod json;
mod markdown;
#[cfg(feature = "derive")]
mod xml;

pub use difference::SchemaDifference;
#[cfg(feature = "json")]
pub use json::JsonError;
#[cfg(feature = "derive")]
pub use xml::LoggedXml;

use crate::change::compatibility::Comparable;
use crate::change::compatibility::comparable::sealed::Sealed;
use crate::change::compatibility::facts::{MeaningFacts, MessageFacts};
use crate::format::LogSchema;
use crate::format::field::up_to;
use crate::read::catalogue::definition::CopiedDefinition;
use crate::read::catalogue::ledger::{Identity, Ledger};
use crate::read::catalogue::units::{TableRow, UnitTables};
use crate::read::descriptions::DescribedMessage;
use crate::read::learner::Learner;
use crate::read::{Log, LoggedDefinition, Records};
use std::fmt;

/// The definitions of a log: its messages, and its tables of units and multipliers.
///
/// Definitions are in the order of the log. A repeated definition is kept once. A message that the log redefines is
/// kept with each definition, so two definitions may have the same id or name. Bytes after the first NUL of a text and
/// FMTU's time are dropped, because readers ignore them.
///
/// Two schemas are equal if their descriptions are, too: [`Log::schema`](crate::Log::schema) has those of the log.
#[derive(Clone, PartialEq, Default)]
pub struct LoggedSchema {
    definitions: Vec<CopiedDefinition>,
    pub(crate) units: Vec<LoggedUnit>,
    pub(crate) multipliers: Vec<LoggedMultiplier>,
    descriptions: Vec<DescribedMessage>,
}

/// A row of a log's table of units: a UNIT record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedUnit {
    /// The id in FMTU, an ASCII character in a valid log.
    pub id: u8,
    /// Its name, at most 64 bytes; empty for `-`, which means no unit.
    pub name: String,
}

/// A row of a log's table of multipliers: a MULT record.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LoggedMultiplier {
    /// The id in FMTU, an ASCII character in a valid log.
    pub id: u8,
    /// The factor from the stored number to the unit, rounded to 7 significant digits; 0 for `-`, which means no
    /// multiplier.
    ///
    /// Rounded, because some firmware has its table in single precision: its logs contain 0.009999999776 for a
    /// hundredth.
    pub value: f64,
}

impl LoggedSchema {
    /// Reads the definitions of a whole log. Damaged stretches are skipped, as [`Records`] does.
    ///
    /// If the log defines a unit or multiplier twice, the later record applies.
    pub fn from_bytes(log: &[u8]) -> Self {
        let mut schema = LoggedSchema::default();
        let mut learner = Learner::new();
        let mut ledger = Ledger::new(Identity::IdAndContent);
        for record in Records::new(log).flatten() {
            if let Some(declaration) = learner.learn(record.id(), record.payload()) {
                // The tables at the end of the log apply to all definitions.
                ledger.enter(declaration, 0);
            }
            if let Some(row) = TableRow::of(&record.definition(), record.payload()) {
                schema.learn(row);
            }
        }
        schema.definitions = ledger.definitions().map(CopiedDefinition::plain).collect();
        schema
    }

    /// Definitions that someone else than a log has, each of which fits into FMT and FMTU.
    pub(crate) fn of_parts(
        definitions: Vec<CopiedDefinition>,
        units: Vec<LoggedUnit>,
        multipliers: Vec<LoggedMultiplier>,
        descriptions: &[DescribedMessage],
    ) -> Self {
        LoggedSchema { definitions, units, multipliers, descriptions: Vec::new() }.with_descriptions(descriptions)
    }

    /// The definitions in the logs of a program.
    pub fn of<S: LogSchema>() -> Self {
        Self::from_bytes(S::PREAMBLE)
    }

    /// The definitions, in the order of the log.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = LoggedDefinition<'_>> + DoubleEndedIterator + Clone {
        self.definitions.iter().map(CopiedDefinition::definition)
    }

    /// The definition of the message with this name; the last one, if there are several.
    pub fn message(&self, name: &str) -> Option<LoggedDefinition<'_>> {
        self.messages().rfind(|message| message.name() == name)
    }

    /// The log's units, in the order of the log.
    pub fn units(&self) -> &[LoggedUnit] {
        &self.units
    }

    /// The log's multipliers, in the order of the log.
    pub fn multipliers(&self) -> &[LoggedMultiplier] {
        &self.multipliers
    }

    /// The name of a unit: by the log, or by ArduPilot's table if the log has none. `""` means no unit.
    pub fn unit_name(&self, id: u8) -> Option<&str> {
        self.unit(id)
    }

    /// The value of a multiplier: by the log, or by ArduPilot's table if the log has none. 0 means no multiplier.
    pub fn multiplier_value(&self, id: u8) -> Option<f64> {
        self.multiplier(id)
    }

    /// Enters a row. The last row of an id applies, at the place of the first one.
    fn learn(&mut self, row: TableRow) {
        match row {
            TableRow::Unit { id, name } => {
                // Text that isn't UTF-8 becomes longer as UTF-8.
                let name = up_to(&name, UNIT_NAME).to_owned();
                match self.units.iter_mut().find(|unit| unit.id == id) {
                    Some(unit) => unit.name = name,
                    None => self.units.push(LoggedUnit { id, name }),
                }
            }
            TableRow::Multiplier { id, value } => {
                match self.multipliers.iter_mut().find(|multiplier| multiplier.id == id) {
                    Some(multiplier) => multiplier.value = value,
                    None => self.multipliers.push(LoggedMultiplier { id, value }),
                }
            }
        }
    }
}

impl Log<'_> {
    /// The log's definitions, units, multipliers and descriptions: to convert to Rust source or JSON, to print, or to
    /// compare.
    pub fn schema(&self) -> LoggedSchema {
        LoggedSchema::from_bytes(self.bytes()).with_descriptions(&self.descriptions())
    }
}

impl Comparable for LoggedSchema {}

impl Sealed for LoggedSchema {
    #[allow(private_interfaces, reason = "nothing outside of the crate can name this trait")]
    fn facts(&self) -> Vec<MessageFacts<'_>> {
        self.messages().map(|message| MessageFacts::of_log(&message, self)).collect()
    }
}

impl LoggedSchema {
    /// What the log says of its messages, with the names of values and bits that its descriptions have.
    pub(crate) fn named_facts(&self) -> Vec<MessageFacts<'_>> {
        let mut facts = self.facts();
        for (message, definition) in facts.iter_mut().zip(self.messages()) {
            let Some(described) = self.described(definition.name()) else { continue };
            // Descriptions have a label once.
            for column in message.columns.iter_mut().filter(|column| column.nth == 0) {
                column.meanings = described.column(column.label()).and_then(MeaningFacts::of_log);
            }
        }
        facts
    }
}

/// The meanings at the end of the log.
impl<'s> UnitTables<'s> for &'s LoggedSchema {
    fn logged_unit(self, id: u8) -> Option<&'s str> {
        self.units.iter().find(|unit| unit.id == id).map(|unit| unit.name.as_str())
    }

    fn logged_multiplier(self, id: u8) -> Option<f64> {
        self.multipliers.iter().find(|multiplier| multiplier.id == id).map(|multiplier| multiplier.value)
    }
}

impl fmt::Debug for LoggedSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoggedSchema")
            .field("messages", &self.messages().collect::<Vec<_>>())
            .field("units", &self.units)
            .field("multipliers", &self.multipliers)
            .field("descriptions", &self.descriptions)
            .finish()
    }
}

/// Bytes of a unit's name in its UNIT record.
pub(crate) const UNIT_NAME: usize = 64;

/// Whether a text fits into its place in a record, where a NUL would end it.
pub(crate) fn fits(what: &str, text: &str, room: usize) -> Result<(), String> {
    if text.len() > room {
        return Err(format!("{} bytes of {what}, but only {room} fit: {text:?}", text.len()));
    }
    refuse_nul(what, text)
}

fn refuse_nul(what: &str, text: &str) -> Result<(), String> {
    if text.contains('\0') { Err(format!("a NUL in {what} would end the text for readers: {text:?}")) } else { Ok(()) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::format::{Definition, Format};

    /// An id, a name, format characters, labels, unit ids, multiplier ids. Without ids, there is no FMTU.
    pub(crate) type Row<'a> = (u8, &'a str, &'a str, &'a str, &'a str, &'a str);

    /// A schema of messages that are consistent.
    pub(crate) fn schema(rows: &[Row<'_>]) -> LoggedSchema {
        let definitions = rows.iter().map(|&(id, name, format, labels, units, multipliers)| {
            let sizes = format.bytes().filter_map(Format::from_character).map(Format::size);
            let length = Definition::HEADER_LENGTH + sizes.sum::<usize>();
            let length = length.try_into().expect("a record that is short enough");
            CopiedDefinition::new(id, length, name, format, labels, Some((units, multipliers)))
        });
        LoggedSchema { definitions: definitions.collect(), ..Default::default() }
    }

    #[test]
    fn debug_output_has_messages_units_and_multipliers() {
        let mut schema = schema(&[(30, "ATT", "QB", "TimeUS,I", "s-", "F-")]);
        schema.units.push(LoggedUnit { id: b'd', name: "deg".into() });
        schema.multipliers.push(LoggedMultiplier { id: b'B', value: 1e-2 });
        let text = format!("{schema:?}");
        assert!(["\"ATT\"", "\"deg\"", "0.01"].iter().all(|part| text.contains(part)), "{text}");
    }

    /// A record, with its payload padded with zeros.
    fn record(id: u8, length: usize, parts: &[&[u8]]) -> Vec<u8> {
        let mut record = [&[0xA3, 0x95, id][..], &parts.concat()].concat();
        record.resize(length, 0);
        record
    }

    fn fmt(id: u8, length: u8, name: &[u8; 4], format: &[u8; 16], labels: &[u8]) -> Vec<u8> {
        record(128, 89, &[&[id, length], name, format, labels])
    }

    fn fmtu(id: u8, units: &[u8; 16], multipliers: &[u8; 16]) -> Vec<u8> {
        record(9, 44, &[&[1; 8], &[id], units, multipliers])
    }

    const FMTU: (u8, u8, &[u8; 4], &[u8; 16], &[u8]) =
        (9, 44, b"FMTU", b"QBNN\0\0\0\0\0\0\0\0\0\0\0\0", b"TimeUS,FmtType,UnitIds,MultIds");
    const SD: &[u8; 16] = b"sd\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    const SM: &[u8; 16] = b"sm\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    const F0: &[u8; 16] = b"F0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    const QF: &[u8; 16] = b"Qf\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

    #[test]
    fn a_definition_is_there_once_and_a_changed_one_again() {
        let roll = || fmt(1, 15, b"ATT\0", QF, b"TimeUS,Roll");
        let pitch = || fmt(1, 15, b"ATT\0", QF, b"TimeUS,Pitch");
        let log = [
            fmt(FMTU.0, FMTU.1, FMTU.2, FMTU.3, FMTU.4),
            roll(),
            roll(),
            fmtu(1, SD, F0),
            // Repeated, as ArduPilot does.
            roll(),
            pitch(),
            // Repeated again; its FMTU follows it.
            roll(),
            fmtu(1, SD, F0),
            fmtu(1, SM, F0),
            // Not in force, so not defined.
            fmt(2, 2, b"NO\0\0", QF, b"TimeUS,Pitch"),
            fmtu(3, SD, F0),
        ];
        let schema = LoggedSchema::from_bytes(&log.concat());
        let expected = [("FMTU", None), ("ATT", Some("sd")), ("ATT", None), ("ATT", Some("sm"))];
        let found: Vec<_> = schema.messages().map(|message| (message.name(), message.unit_ids())).collect();
        assert_eq!(found, expected);
        assert_eq!(schema.message("ATT").map(|last| last.labels()), Some("TimeUS,Roll"));
        assert_eq!(schema.messages().nth(2).map(|changed| changed.labels()), Some("TimeUS,Pitch"));
        assert!(schema.message("NO").is_none());
    }

    #[test]
    fn units_and_multipliers_are_found_by_name_and_label() {
        let log = [
            fmt(7, 72, b"UNIT", b"ZBI\0\0\0\0\0\0\0\0\0\0\0\0\0", b"Label,Id,More"),
            fmt(8, 20, b"MULT", b"Qbd\0\0\0\0\0\0\0\0\0\0\0\0\0", b"TimeUS,Id,Mult"),
            record(7, 72, &[b"deg", &[0; 61], b"d"]),
            record(7, 72, &[b"\xB5T", &[0; 62], b"T"]),
            record(7, 72, &[&[0xB5; 64], b"U"]),
            record(7, 72, &[b"decibel", &[0; 57], b"d"]),
            record(8, 20, &[&[0; 8], b"B", &0.009999999776482582_f64.to_le_bytes()]),
            record(8, 20, &[&[0; 8], b"x", &f64::INFINITY.to_le_bytes()]),
            record(8, 20, &[&[0; 8], b"\xFF", &(1.0 / 3.0_f64).to_le_bytes()]),
        ];
        let schema = LoggedSchema::from_bytes(&log.concat());
        let units: Vec<_> = schema.units().iter().map(|unit| (unit.id, unit.name.as_str())).collect();
        assert_eq!(units, [(b'd', "decibel"), (b'T', "µT"), (b'U', "µ".repeat(32).as_str())]);
        let multipliers: Vec<_> = schema.multipliers().iter().map(|row| (row.id, row.value)).collect();
        assert_eq!(multipliers, [(b'B', 0.01), (0xFF, 0.3333333)]);
        // ArduPilot's table applies to ids that the log doesn't define.
        assert_eq!((schema.unit_name(b'd'), schema.unit_name(b'm')), (Some("decibel"), Some("m")));
        assert_eq!((schema.unit_name(b'-'), schema.unit_name(b'H')), (Some(""), None));
        assert_eq!((schema.multiplier_value(b'C'), schema.multiplier_value(b'H')), (Some(1e-3), None));
    }

    #[test]
    fn any_bytes_are_a_schema() {
        let mut bytes = [fmt(FMTU.0, FMTU.1, FMTU.2, FMTU.3, FMTU.4), fmtu(FMTU.0, SD, F0)].concat();
        for i in 0..bytes.len() {
            for value in [0, 0x2C, 0x5A, 0x80, 0xA3, 0xFF] {
                let before = std::mem::replace(&mut bytes[i], value);
                let schema = LoggedSchema::from_bytes(&bytes);
                assert!(schema.messages().len() <= 1);
                bytes[i] = before;
            }
        }
        assert_eq!(LoggedSchema::from_bytes(&[]), LoggedSchema::default());
    }
}
