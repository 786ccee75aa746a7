//! What the ids of units and multipliers mean in a log: its UNIT and MULT records, or else ArduPilot's tables.

use super::definition::LoggedDefinition;
use crate::multiplier::{self, Multiplier};
use crate::unit::Unit;
use crate::value::Value;
use std::collections::BTreeMap;

/// What a UNIT or a MULT record says.
pub(crate) enum TableRow {
    /// A unit's name; empty for none.
    Unit { id: u8, name: String },
    /// A multiplier's value, as it is meant; 0 for none.
    Multiplier { id: u8, value: f64 },
}

impl TableRow {
    /// By name and labels, since ids and layouts differ from build to build.
    pub(crate) fn of(definition: &LoggedDefinition<'_>, payload: &[u8]) -> Option<Self> {
        let cell = |label| {
            let column = definition.column(label)?;
            Value::of(column.format, payload.get(column.offset..)?)
        };
        // Stored signed by some firmware.
        let id = || cell("Id")?.to_integer().map(|id| id as u8);
        match definition.name() {
            "UNIT" => Some(TableRow::Unit { id: id()?, name: cell("Label")?.text()?.to_string() }),
            "MULT" => Some(TableRow::Multiplier { id: id()?, value: multiplier::as_meant(cell("Mult")?.to_f64()?)? }),
            _ => None,
        }
    }

    /// Whether records of a definition may be rows.
    pub(crate) fn are_records_of(definition: &LoggedDefinition<'_>) -> bool {
        matches!(definition.name(), "UNIT" | "MULT")
    }
}

/// What ids mean: what a log says, or else ArduPilot's tables.
pub(crate) trait UnitTables {
    /// What the log says of a unit.
    fn logged_unit(&self, id: u8) -> Option<&str>;

    /// What the log says of a multiplier.
    fn logged_multiplier(&self, id: u8) -> Option<f64>;

    /// The name of a unit; empty for none.
    fn unit(&self, id: u8) -> Option<&str> {
        self.logged_unit(id).or_else(|| Some(Unit::from_id(id)?.name()))
    }

    /// The value of a multiplier; 0 for none.
    fn multiplier(&self, id: u8) -> Option<f64> {
        self.logged_multiplier(id).or_else(|| Some(Multiplier::from_id(id)?.value()))
    }
}

/// The meanings that a log gives to ids, by where it gives them.
#[derive(Debug, Default)]
pub(crate) struct Units {
    units: History<String>,
    multipliers: History<f64>,
    /// How often an id got another meaning.
    era: usize,
}

/// By id, what it means from an offset on, ascending.
type History<T> = BTreeMap<u8, Vec<(usize, T)>>;

impl Units {
    /// Takes in the row of a record, in the order of the log.
    pub(crate) fn learn(&mut self, offset: usize, row: TableRow) {
        let is_new_meaning = match row {
            TableRow::Unit { id, name } => note(&mut self.units, id, offset, name),
            TableRow::Multiplier { id, value } => note(&mut self.multipliers, id, offset, value),
        };
        self.era += usize::from(is_new_meaning);
    }

    /// Counts how often an id got another meaning so far: a log of two boots may mean other units by the same ids.
    pub(crate) fn era(&self) -> usize {
        self.era
    }

    /// The meanings in force for a definition at `offset`: what was said last before it, or else first after it.
    pub(crate) fn at(&self, offset: usize) -> UnitsAt<'_> {
        UnitsAt { units: self, offset }
    }
}

/// Returns whether the id meant something else before.
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

/// The meanings in force at a place of a log.
#[derive(Clone, Copy)]
pub(crate) struct UnitsAt<'u> {
    units: &'u Units,
    offset: usize,
}

impl UnitsAt<'_> {
    fn in_force<'u, T>(&self, history: &'u History<T>, id: u8) -> Option<&'u T> {
        let meanings = history.get(&id)?;
        let after = meanings.partition_point(|(offset, _)| *offset < self.offset);
        meanings.get(after.saturating_sub(1)).map(|(_, meaning)| meaning)
    }
}

impl UnitTables for UnitsAt<'_> {
    fn logged_unit(&self, id: u8) -> Option<&str> {
        self.in_force(&self.units.units, id).map(String::as_str)
    }

    fn logged_multiplier(&self, id: u8) -> Option<f64> {
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
