//! Another log of the same firmware, whose definitions stand in for missing and damaged ones.

use super::definition_scan::{DefinitionScan, FirstDefinition};
use super::report::RepairError;
use crate::read::catalogue::DEFINITIONS;
use crate::read::catalogue::units::TableRow;
use crate::read::{LoggedDefinition, Records};
use crate::tools::check::definition::is_consistent;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The consistent definitions of the other log.
pub(super) struct OtherLog<'a> {
    bytes: &'a [u8],
    /// By id.
    pub(super) all: BTreeMap<u8, FirstDefinition<'a>>,
    /// Ids of the types that have another id in the damaged log.
    elsewhere: BTreeSet<u8>,
}

/// A record that names a unit or a multiplier.
pub(super) struct Row<'a> {
    /// The id of the type, UNIT or MULT.
    pub(super) id: u8,
    pub(super) bytes: &'a [u8],
}

impl<'a> OtherLog<'a> {
    /// # Errors
    ///
    /// If more of the consistent definitions of ids that both logs define differ than agree. FMT, FMTU, UNIT and MULT
    /// don't count: they are the same in many firmwares.
    pub(super) fn new(bytes: &'a [u8], damaged: &DefinitionScan<'_>) -> Result<Self, RepairError> {
        let mut all = DefinitionScan::of(bytes).first;
        all.retain(|_, first| is_consistent(&first.definition));
        let mut other = OtherLog { bytes, all, elsewhere: BTreeSet::new() };
        let consistent = damaged.first.values().map(|first| first.definition).filter(is_consistent);
        let is_placed = |definition: &LoggedDefinition<'_>| {
            other.misplaced(definition, damaged).or_else(|| other.intruder(definition, damaged)).is_none()
        };
        let placed: Vec<_> = consistent.filter(is_placed).collect();
        let (mut same, mut different) = (0, Vec::new());
        for definition in placed.iter().filter(|definition| !DEFINITIONS.contains(&definition.name())) {
            match other.all.get(&definition.id()) {
                Some(first) if first.defines_as(definition) => same += 1,
                Some(_) => different.push(definition.name()),
                None => {}
            }
        }
        if let Some(name) = different.first().filter(|_| different.len() > same) {
            let (different, shared) = (different.len(), different.len() + same);
            return Err(RepairError::OtherFirmware { different, shared, name: (*name).into() });
        }
        let ids: BTreeMap<&str, u8> = placed.iter().map(|definition| (definition.name(), definition.id())).collect();
        let has_another = |id: u8, name| ids.get(name).is_some_and(|&here| here != id);
        let elsewhere = other.all.iter().filter(|(id, first)| has_another(**id, first.definition.name()));
        other.elsewhere = elsewhere.map(|(id, _)| *id).collect();
        Ok(other)
    }

    /// The definition of an id, unless its type has another id in the damaged log.
    pub(super) fn definition(&self, id: u8) -> Option<&FirstDefinition<'a>> {
        self.all.get(&id).filter(|_| !self.elsewhere.contains(&id))
    }

    /// The definitions by id, without those whose type has another id in the damaged log.
    pub(super) fn definitions(&self) -> impl Iterator<Item = (&u8, &FirstDefinition<'a>)> {
        self.all.iter().filter(|(id, _)| !self.elsewhere.contains(id))
    }

    /// Names of the types of the damaged log that are defined differently here, and aren't replaced.
    pub(super) fn differing(&self, damaged: &DefinitionScan<'_>) -> Vec<String> {
        let differs = |definition: &LoggedDefinition<'_>| {
            let name = definition.name();
            let by_name = || self.all.values().find(|first| first.definition.name() == name);
            let known = self.all.get(&definition.id()).filter(|first| first.definition.name() == name).or_else(by_name);
            let known = known.or_else(|| self.definition(definition.id()));
            known.is_some_and(|first| !first.defines_as(definition)) && self.replacement(definition, damaged).is_none()
        };
        let all = damaged.first.values().map(|first| first.definition);
        all.filter(differs).map(|definition| definition.name().into()).collect()
    }

    /// The bytes of a record.
    pub(super) fn record(&self, place: &Range<usize>) -> &'a [u8] {
        self.bytes.get(place.clone()).unwrap_or_default()
    }

    /// The units and multipliers that the damaged log doesn't name, unless it gives the id of these records to another
    /// type.
    pub(super) fn rows(&self, damaged: &DefinitionScan<'_>) -> Vec<Row<'a>> {
        let is_lacking = |definition: &LoggedDefinition<'_>, payload: &[u8]| {
            let id = definition.id();
            self.definition(id).is_some_and(|first| first.defines_as(definition))
                && damaged.first.get(&id).is_none_or(|first| first.defines_as(definition))
                && TableRow::of(definition, payload).is_some_and(|row| !damaged.rows.contains(&row.key()))
        };
        let records = Records::new(self.bytes).flatten();
        let rows = records.filter(|record| is_lacking(&record.definition(), record.payload()));
        rows.map(|record| Row {
            id: record.id(),
            bytes: self.record(&(record.offset()..record.offset() + record.len())),
        })
        .collect()
    }
}
