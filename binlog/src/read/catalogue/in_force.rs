//! The definitions in force, by id, while a log is read.

use super::declaration::{Change, Declaration};
use super::definition::{CopiedDefinition, FMT_OF_FMT, LoggedDefinition};

/// The definitions in force: references into a log in memory.
#[derive(Clone)]
pub(crate) struct Borrowed<'a>([Option<LoggedDefinition<'a>>; 256]);

impl<'a> Borrowed<'a> {
    pub(crate) fn new() -> Self {
        let mut definitions = Borrowed([None; 256]);
        definitions.learn(Declaration::Fmt(&FMT_OF_FMT));
        definitions
    }

    #[inline(always)]
    pub(crate) fn get(&self, id: u8) -> Option<LoggedDefinition<'a>> {
        self.0[usize::from(id)]
    }

    pub(crate) fn learn(&mut self, declaration: Declaration<'a>) {
        let slot = &mut self.0[usize::from(declaration.id())];
        match declaration.change(*slot) {
            Change::Same => {}
            Change::Amended(definition) | Change::Replaced(definition) => *slot = Some(definition),
        }
    }
}

/// The definitions in force: copies, for a log that isn't kept in memory; 32 KiB.
#[derive(Clone)]
pub(crate) struct Copied([Option<CopiedDefinition>; 256]);

impl Copied {
    pub(crate) fn new() -> Self {
        let mut definitions = Copied([None; 256]);
        definitions.learn(Declaration::Fmt(&FMT_OF_FMT));
        definitions
    }

    pub(crate) fn get(&self, id: u8) -> Option<LoggedDefinition<'_>> {
        self.0[usize::from(id)].as_ref().map(CopiedDefinition::definition)
    }

    pub(crate) fn copy_of(&self, id: u8) -> Option<CopiedDefinition> {
        self.0[usize::from(id)]
    }

    pub(crate) fn learn(&mut self, declaration: Declaration<'_>) {
        let slot = &mut self.0[usize::from(declaration.id())];
        let copy = match declaration.change(slot.as_ref().map(CopiedDefinition::definition)) {
            Change::Same => return,
            Change::Amended(definition) | Change::Replaced(definition) => CopiedDefinition::of(definition),
        };
        *slot = Some(copy);
    }
}
