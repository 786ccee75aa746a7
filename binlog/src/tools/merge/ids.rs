//! The ids of the merged log: of types, units and multipliers.

use super::Renumbered;
use super::conflict::{Conflict, MergeError};
use crate::change::LoggedSchema;
use crate::format::header::{FMT_ID, record_header};
use crate::format::{Multiplier, Unit};
use crate::read::LoggedDefinition;
use crate::read::catalogue::definition::CopiedDefinition;
use std::collections::{BTreeMap, HashMap};

/// The definitions of the merged log.
pub(super) struct Ids {
    /// In the order of their first definitions.
    types: Vec<Type>,
    by_name: HashMap<String, usize>,
    units: BTreeMap<u8, String>,
    multipliers: BTreeMap<u8, f64>,
    /// The ids of UNIT, MULT and FMTU.
    tables: [u8; 3],
    has_units: bool,
}

/// A type of the merged log.
struct Type {
    name: String,
    id: u8,
    length: u8,
    format: String,
    labels: String,
    /// The ids of units and multipliers.
    units: Option<(String, String)>,
    /// The log that defines it first, and the log that gives it its units.
    defined_by: usize,
    units_by: usize,
}

/// What defines units: name, length, format, labels, units, multipliers.
const TABLES: [(&str, u8, &str, &str, &str, &str); 3] = [
    ("UNIT", 76, "QbZ", "TimeUS,Id,Label", "s--", "F--"),
    ("MULT", 20, "Qbd", "TimeUS,Id,Mult", "s--", "F--"),
    ("FMTU", 44, "QBNN", "TimeUS,FmtType,UnitIds,MultIds", "s---", "F---"),
];

/// Whether the merged log has definitions with this name of its own.
fn is_table(name: &str) -> bool {
    name == "FMT" || TABLES.iter().any(|table| table.0 == name)
}

impl Ids {
    pub(super) fn of(schemas: &[LoggedSchema]) -> Result<(Self, Vec<Renumbered>), MergeError> {
        let mut ids = Ids {
            types: Vec::new(),
            by_name: HashMap::new(),
            units: BTreeMap::new(),
            multipliers: BTreeMap::new(),
            tables: [0; 3],
            has_units: schemas.iter().any(|schema| schema.messages().any(|message| message.unit_ids().is_some())),
        };
        for schema in schemas {
            for unit in schema.units() {
                ids.units.entry(unit.id).or_insert_with(|| unit.name.clone());
            }
            for multiplier in schema.multipliers() {
                ids.multipliers.entry(multiplier.id).or_insert(multiplier.value);
            }
        }
        if ids.has_units {
            // Those of FMT and `TABLES`, which other programs than ArduPilot may leave out.
            for unit in Unit::STANDARD.iter().filter(|unit| matches!(unit.id(), b'-' | b'b' | b's')) {
                ids.units.entry(unit.id()).or_insert_with(|| unit.name().to_owned());
            }
            for multiplier in [Multiplier::NONE, Multiplier::MICRO] {
                ids.multipliers.entry(multiplier.id()).or_insert(multiplier.value());
            }
        }
        let mut taken = [false; 256];
        taken[usize::from(FMT_ID)] = true;
        taken[255] = true;
        if ids.has_units {
            for (place, table) in TABLES.iter().enumerate() {
                let own = schemas.iter().find_map(|schema| Some(schema.message(table.0)?.id()));
                ids.tables[place] = free_id(own, &mut taken).ok_or_else(|| no_id(table.0))?;
            }
        }
        let mut renumbered = Vec::new();
        for (log, schema) in schemas.iter().enumerate() {
            for message in schema.messages().filter(|message| !is_table(message.name())) {
                if message.name().is_empty() {
                    return Err(MergeError::NoName { log, id: message.id() });
                }
                let to = ids.enter(log, schema, &message, &mut taken)?;
                if to != message.id() {
                    renumbered.push(Renumbered { log, name: message.name().into(), from: message.id(), to });
                }
            }
        }
        Ok((ids, renumbered))
    }

