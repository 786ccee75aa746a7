//! Times in which a sensor that logs regularly logs nothing.

use super::TypeSummary;
use std::ops::RangeInclusive;

/// A silence is longer than this, in microseconds, and than [`MISSED`] intervals.
const SHORTEST_US: u64 = 1_000_000;
const MISSED: u64 = 10;
/// This number of intervals before a silence is regular, for at least as long as [`REGULAR_US`]. Texts, parameters and
/// bursts aren't.
const REGULAR: u32 = 20;
const REGULAR_US: u64 = 3_000_000;
/// The most silences of a source that are listed.
const LISTED: usize = 10;

/// A time in which a type, or an instance of it, logs nothing although it logged regularly before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Silence {
    /// The type, and its instance if it has any: `BARO`, `IMU[1]`.
    pub source: String,
    /// From its last record to its next one, or to the end of the boot; in microseconds since boot.
    pub time_us: RangeInclusive<u64>,
    /// Whether it lasts to the end of the boot.
    pub is_open: bool,
}

/// The sources of records so far.
#[derive(Default)]
pub(super) struct Silences {
    /// Each with the place of its type and, if that is one byte, its instance.
    sources: Vec<(usize, Option<u8>, Source)>,
    /// Of each type, the numbers of its sources by instance, from 1 on; the last one without instances.
    numbers: Vec<[u32; 257]>,
}

impl Silences {
    /// A type has this place.
    pub(super) fn define(&mut self, place: usize) {
        self.numbers.resize(self.numbers.len().max(place + 1), [0; 257]);
    }

    #[inline]
    pub(super) fn add(&mut self, place: usize, instance: Option<u8>, time_us: u64) {
        let number = &mut self.numbers[place][instance.map_or(256, usize::from)];
        if *number == 0 {
            self.sources.push((place, instance, Source::default()));
            *number = self.sources.len() as u32;
        }
        self.sources[*number as usize - 1].2.add(time_us);
    }

    /// The silences of all sources, in the order of time, up to the end of the boot.
    pub(super) fn finish(self, types: &[TypeSummary], end_us: u64) -> Vec<Silence> {
        let name = |place: usize, instance: Option<u8>| {
            let name = &types[place].name;
            instance.map_or_else(|| name.clone(), |instance| format!("{name}[{instance}]"))
        };
        let sources = self.sources.into_iter();
        of_sources(sources.map(|(place, instance, source)| (name(place, instance), source)), end_us)
    }
}

/// The silences of named sources. When most sources are silent, logging was stopped: that isn't a silence of a source.
fn of_sources(sources: impl Iterator<Item = (String, Source)>, end_us: u64) -> Vec<Silence> {
    let (mut all, mut regular) = (Vec::new(), 0);
    for (name, source) in sources {
        regular += usize::from(source.is_regular());
        // A source whose last record is at the end isn't silent there.
        let ends_silent = source.last_us.is_some_and(|last_us| last_us < end_us);
        all.extend(source.finish(end_us).into_iter().map(|time_us| Silence {
            source: name.clone(),
            is_open: ends_silent && *time_us.end() == end_us,
            time_us,
        }));
    }
    let is_own = |silence: &Silence| {
        let middle_us = silence.time_us.start() + (silence.time_us.end() - silence.time_us.start()) / 2;
        3 * all.iter().filter(|other| other.time_us.contains(&middle_us)).count() <= regular.max(3)
    };
    let mut own: Vec<Silence> = all.iter().filter(|silence| is_own(silence)).cloned().collect();
    own.sort_by_key(|silence| *silence.time_us.start());
    own
}

/// The times of one source of records: a type, or an instance of it.
#[derive(Clone, Default, Debug)]
struct Source {
    last_us: Option<u64>,
    /// The usual interval, which follows the intervals slowly.
    interval_us: u64,
    /// Intervals since the last one that was unusual, and when that was.
    regular: u32,
    regular_since_us: u64,
    silences_us: Vec<RangeInclusive<u64>>,
}

