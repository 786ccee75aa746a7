//! Facts of the flight: firmware, parameters, texts, modes and other states, arming, files, descriptions and batches of
//! samples.

mod armed;
mod batches;
pub(super) mod descriptions;
mod files;
mod modes;
mod parameters;
mod states;
mod texts;
mod vehicle;

pub use armed::ArmedInterval;
pub(crate) use armed::{EVENT_ARMED, EVENT_DISARMED};
pub use batches::{Batch, BatchSensor};
pub(crate) use descriptions::{DescriptionPieces, Incomplete};
pub use files::{EmbeddedFile, MissingPieces};
pub use modes::ModeInterval;
pub use parameters::{Parameter, ParameterValue};
pub use states::StateInterval;
pub use texts::TextMessage;
pub use vehicle::Vehicle;
pub(crate) use vehicle::names_vehicle;

use crate::format::Value;
use crate::read::log::Rows;
use crate::read::{Log, Record};
use std::ops::Range;

/// A record that changes something.
#[derive(Clone, Copy)]
struct Place {
    boot: usize,
    offset: usize,
    time_us: u64,
}

impl Log<'_> {
    /// The places of these records, in the order of the log. One whose time is outside of its boot's range has the time
    /// of the last record before it.
    fn places(&self, rows: &Rows<'_>) -> Vec<Place> {
        let offsets = rows.records().map(|record| record.offset());
        let place = |(offset, time_us)| Place { boot: self.boot_at(offset), offset, time_us };
        let mut places: Vec<Place> = offsets.zip(rows.times_us()).map(place).collect();
        let range = |boot: usize| self.spans()[boot].time_us.clone();
        let is_outside = |place: &&mut Place| range(place.boot).is_some_and(|range| !range.contains(&place.time_us));
        let mut outside = places.iter_mut().filter(is_outside).peekable();
        if outside.peek().is_none() {
            return places;
        }
        let mut records = self.records().flatten().peekable();
        let mut last = None;
        for place in outside {
            let (Some(range), start) = (range(place.boot), self.spans()[place.boot].bytes.start) else { continue };
            while let Some(record) = records.next_if(|record| record.offset() < place.offset) {
                let time_us = record.time_us().filter(|time_us| record.offset() >= start && range.contains(time_us));
                last = time_us.map(|time_us| (place.boot, time_us)).or(last);
            }
            let before = last.filter(|(boot, _)| *boot == place.boot).map(|(_, time_us)| time_us);
            place.time_us = before.unwrap_or(*range.start());
        }
        places
    }

    /// The intervals in which these records have the same state, in the order of boots and times. A record without a
    /// state is left out; one that repeats the state doesn't begin a new interval, unless it belongs to another boot.
    fn intervals_of<T>(
        &self,
        rows: &Rows<'_>,
        state: impl Fn(&Record<'_>, usize) -> Option<T>,
        is_same: impl Fn(&T, &T) -> bool,
    ) -> Vec<(Range<u64>, T)> {
        let placed = rows.records().zip(self.places(rows));
        let placed =
            placed.filter_map(|(record, Place { boot, time_us, .. })| Some((boot, time_us, state(&record, boot)?)));
        let mut states: Vec<_> = placed.collect();
        // Records of several threads needn't be in the order of their times.
        states.sort_by_key(|(boot, time_us, _)| (*boot, *time_us));
        let mut intervals: Vec<(Range<u64>, T)> = Vec::new();
        let mut last_boot = None;
        for (boot, time_us, state) in states {
            let is_first = last_boot.replace(boot) != Some(boot);
            match intervals.last_mut().filter(|_| !is_first) {
                Some((_, last)) if is_same(last, &state) => continue,
                Some((last_us, _)) => last_us.end = time_us,
                None => {}
            }
            intervals.push((time_us..self.spans()[boot].end_us().max(time_us), state));
        }
        intervals
    }
}

/// The integer in a column.
fn integer<T: TryFrom<i128>>(record: &Record<'_>, label: &str) -> Option<T> {
    record.value(label)?.to_integer().and_then(|integer| T::try_from(integer).ok())
}

/// The number in a column, as pymavlink shows it.
fn number(record: &Record<'_>, label: &str) -> Option<f64> {
    record.value(label)?.to_f64()
}

/// The text in a column.
fn text(record: &Record<'_>, label: &str) -> Option<String> {
    match record.value(label)? {
        Value::Text(text) => Some(text.to_string()),
        _ => None,
    }
}
