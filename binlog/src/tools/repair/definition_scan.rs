//! What a log defines, and where.

use super::InsertedDefinition;
use crate::format::header::HEAD_BYTES;
use crate::read::catalogue::declaration::Declaration;
use crate::read::catalogue::units::{RowKey, TableRow};
use crate::read::learner::Learner;
use crate::read::{LoggedDefinition, Record, Records, Skipped};
use memchr::memmem;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::ops::Range;

/// The first definitions in a log, and whether it is damaged.
pub(super) struct DefinitionScan<'a> {
    pub(super) is_damaged: bool,
    pub(super) records: u64,
    /// By id.
    pub(super) first: BTreeMap<u8, FirstDefinition<'a>>,
    /// The units and multipliers that the log names.
    pub(super) rows: BTreeSet<RowKey>,
    /// By id, whether it has records that readers read.
    pub(super) has_records: [bool; 256],
    /// By id, whether its header is in a stretch without records.
    pub(super) is_skipped: [bool; 256],
    /// Whether the log defines FMT again, as it does after each boot.
    pub(super) has_several_boots: bool,
}

/// The first definition of an id.
pub(super) struct FirstDefinition<'a> {
    pub(super) definition: LoggedDefinition<'a>,
    pub(super) fmt: Range<usize>,
    /// Its FMTU, as long as nothing else defines the id.
    pub(super) fmtu: Option<Range<usize>>,
    /// The definitions of the id that follow and differ from the one before.
    pub(super) later: Vec<LoggedDefinition<'a>>,
}

impl<'a> DefinitionScan<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        let mut scan = DefinitionScan {
            is_damaged: false,
            records: 0,
            first: BTreeMap::new(),
            rows: BTreeSet::new(),
            has_records: [false; 256],
            is_skipped: [false; 256],
            has_several_boots: false,
        };
        let mut learner = Learner::new();
        for item in Records::new(bytes) {
            match item {
                Ok(record) => {
                    scan.records += 1;
                    scan.has_records[usize::from(record.id())] = true;
                    if let Some(declaration) = learner.learn(record.id(), record.payload()) {
                        scan.declare(declaration, &record);
                    } else if let Some(row) = TableRow::of(&record.definition(), record.payload()) {
                        scan.rows.insert(row.key());
                    }
                }
                Err(Skipped { offset, length, .. }) => {
                    scan.is_damaged = true;
                    let stretch = bytes.get(offset..offset + length).unwrap_or_default();
                    let ids = memmem::find_iter(stretch, &HEAD_BYTES).filter_map(|at| stretch.get(at + 2));
                    ids.for_each(|id| scan.is_skipped[usize::from(*id)] = true);
                }
            }
        }
        scan
    }

    fn declare(&mut self, declaration: Declaration<'a>, record: &Record<'a>) {
        let place = record.offset()..record.offset() + record.len();
        match (declaration, self.first.get_mut(&declaration.id())) {
            (Declaration::Fmt(fmt), None) => {
                let definition = LoggedDefinition::new(fmt, None);
                let first = FirstDefinition { definition, fmt: place, fmtu: None, later: Vec::new() };
                self.first.insert(declaration.id(), first);
            }
            (Declaration::Fmt(fmt), Some(first)) => {
                self.has_several_boots |= declaration.is_of_fmt();
                let (definition, last) = (LoggedDefinition::new(fmt, None), first.later.last());
                if definition.fmt_content() != last.unwrap_or(&first.definition).fmt_content() {
                    first.later.push(definition);
                }
            }
            (Declaration::Fmtu(..), Some(first)) if first.fmtu.is_none() && first.later.is_empty() => {
                first.fmtu = Some(place);
            }
            (Declaration::Fmtu(..), _) => {}
        }
    }
}

impl FirstDefinition<'_> {
    /// All definitions of the id.
    pub(super) fn all(&self) -> impl Iterator<Item = &LoggedDefinition<'_>> {
        iter::once(&self.definition).chain(&self.later)
    }

    /// Whether the FMT of another definition is the same except for the id.
    pub(super) fn defines_as(&self, other: &LoggedDefinition<'_>) -> bool {
        self.definition.fmt_content() == other.fmt_content()
    }

    /// Says that the definition was written in front of the record at `offset`.
    pub(super) fn inserted(&self, offset: usize, is_from_other_log: bool) -> InsertedDefinition {
        let (id, name) = (self.definition.id(), self.definition.name().into());
        InsertedDefinition { offset, defined_at: self.fmt.start, id, name, is_from_other_log }
    }
}
