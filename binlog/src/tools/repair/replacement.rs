//! Damaged definitions, and what takes their place.

use super::definition_scan::{DefinitionScan, FirstDefinition};
use super::other_log::OtherLog;
use super::report::ReplacedDefinition;
use crate::format::Definition;
use crate::format::header::FMT_ID;
use crate::read::catalogue::definition::Fmt;
use crate::read::{LoggedDefinition, Record, Records};
use crate::tools::check::definition::{is_consistent, problem_of};

impl<'a> OtherLog<'a> {
    /// A copy of the damaged log with definitions of this one in place of damaged ones, and a list of them. `None` if
    /// none is replaced.
    pub(super) fn replace(
        &self,
        bytes: &[u8],
        damaged: &DefinitionScan<'_>,
    ) -> Option<(Vec<u8>, Vec<ReplacedDefinition>)> {
        let (mut places, mut replaced) = (Vec::new(), Vec::new());
        for record in Records::new(bytes).flatten().filter(|record| record.id() == FMT_ID) {
            let Some(fmt) = record.payload().first_chunk::<{ size_of::<Fmt>() }>() else { continue };
            let definition = LoggedDefinition::new(fmt, None);
            let Some((first, problem)) = self.replacement(&definition, damaged) else { continue };
            let (offset, id, name) = (record.offset(), first.definition.id(), first.definition.name().into());
            replaced.push(ReplacedDefinition { offset, id, name, problem });
            places.push((offset + Definition::HEADER_LENGTH, self.record(&first.fmt)));
        }
        if replaced.is_empty() {
            return None;
        }
        let mut bytes = bytes.to_vec();
        for (at, fmt) in places {
            let fmt = fmt.get(Definition::HEADER_LENGTH..).unwrap_or_default();
            if let Some(place) = bytes.get_mut(at..at + fmt.len()) {
                place.copy_from_slice(fmt);
            }
        }
        Some((bytes, replaced))
    }

    /// The definition to use in place of one of the damaged log, and what is wrong with that one.
    pub(super) fn replacement(
        &self,
        definition: &LoggedDefinition<'_>,
        damaged: &DefinitionScan<'_>,
    ) -> Option<(&FirstDefinition<'a>, String)> {
        if let Some(first) = self.misplaced(definition, damaged) {
            return Some((first, format!("its id is {}", definition.id())));
        }
        if let Some(first) = self.intruder(definition, damaged) {
            let name = self.all.get(&definition.id()).map_or("", |owner| owner.definition.name()).escape_debug();
            return Some((first, format!("its id is {}, which is {name}'s", definition.id())));
        }
        if let Some(first) = self.namesake(definition, damaged) {
            return Some((first, "its name is that of another type".into()));
        }
        let problem = problem_of(definition)?;
        let first = self.definition(definition.id())?;
        let (name, id) = (definition.name(), definition.id());
        // If this log knows the name by another id, the ids of the two logs don't agree.
        let is_elsewhere = self.all.iter().any(|(other, first)| *other != id && first.definition.name() == name);
        // A consistent FMT has the length of its records, even if something else in it is damaged.
        let is_of_its_records = !is_consistent(definition)
            || (problem_of(&first.definition).is_none() && first.definition.length() == definition.length());
        (is_of_its_records && !is_elsewhere).then_some((first, problem))
    }

    /// The definition of which one of the damaged log is a copy with a damaged id.
    ///
    /// Another id alone is not damage: ArduPilot numbers the types of `Logger.Write` in the order of their first use
    /// (`AP_Logger::find_free_msg_type`). So the log must have records of the id that it lost, and of the id that it
    /// has instead no record, or another definition.
    pub(super) fn misplaced(
        &self,
        definition: &LoggedDefinition<'_>,
        damaged: &DefinitionScan<'_>,
    ) -> Option<&FirstDefinition<'a>> {
        let id = definition.id();
        if self.all.get(&id).is_some_and(|first| first.defines_as(definition)) {
            return None;
        }
        let is_lost = |id: u8| !damaged.first.contains_key(&id) && damaged.is_skipped[usize::from(id)];
        let first = self.all.values().find(|first| first.defines_as(definition) && is_lost(first.definition.id()))?;
        // Nothing else is FMT.
        let is_redefined = id == FMT_ID || damaged.first.get(&id).is_some_and(|first| !first.later.is_empty());
        (is_redefined || !damaged.has_records[usize::from(id)]).then_some(first)
    }

    /// The definition to use for one of the damaged log that gives another meaning to an id, whose own definition the
    /// log has, too: that of the type that it was, if the log lacks it, or else the id's own.
    ///
    /// A log of several boots may give an id to different types.
    pub(super) fn intruder(
        &self,
        definition: &LoggedDefinition<'_>,
        damaged: &DefinitionScan<'_>,
    ) -> Option<&FirstDefinition<'a>> {
        let id = definition.id();
        let owner = self.all.get(&id).filter(|owner| !owner.defines_as(definition) && !damaged.has_several_boots)?;
        damaged.first.get(&id)?.all().find(|own| owner.defines_as(own))?;
        let is_type =
            |first: &FirstDefinition<'_>| first.defines_as(definition) || first.definition.name() == definition.name();
        let lost =
            self.all.values().find(|first| is_type(first) && !damaged.first.contains_key(&first.definition.id()));
        Some(lost.unwrap_or(owner))
    }

    /// The definition to use for one of the damaged log whose name is that of another type, which the log has, too.
    fn namesake(
        &self,
        definition: &LoggedDefinition<'_>,
        damaged: &DefinitionScan<'_>,
    ) -> Option<&FirstDefinition<'a>> {
        let (id, name) = (definition.id(), definition.name());
        let first = self.all.get(&id).filter(|first| first.definition.name() != name && !damaged.has_several_boots)?;
        let of_name = self.all.values().find(|first| first.definition.name() == name)?;
        let own = damaged.first.get(&of_name.definition.id())?;
        let is_of_records =
            (first.definition.length(), first.definition.format()) == (definition.length(), definition.format());
        (of_name.defines_as(&own.definition) && is_of_records).then_some(first)
    }
}

/// The number of records that readers find in a log with replaced definitions, and in the damaged one not or by another
/// definition. Both logs have the same length.
pub(super) fn newly_read(damaged: &[u8], replaced: &[u8]) -> u64 {
    let mut before = Records::new(damaged).flatten().peekable();
    let is_new = |record: &Record<'_>| {
        while before.next_if(|before| before.offset() < record.offset()).is_some() {}
        let same = before.next_if(|before| before.offset() == record.offset());
        same.is_none_or(|same| same.definition().fmt_content() != record.definition().fmt_content())
    };
    Records::new(replaced).flatten().filter(is_new).count() as u64
}
