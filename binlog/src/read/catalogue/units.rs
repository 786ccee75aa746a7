//! The meanings of the ids of units and multipliers in a log: by its UNIT and MULT records, or else by ArduPilot's
//! tables.

use super::definition::LoggedDefinition;
use crate::format::{Multiplier, Unit, Value, multiplier};
use std::collections::BTreeMap;

/// The id of a unit or multiplier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum RowKey {
    Unit(u8),
    Multiplier(u8),
}

/// The contents of a UNIT or MULT record.
pub(crate) enum TableRow {
    /// A unit's name; empty for no unit.
    Unit { id: u8, name: String },
    /// A multiplier's value, rounded as pymavlink does; 0 for no multiplier.
    Multiplier { id: u8, value: f64 },
}

impl TableRow {
    /// Reads the record by the message's name and its labels, because ids and layouts differ between builds. The id is
    /// the second column, and what it means the third, if the log has other labels.
    pub(crate) fn of(definition: &LoggedDefinition<'_>, payload: &[u8]) -> Option<Self> {
        let name = definition.name();
        let meaning = match name {
            "UNIT" => "Label",
            "MULT" => "Mult",
            _ => return None,
        };
        let cell = |label: &str, place: usize| {
            let in_place = || definition.columns().nth(place).filter(|column| !["Id", meaning].contains(&column.label));
            let column = definition.column(label).or_else(in_place)?;
            Value::of(column.format, payload.get(column.offset..)?)
        };
        let id = match cell("Id", 1)? {
            Value::Text(text) => *text.as_bytes().first()?,
            // Some firmware stores it as signed.
            number => number.to_integer()? as u8,
        };
        let value = cell(meaning, 2)?;
        Some(match name {
            "UNIT" => TableRow::Unit { id, name: value.text()?.to_string() },
            _ => TableRow::Multiplier { id, value: multiplier::as_meant(value.to_f64()?)? },
        })
    }

    /// What the row is about.
    pub(crate) fn key(&self) -> RowKey {
        match *self {
            TableRow::Unit { id, .. } => RowKey::Unit(id),
            TableRow::Multiplier { id, .. } => RowKey::Multiplier(id),
        }
    }

    /// Whether the records of a definition may be rows.
    pub(crate) fn are_records_of(definition: &LoggedDefinition<'_>) -> bool {
        matches!(definition.name(), "UNIT" | "MULT")
    }
}

/// The meanings of ids: by the log, or else by ArduPilot's tables.
pub(crate) trait UnitTables<'t>: Copy {
    /// The log's name for a unit.
    fn logged_unit(self, id: u8) -> Option<&'t str>;

    /// The log's value for a multiplier.
    fn logged_multiplier(self, id: u8) -> Option<f64>;

    /// The name of a unit; empty for no unit.
    fn unit(self, id: u8) -> Option<&'t str> {
        self.logged_unit(id).or_else(|| Some(Unit::from_id(id)?.name()))
    }

    /// The value of a multiplier; 0 for no multiplier.
    fn multiplier(self, id: u8) -> Option<f64> {
        self.logged_multiplier(id).or_else(|| Some(Multiplier::from_id(id)?.value()))
    }
}

/// The meanings that a log gives to ids, by offset.
#[derive(Debug, Default)]
pub(crate) struct Units {
    units: History<String>,
    multipliers: History<f64>,
    /// How often the meaning of an id has changed.
    era: usize,
}

/// By id, its meanings with the offsets at which they begin, ascending.
type History<T> = BTreeMap<u8, Vec<(usize, T)>>;

impl Units {
    /// Enters the row of a record, in the order of the log.
    pub(crate) fn learn(&mut self, offset: usize, row: TableRow) {
        let is_new_meaning = match row {
            TableRow::Unit { id, name } => note(&mut self.units, id, offset, name),
            TableRow::Multiplier { id, value } => note(&mut self.multipliers, id, offset, value),
        };
        if is_new_meaning {
            self.era += 1;
        }
    }

    /// Counts how often the meaning of an id has changed so far. In a log of two boots, the same ids may mean different
    /// units.
    pub(crate) fn era(&self) -> usize {
        self.era
    }

    /// The meanings in force for a definition at `offset`: the last before it, or else the first after it.
    pub(crate) fn at(&self, offset: usize) -> UnitsAt<'_> {
        UnitsAt { units: self, offset }
    }
}

/// Returns whether the id had another meaning before.
fn note<T: PartialEq>(history: &mut History<T>, id: u8, offset: usize, meaning: T) -> bool {
    let meanings = history.entry(id).or_default();
    match meanings.last() {
        Some((_, last)) if *last == meaning => false,
        last => {
            let is_another = last.is_some();
            meanings.push((offset, meaning));
            is_another
        }
    }
}

/// The meanings in force at an offset of the log.
#[derive(Clone, Copy)]
pub(crate) struct UnitsAt<'u> {
    units: &'u Units,
    offset: usize,
}

impl<'u> UnitsAt<'u> {
    fn in_force<T>(self, history: &'u History<T>, id: u8) -> Option<&'u T> {
        let meanings = history.get(&id)?;
        let after = meanings.partition_point(|(offset, _)| *offset < self.offset);
        meanings.get(after.saturating_sub(1)).map(|(_, meaning)| meaning)
    }
}

impl<'u> UnitTables<'u> for UnitsAt<'u> {
    fn logged_unit(self, id: u8) -> Option<&'u str> {
        self.in_force(&self.units.units, id).map(String::as_str)
    }

    fn logged_multiplier(self, id: u8) -> Option<f64> {
        self.in_force(&self.units.multipliers, id).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_means_what_was_said_last_before_or_else_first_after() {
        let mut units = Units::default();
        let unit = |name: &str| TableRow::Unit { id: b'd', name: name.into() };
        units.learn(100, unit("uT"));
        units.learn(150, unit("uT"));
        units.learn(200, unit("Gauss"));
        units.learn(250, TableRow::Multiplier { id: b'B', value: 0.5 });
        let name = |offset| units.at(offset).unit(b'd').map(str::to_owned);
        assert_eq!([0, 101, 200, 201].map(name), ["uT", "uT", "uT", "Gauss"].map(|name| Some(name.into())));
        assert_eq!((units.at(0).multiplier(b'B'), units.era()), (Some(0.5), 1));
        // What the log doesn't say, ArduPilot's tables do.
        assert_eq!((units.at(0).unit(b'm'), units.at(0).multiplier(b'C')), (Some("m"), Some(1e-3)));
        assert_eq!((units.at(0).unit(b'H'), units.at(0).multiplier(b'H')), (None, None));
    }
}
