//! What a log defines, and where.

use super::InsertedDefinition;
use crate::catalogue::declaration::{Declaration, Learner};
use crate::catalogue::definition::LoggedDefinition;
use crate::records::{Record, Records};
use std::collections::BTreeMap;
use std::ops::Range;

/// The first definitions in a log, and whether it is damaged.
pub(super) struct Survey<'a> {
    pub(super) is_damaged: bool,
    pub(super) records: u64,
    /// By id.
    pub(super) first: BTreeMap<u8, First<'a>>,
    /// Whether the log names units or multipliers.
    pub(super) has_tables: bool,
    /// By id, whether it has records that readers read.
    pub(super) has_records: [bool; 256],
}

/// The first definition of an id.
pub(super) struct First<'a> {
    pub(super) definition: LoggedDefinition<'a>,
    pub(super) fmt: Range<usize>,
    /// Its FMTU, as long as nothing else defines the id.
    pub(super) fmtu: Option<Range<usize>>,
    is_replaced: bool,
}

impl<'a> Survey<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        let mut survey = Survey {
            is_damaged: false,
            records: 0,
            first: BTreeMap::new(),
            has_tables: false,
            has_records: [false; 256],
        };
        let mut learner = Learner::new();
        for item in Records::new(bytes) {
            match item {
                Ok(record) => {
                    survey.records += 1;
                    survey.has_records[usize::from(record.id())] = true;
                    if let Some(declaration) = learner.learn(record.id(), record.payload()) {
                        survey.declare(declaration, &record);
                    } else if !survey.has_tables {
                        survey.has_tables = is_table(record.name());
                    }
                }
                Err(_) => survey.is_damaged = true,
            }
        }
        survey
    }

    fn declare(&mut self, declaration: Declaration<'a>, record: &Record<'a>) {
        let place = record.offset()..record.offset() + record.len();
        match (declaration, self.first.get_mut(&declaration.id())) {
            (Declaration::Fmt(fmt), None) => {
                let definition = LoggedDefinition::new(fmt, None);
                let first = First { definition, fmt: place, fmtu: None, is_replaced: false };
                self.first.insert(declaration.id(), first);
            }
            (Declaration::Fmt(fmt), Some(first)) => {
                first.is_replaced |= first.definition.fmt_content() != LoggedDefinition::new(fmt, None).fmt_content();
            }
            (Declaration::Fmtu(_), Some(first)) if first.fmtu.is_none() && !first.is_replaced => {
                first.fmtu = Some(place);
            }
            (Declaration::Fmtu(_), _) => {}
        }
    }
}

impl First<'_> {
    /// Says that the definition was written in front of the record at `offset`.
    pub(super) fn inserted(&self, offset: usize, is_borrowed: bool) -> InsertedDefinition {
        let (id, name) = (self.definition.id(), self.definition.name().into());
        InsertedDefinition { offset, defined_at: self.fmt.start, id, name, is_borrowed }
    }
}

/// Whether the records of a type name units or multipliers.
pub(super) fn is_table(name: &str) -> bool {
    matches!(name, "UNIT" | "MULT")
}

/// Whether the records of a type define types, or name units and multipliers.
pub(super) fn is_definition(name: &str) -> bool {
    matches!(name, "FMT" | "FMTU") || is_table(name)
}