impl Source {
    /// Takes the time of the next record. A time that isn't later than the last one is ignored.
    #[inline]
    fn add(&mut self, time_us: u64) {
        let Some(last_us) = self.last_us else {
            (self.last_us, self.regular_since_us) = (Some(time_us), time_us);
            return;
        };
        if time_us <= last_us {
            return;
        }
        let interval_us = time_us - last_us;
        self.last_us = Some(time_us);
        if self.interval_us == 0 {
            self.interval_us = interval_us;
        } else if interval_us <= 4 * self.interval_us {
            self.regular = self.regular.saturating_add(1);
            self.interval_us = (7 * self.interval_us + interval_us) / 8;
        } else {
            self.note(last_us..=time_us);
            (self.regular, self.regular_since_us) = (0, time_us);
            // A source that became slower has another interval from now on.
            self.interval_us = self.interval_us.saturating_mul(2).min(interval_us);
        }
    }

    /// Whether it logged regularly at some time.
    fn is_regular(&self) -> bool {
        self.regular >= REGULAR || !self.silences_us.is_empty()
    }

    /// The silences, with that from the last record to the end of the boot.
    fn finish(mut self, end_us: u64) -> Vec<RangeInclusive<u64>> {
        if let Some(last_us) = self.last_us.filter(|last_us| *last_us < end_us) {
            self.note(last_us..=end_us);
        }
        self.silences_us
    }

    fn note(&mut self, time_us: RangeInclusive<u64>) {
        let is_regular = self.regular >= REGULAR && time_us.start() - self.regular_since_us >= REGULAR_US;
        let is_long = time_us.end() - time_us.start() > SHORTEST_US.max(MISSED * self.interval_us);
        if is_regular && is_long && self.silences_us.len() < LISTED {
            self.silences_us.push(time_us);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn silences(times_us: impl IntoIterator<Item = u64>, end_us: u64) -> Vec<RangeInclusive<u64>> {
        let mut source = Source::default();
        times_us.into_iter().for_each(|time_us| source.add(time_us));
        source.finish(end_us)
    }

    /// Times every 20 ms.
    fn regular(from_s: u64, to_s: u64) -> impl Iterator<Item = u64> {
        (from_s * 50..to_s * 50).map(|i| i * 20_000)
    }

    #[test]
    fn a_sensor_that_drops_out_is_silent() {
        let silent = regular(0, 20).chain(regular(25, 40));
        assert_eq!(silences(silent, 60_000_000), [19_980_000..=25_000_000, 39_980_000..=60_000_000]);
        assert_eq!(silences(regular(0, 60), 60_000_000), []);
        // Late records of another thread change nothing.
        let mixed = regular(0, 60).flat_map(|time_us| [time_us, time_us.saturating_sub(5000)]);
        assert_eq!(silences(mixed, 60_000_000), []);
    }

    #[test]
    fn sources_that_all_stop_are_not_listed() {
        let source = |name: &str, times_us: Vec<u64>| {
            let mut source = Source::default();
            times_us.into_iter().for_each(|time_us| source.add(time_us));
            (name.to_owned(), source)
        };
        let stopped = |name| source(name, regular(0, 20).chain(regular(50, 60)).collect());
        let dropped = source("D", regular(0, 10).chain(regular(15, 20)).chain(regular(50, 60)).collect());
        let sources = [stopped("A"), stopped("B"), stopped("C"), dropped];
        let silence = |source: &str, time_us| Silence { source: source.into(), time_us, is_open: false };
        assert_eq!(of_sources(sources.into_iter(), 59_980_000), [silence("D", 9_980_000..=15_000_000)]);
    }

    #[test]
    fn what_is_logged_in_bursts_or_on_changes_is_not_silent() {
        let burst = (0..1000).map(|i| i * 100);
        assert_eq!(silences(burst, 60_000_000), [], "parameters");
        let texts = [0, 10, 30, 1_000_000, 5_000_000, 5_000_010, 30_000_000, 59_000_000];
        assert_eq!(silences(texts, 60_000_000), [], "texts");
        let slow = (0..6).map(|i| i * 10_000_000);
        assert_eq!(silences(slow, 60_000_000), [], "every ten seconds");
    }
}
