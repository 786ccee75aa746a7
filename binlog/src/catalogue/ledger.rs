//! Each definition of a log once, and which of them is in force.

use super::declaration::{Change, Declaration};
use super::definition::{FmtContent, FmtuContent, LoggedDefinition};
use std::collections::HashMap;

/// The definitions of a log in their order, each once however often it is declared. A place is an index into them.
///
/// The maps are for logs made to be slow: a search would take its time for each declaration.
pub(crate) struct Ledger<'a> {
    identity: Identity,
    /// With the era that their FMTU was declared in.
    definitions: Vec<(LoggedDefinition<'a>, usize)>,
    /// Of those with an FMTU.
    places: HashMap<Key, usize>,
    /// The place that an FMT had last, whatever its FMTU.
    by_fmt: HashMap<FmtKey, usize>,
    /// By id.
    in_force: [Option<usize>; 256],
}

/// What makes two definitions one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Identity {
    /// Their id and what they say.
    IdAndContent,
    /// What they say, whatever their ids.
    Content,
}

/// What a declaration did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entered {
    /// A definition that was there is in force, or nothing changed.
    Known,
    /// The definition at this place got its first FMTU, which counts for its records so far as well.
    Amended(usize),
    /// A new definition stands at this place.
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

    /// Takes in a declaration. `era` counts how often the log gave an id of a unit or multiplier another meaning: an
    /// FMTU that is repeated afterwards says something else.
    pub(crate) fn enter(&mut self, declaration: Declaration<'a>, era: usize) -> Entered {
        let id = declaration.id();
        let known = self.in_force(id);
        let before = known.and_then(|place| self.definitions.get(place).copied());
        let change = declaration.change(before.map(|(definition, _)| definition));
        let (definition, amends) = match (change, declaration, before) {
            (Change::Same, Declaration::Fmtu(fmtu), Some((definition, old))) if old != era => {
                (definition.with(fmtu), false)
            }
            (Change::Same, ..) => return Entered::Known,
            (Change::Amended(definition), ..) => (definition, true),
            (Change::Replaced(definition), ..) => (definition, false),
        };
        let fmt = self.fmt_key(&definition);
        let key = definition.fmtu_content().map(|fmtu| (fmt, fmtu, era));
        let found = match &key {
            // What was defined before is repeated; its FMTU follows or doesn't.
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
