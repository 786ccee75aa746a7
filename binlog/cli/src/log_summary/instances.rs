//! How many instances each type of a boot has.

use super::{LISTED, TypeSummary};
use binlog::{Format, Log, LoggedDefinition};
use std::collections::{HashMap, HashSet};

/// The instances so far, by the places of their types.
#[derive(Default)]
pub(super) struct Instances {
    counts: Vec<usize>,
    /// The instances that have several bytes: the first ones.
    wide: HashMap<usize, HashSet<Vec<u8>>>,
    /// The types whose FMTU follows records of the type.
    with_late_units: Vec<usize>,
}

/// The column of a definition that separates instances.
#[derive(Clone)]
pub(super) enum Separator {
    None,
    /// The offset of its byte, and which bytes were there.
    Byte(usize, [u64; 4]),
    /// The offsets of its bytes, and whether they are text.
    Wide(usize, usize, bool),
}

impl Separator {
    pub(super) fn of(definition: &LoggedDefinition<'_>) -> Self {
        let Some(column) = definition.instance_column() else { return Separator::None };
        let is_text = matches!(column.format, Format::Chars4 | Format::Chars16 | Format::Chars64);
        match column.format.size() {
            1 => Separator::Byte(column.offset, [0; 4]),
            size => Separator::Wide(column.offset, column.offset + size, is_text),
        }
    }
}

impl Instances {
    /// A type has this place.
    pub(super) fn define(&mut self, place: usize) {
        self.counts.resize(self.counts.len().max(place + 1), 1);
    }

    /// Adds a record of a type. Returns its instance if that is one byte.
    #[inline]
    pub(super) fn add(&mut self, place: usize, separator: &mut Separator, payload: &[u8]) -> Option<u8> {
        match separator {
            Separator::None => None,
            Separator::Byte(at, seen) => {
                let instance = *payload.get(*at)?;
                let of_64 = &mut seen[usize::from(instance) / 64];
                let bit = 1 << (instance % 64);
                if *of_64 & bit == 0 {
                    *of_64 |= bit;
                    self.counts[place] = seen.iter().map(|of_64| of_64.count_ones() as usize).sum();
                }
                Some(instance)
            }
            Separator::Wide(start, end, is_text) => {
                let instance = payload.get(*start..*end)?;
                let text = instance.split(|byte| *byte == 0).next().unwrap_or_default();
                self.add_wide(place, if *is_text { text } else { instance });
                None
            }
        }
    }

    fn add_wide(&mut self, place: usize, instance: &[u8]) {
        let seen = self.wide.entry(place).or_default();
        if seen.len() < LISTED && !seen.contains(instance) {
            seen.insert(instance.to_vec());
            self.counts[place] = seen.len();
        }
    }

    /// A type got its units after records, so their instances aren't counted yet.
    pub(super) fn add_late_units(&mut self, place: usize) {
        self.with_late_units.push(place);
    }

    /// The number of instances of each type of a boot with these bytes.
    pub(super) fn finish(mut self, types: &[TypeSummary], bytes: &[u8]) -> Vec<usize> {
        self.with_late_units.sort_unstable();
        self.with_late_units.dedup();
        for place in self.with_late_units {
            // Rare enough for one more pass each.
            let instances = Log::from_bytes(bytes).rows(&types[place].name).map_or(0, |rows| rows.instances().len());
            self.counts[place] = instances.max(1);
        }
        self.counts
    }
}