    /// The id of a type in the merged log.
    pub(super) fn id(&self, name: &str) -> Option<u8> {
        self.by_name.get(name).map(|&place| self.types[place].id)
    }

    /// Enters a definition, and returns its id in the merged log.
    fn enter(
        &mut self,
        log: usize,
        schema: &LoggedSchema,
        message: &LoggedDefinition<'_>,
        taken: &mut [bool; 256],
    ) -> Result<u8, MergeError> {
        let name = message.name();
        let units = self.units_of(schema, message)?;
        if let Some(&place) = self.by_name.get(name) {
            self.types[place].reconcile(log, message, units)?;
            return Ok(self.types[place].id);
        }
        let id = free_id(Some(message.id()), taken).ok_or_else(|| no_id(name))?;
        self.by_name.insert(name.into(), self.types.len());
        self.types.push(Type {
            name: name.into(),
            id,
            length: message.length(),
            format: message.format().into(),
            labels: message.labels().into(),
            units,
            defined_by: log,
            units_by: log,
        });
        Ok(id)
    }

    /// The ids of a definition's units and multipliers in the merged log.
    fn units_of(
        &mut self,
        schema: &LoggedSchema,
        message: &LoggedDefinition<'_>,
    ) -> Result<Option<(String, String)>, MergeError> {
        let (Some(units), Some(multipliers)) = (message.unit_ids(), message.multiplier_ids()) else { return Ok(None) };
        let full = || MergeError::NoUnitIdLeft { name: message.name().into() };
        let unit = |id: char| {
            let meaning = u8::try_from(id).ok().and_then(|id| schema.unit_name(id)).map(str::to_owned);
            matched(&mut self.units, id, meaning)
        };
        let units: Option<String> = units.chars().map(unit).collect();
        let multiplier = |id: char| {
            let meaning = u8::try_from(id).ok().and_then(|id| schema.multiplier_value(id));
            matched(&mut self.multipliers, id, meaning)
        };
        let multipliers: Option<String> = multipliers.chars().map(multiplier).collect();
        Ok(Some((units.ok_or_else(full)?, multipliers.ok_or_else(full)?)))
    }

