//! Another log of the same firmware, whose definitions stand in for those that a log lacks.

use super::ReplacedDefinition;
use super::survey::{First, Survey, is_definition, is_table};
use crate::catalogue::definition::{FMT_ID, Fmt, LoggedDefinition};
use crate::check::definition::{is_consistent, problem_of};
use crate::definition::Definition;
use crate::records::Records;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

/// The definitions of the other log, without those that contradict themselves, and those whose name has another id in the
/// damaged log.
pub(super) struct Lender<'a> {
    bytes: &'a [u8],
    definitions: BTreeMap<u8, First<'a>>,
    /// Names of the types that both logs define, in different ways, and that aren't replaced.
    pub(super) differing: Vec<String>,
}

impl<'a> Lender<'a> {
    /// # Errors
    ///
    /// If most of the sound definitions of ids that both logs define differ. Those of definitions and tables don't count:
    /// they are the same in many firmwares.
    pub(super) fn new(bytes: &'a [u8], damaged: &Survey<'_>) -> io::Result<Self> {
        let mut definitions = Survey::of(bytes).first;
        definitions.retain(|_, first| is_consistent(&first.definition));
        let mut lender = Lender { bytes, definitions, differing: Vec::new() };
        let (mut same, mut different) = (0, Vec::new());
        let mut ids = BTreeMap::new();
        let sound = damaged.first.values().map(|first| first.definition).filter(is_consistent);
        for definition in sound.filter(|definition| lender.misplaced(definition, damaged).is_none()) {
            let (id, name) = (definition.id(), definition.name());
            ids.insert(name, id);
            match lender.definition(id) {
                _ if is_definition(name) => {}
                Some(other) if other.definition.fmt_content() == definition.fmt_content() => same += 1,
                Some(_) => different.push(definition),
                None => {}
            }
        }
        if different.len() > same {
            let text = format!(
                "the definitions are of other firmware: {} of the {} types that both logs define differ, such as {}",
                different.len(),
                different.len() + same,
                different.first().map_or("", |definition| definition.name()).escape_debug(),
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        lender.definitions.retain(|id, first| ids.get(first.definition.name()).is_none_or(|here| here == id));
        let kept = different.iter().filter(|definition| lender.replacement(definition, damaged).is_none());
        lender.differing = kept.map(|definition| definition.name().into()).collect();
        Ok(lender)
    }

    /// The definition that a FMT of the damaged log was before its id was damaged: it is the same but for the id, which no
    /// record has or which is another type's.
    fn misplaced(&self, definition: &LoggedDefinition<'_>, damaged: &Survey<'_>) -> Option<&First<'a>> {
        let (id, content) = (definition.id(), definition.fmt_content());
        let is_same = |first: &&First<'_>| first.definition.id() != id && first.definition.fmt_content() == content;
        let first = self.definitions.values().find(is_same)?;
        let is_lost = !damaged.first.contains_key(&first.definition.id());
        let is_wrong_here = match self.definition(id) {
            Some(other) => other.definition.fmt_content() != content,
            None => !damaged.has_records[usize::from(id)],
        };
        (is_lost && is_wrong_here).then_some(first)
    }

    pub(super) fn definition(&self, id: u8) -> Option<&First<'a>> {
        self.definitions.get(&id)
    }

    pub(super) fn definitions(&self) -> impl Iterator<Item = (&u8, &First<'a>)> {
        self.definitions.iter()
    }

    /// The bytes of a record.
    pub(super) fn record(&self, place: &Range<usize>) -> &'a [u8] {
        self.bytes.get(place.clone()).unwrap_or_default()
    }

    /// The records that name units and multipliers.
    pub(super) fn tables(&self) -> Vec<&'a [u8]> {
        let records = Records::new(self.bytes).flatten().filter(|record| is_table(record.name()));
        let records = records.filter(|record| self.definitions.contains_key(&record.id()));
        records.map(|record| self.record(&(record.offset()..record.offset() + record.len()))).collect()
    }

    /// The damaged log with the other log's definitions in place of those that contradict themselves, and of those whose
    /// id is damaged. `None` if there are none.
    pub(super) fn replace(&self, bytes: &[u8], damaged: &Survey<'_>) -> Option<(Vec<u8>, Vec<ReplacedDefinition>)> {
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

    /// What takes the place of a damaged definition, and what is wrong with that.
    fn replacement(&self, definition: &LoggedDefinition<'_>, damaged: &Survey<'_>) -> Option<(&First<'a>, String)> {
        if let Some(first) = self.misplaced(definition, damaged) {
            return Some((first, format!("it defines the id {}", definition.id())));
        }
        let first = self.definition(definition.id()).filter(|first| problem_of(&first.definition).is_none())?;
        Some((first, problem_of(definition)?))
    }
}
