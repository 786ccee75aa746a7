//! What a part needs so that its times of 32 bits are read as those of the log.

use super::Place;
use crate::read::catalogue::declaration::Declaration;
use crate::read::records::wraps::{NEAR, Wraps};
use std::collections::{HashMap, VecDeque};

/// Follows the wraps of a boot's times, in the log and as a reader of the part sees them.
#[derive(Default)]
pub(super) struct Wrapping {
    /// Whether the log has times of 32 bits.
    is_needed: bool,
    /// A reader of the part so far.
    reader: Wraps,
    /// Of the last record that the part could have.
    wraps: u32,
    /// The last records that the part lacks.
    before: VecDeque<Place>,
    /// How many of the next records are beside a wrap, too.
    after: usize,
    /// By id, records that the part lacks and may need: those beside wraps, and one in nine minutes.
    needed: HashMap<u8, Vec<Place>>,
    /// The time of the last record that is one of them or in the part.
    kept_us: Option<u64>,
    /// That of the last record of a chosen type.
    passed_us: Option<u64>,
}

/// This number of records on either side shows a wrap, even if the time of one of them is damaged.
const BESIDE: usize = 4;

impl Wrapping {
    /// A definition of the log. Records of its id that come before can't be read by it.
    pub(super) fn declare(&mut self, declaration: &Declaration<'_>) {
        self.is_needed = self.reader.declare(declaration);
        self.before.retain(|place| place.id != declaration.id());
        self.needed.remove(&declaration.id());
    }

    /// Whether the records from here on have to be followed.
    pub(super) fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// Another boot begins.
    pub(super) fn begin(&mut self) {
        (self.wraps, self.after, self.kept_us, self.passed_us) = (0, 0, None, None);
        self.before.clear();
        self.needed.clear();
    }

    /// A record that isn't in the part, of a type that is.
    pub(super) fn pass(&mut self, place: Place) {
        let Some(time) = place.time else { return };
        self.turn(&place);
        let time_us = time.after(place.wraps);
        self.passed_us = Some(time_us);
        if self.after > 0 || self.kept_us.is_none_or(|kept_us| kept_us.abs_diff(time_us) > NEAR / 2) {
            self.after = self.after.saturating_sub(1);
            self.kept_us = Some(time_us);
            self.needed.entry(place.id).or_default().push(place);
            return;
        }
        if self.before.len() == BESIDE {
            self.before.pop_front();
        }
        self.before.push_back(place);
    }

    /// If times wrap before the record, those before it are beside the wrap.
    fn turn(&mut self, next: &Place) {
        if next.time.is_some() && self.wraps != next.wraps {
            (self.wraps, self.after) = (next.wraps, BESIDE);
            for place in self.before.drain(..) {
                self.needed.entry(place.id).or_default().push(place);
            }
        }
    }

    /// Adds to the records that are written before a chosen one those that a reader needs to know how often times have
    /// wrapped by then.
    pub(super) fn show(&mut self, due: &mut Vec<Place>, chosen: &Place) {
        self.turn(chosen);
        let chosen_us = chosen.time.map(|time| time.after(chosen.wraps));
        let mut reader = self.reader.clone();
        let is_read_right = |place: &Place| place.time.is_none_or(|time| reader.add(time) == place.wraps);
        let are_read_right = due.iter().chain([chosen]).all(is_read_right);
        // A few records on, at their pace before the chosen one.
        let soon_us = |time_us: u64| self.passed_us.map_or(0, |passed_us| 4 * time_us.abs_diff(passed_us).min(NEAR));
        if !are_read_right || chosen_us.is_some_and(|time_us| !reader.is_settled(time_us, soon_us(time_us))) {
            due.extend(self.needed.drain().flat_map(|(_, places)| places));
            due.extend(self.before.drain(..));
            due.sort_unstable_by_key(|place| place.offset);
            due.dedup_by_key(|place| place.offset);
        }
        self.after = self.after.saturating_sub(1);
        (self.kept_us, self.passed_us) = (chosen_us.or(self.kept_us), chosen_us.or(self.passed_us));
        self.before.clear();
        self.needed.clear();
    }

    /// A record of the part. Returns whether a reader takes its time for that in the log.
    pub(super) fn write(&mut self, place: &Place) -> bool {
        place.time.is_none_or(|time| self.reader.add(time) == place.wraps)
    }
}