    /// The definitions, in the order that every reader accepts.
    pub(super) fn preamble(&self) -> Vec<u8> {
        let mut preamble = Vec::new();
        // pymavlink's sequential parser takes the time of FMTU for the id of a type.
        let has_id_0 = self.types.iter().any(|each| each.id == 0) || (self.has_units && self.tables.contains(&0));
        let time_us: u64 = if has_id_0 { 256 } else { 0 };
        let fmt = (FMT_ID, 89, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns", Some(("-b---", "-----")));
        let tables = TABLES.iter().zip(self.tables).filter(|_| self.has_units);
        let own = tables.map(|((name, length, format, labels, units, multipliers), id)| {
            (id, *length, *name, *format, *labels, Some((*units, *multipliers)))
        });
        let own: Vec<_> = std::iter::once(fmt).chain(own).collect();
        let copy =
            |(id, length, name, format, labels, units)| CopiedDefinition::new(id, length, name, format, labels, units);
        own.iter().for_each(|row| put(&mut preamble, FMT_ID, copy(*row).fmt()));
        let [unit, mult, fmtu] = self.tables;
        if self.has_units {
            for (id, name) in &self.units {
                let mut label = [0; 64];
                label.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
                put(&mut preamble, unit, &[&[0; 8], &[*id][..], &label].concat());
            }
            for (id, value) in &self.multipliers {
                put(&mut preamble, mult, &[&[0; 8], &[*id][..], &value.to_le_bytes()].concat());
            }
        }
        let put_units = |preamble: &mut Vec<u8>, definition: &CopiedDefinition| {
            if let (true, Some(payload)) = (self.has_units, definition.fmtu(time_us)) {
                put(preamble, fmtu, &payload);
            }
        };
        own.iter().for_each(|row| put_units(&mut preamble, &copy(*row)));
        for each in &self.types {
            let units = each.units.as_ref().map(|(units, multipliers)| (units.as_str(), multipliers.as_str()));
            let definition = copy((each.id, each.length, &each.name, &each.format, &each.labels, units));
            put(&mut preamble, FMT_ID, definition.fmt());
            put_units(&mut preamble, &definition);
        }
        preamble
    }
}

impl Type {
    /// Compares the type with another definition of it. If the type has no units so far, it gets those of the other
    /// definition.
    fn reconcile(
        &mut self,
        log: usize,
        message: &LoggedDefinition<'_>,
        units: Option<(String, String)>,
    ) -> Result<(), MergeError> {
        let conflict = |first, what, one: &dyn ToString, other: &dyn ToString| {
            let (name, values) = (self.name.clone(), [one.to_string(), other.to_string()]);
            Err(MergeError::Conflict(Conflict { name, logs: [first, log], what, values }))
        };
        if self.labels != message.labels() {
            return conflict(self.defined_by, "labels", &self.labels, &message.labels());
        }
        if self.format != message.format() {
            return conflict(self.defined_by, "format", &self.format, &message.format());
        }
        if self.length != message.length() {
            return conflict(self.defined_by, "length", &self.length, &message.length());
        }
        match (&self.units, units) {
            (Some((own, _)), Some((other, _))) if *own != other => conflict(self.units_by, "units", own, &other),
            (Some((_, own)), Some((_, other))) if *own != other => conflict(self.units_by, "multipliers", own, &other),
            (None, Some(units)) => {
                (self.units, self.units_by) = (Some(units), log);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn no_id(name: &str) -> MergeError {
    MergeError::NoIdLeft { name: name.into() }
}

/// The wanted id if it is free, or else the smallest free one from 1 upward.
fn free_id(wanted: Option<u8>, taken: &mut [bool; 256]) -> Option<u8> {
    let is_free = |id: &u8| !taken[usize::from(*id)];
    let id = wanted.filter(is_free).or_else(|| (1..255).chain([0]).find(is_free))?;
    taken[usize::from(id)] = true;
    Some(id)
}

/// The id in the merged log for an id that has this meaning in a log. `None` if no id is left.
fn matched<T: PartialEq + Meaning>(table: &mut BTreeMap<u8, T>, id: char, meaning: Option<T>) -> Option<char> {
    let Some(meaning) = meaning else { return Some(id) };
    let own = u8::try_from(id).ok();
    let is_free = |id: u8, table: &BTreeMap<u8, T>| match table.get(&id) {
        Some(known) => *known == meaning,
        // ArduPilot's tables apply to ids that no log defines.
        None => T::standard(id).is_none_or(|standard| standard == meaning),
    };
    let same = || table.iter().find(|(_, known)| **known == meaning).map(|(id, _)| *id);
    let any = || (b'!'..=b'~').find(|&id| !table.contains_key(&id) && T::standard(id).is_none());
    let found = own.filter(|&id| is_free(id, table)).or_else(same).or_else(any)?;
    table.entry(found).or_insert(meaning);
    Some(found.into())
}

/// What an id of a unit or multiplier means.
trait Meaning: Sized {
    /// In ArduPilot's table.
    fn standard(id: u8) -> Option<Self>;
}

impl Meaning for String {
    fn standard(id: u8) -> Option<Self> {
        Unit::from_id(id).map(|unit| unit.name().to_owned())
    }
}

impl Meaning for f64 {
    fn standard(id: u8) -> Option<Self> {
        Multiplier::from_id(id).map(|multiplier| multiplier.value())
    }
}

fn put(log: &mut Vec<u8>, id: u8, payload: &[u8]) {
    log.extend(record_header(id));
    log.extend(payload);
}
