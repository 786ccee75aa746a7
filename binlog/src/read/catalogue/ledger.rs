//! Each definition of a log once, and which one is in force.

use super::declaration::{Change, Declaration};
use super::definition::{FmtContent, LoggedDefinition};
use super::fmtu::FmtuContent;
use std::collections::HashMap;

/// The definitions of a log in its order, each once, however often the log declares it. A place is an index into them.
///
/// Maps, because a linear search would make a log with very many declarations slow to read.
pub(crate) struct Ledger<'a> {
    identity: Identity,
    /// Each with the era in which its FMTU was declared.
    definitions: Vec<(LoggedDefinition<'a>, usize)>,
    /// The places of definitions with an FMTU.
    places: HashMap<Key, usize>,
    /// The last place of each FMT, with any FMTU.
    by_fmt: HashMap<FmtKey, usize>,
    /// By id.
    in_force: [Option<usize>; 256],
}

/// When two definitions are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Identity {
    /// If their id and their contents are equal.
    IdAndContent,
    /// If their contents are equal; ids may differ.
    Content,
}

/// The effect of a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entered {
    /// A known definition is in force, or nothing changed.
    Known,
    /// The definition at this place got its first FMTU, which also applies to its earlier records.
    Amended(usize),
    /// A new definition is at this place.
    Added(usize),
}

type FmtKey = (Option<u8>, FmtContent);
type Key = (FmtKey, FmtuContent, usize);

impl<'a> Ledger<'a> {
    pub(crate) fn new(identity: Identity) -> Self {
        Ledger {
            identity,
            definitions: Vec::new(),
            places: HashMap::new(),
            by_fmt: HashMap::new(),
            in_force: [None; 256],
        }
    }

    /// The definitions in the order of the log.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = LoggedDefinition<'a>> {
        self.definitions.iter().map(|(definition, _)| *definition)
    }

    /// The place of the definition in force for an id.
    pub(crate) fn in_force(&self, id: u8) -> Option<usize> {
        self.in_force[usize::from(id)]
    }

    /// The definition at a place.
    pub(crate) fn get(&self, place: usize) -> Option<LoggedDefinition<'a>> {
        self.definitions.get(place).map(|(definition, _)| *definition)
    }

    /// Enters a declaration. `era` counts how often the log changed the meaning of a unit's or multiplier's id: a
    /// repeated FMTU means something else after that.
    pub(crate) fn enter(&mut self, declaration: Declaration<'a>, era: usize) -> Entered {
        let id = declaration.id();
        let known = self.in_force(id);
        let before = known.and_then(|place| self.definitions.get(place).copied());
        let change = declaration.change(before.map(|(definition, _)| definition));
        let (definition, amends) = match (change, declaration, before) {
            (Change::Same, Declaration::Fmtu(_, fmtu), Some((definition, old))) if old != era => {
                (definition.with(fmtu), false)
            }
            (Change::Same, ..) => return Entered::Known,
            (Change::Amended(definition), ..) => (definition, true),
            (Change::Replaced(definition), ..) => (definition, false),
        };
        let fmt = self.fmt_key(&definition);
        let key = definition.fmtu_content().map(|fmtu| (fmt, fmtu, era));
        let found = match &key {
            // An earlier definition is repeated. Its FMTU may follow.
            None => self.by_fmt.get(&fmt),
            Some(key) => self.places.get(key),
        };
        let (place, entered) = match (found, known) {
            (Some(&place), _) => (place, Entered::Known),
            // Another id may have the same FMT and no FMTU yet.
            (None, Some(place)) if amends && self.in_force.iter().filter(|&&other| other == known).count() == 1 => {
                self.definitions[place] = (definition, era);
                (place, Entered::Amended(place))
            }
            (None, _) => {
                self.definitions.push((definition, era));
                (self.definitions.len() - 1, Entered::Added(self.definitions.len() - 1))
            }
        };
        self.by_fmt.insert(fmt, place);
        self.places.extend(key.map(|key| (key, place)));
        self.in_force[usize::from(id)] = Some(place);
        entered
    }

    fn fmt_key(&self, definition: &LoggedDefinition<'_>) -> FmtKey {
        let id = Some(definition.id()).filter(|_| self.identity == Identity::IdAndContent);
        (id, definition.fmt_content())
    }
}
