//! The times of a boot, and the gaps between them.

use super::LISTED;
use binlog::log::TimeRange;
use std::ops::RangeInclusive;

/// A longer time without any record is a gap, microseconds.
pub(super) const GAP_US: u64 = 1_000_000;

/// The times so far, in microseconds since boot.
#[derive(Default)]
pub(super) struct Times {
    range: TimeRange,
    /// By the places of the types.
    of_types: Vec<TimeRange>,
    /// The last record's type and its time, if it is suspect: what follows says whether they count.
    suspect: Option<(usize, u64)>,
    /// The earliest and the latest time that count so far.
    ends_us: Option<(u64, u64)>,
    gaps: Vec<RangeInclusive<u64>>,
    gap_count: u64,
}

/// The times of a whole boot.
pub(super) struct Finished {
    pub(super) range_us: Option<RangeInclusive<u64>>,
    pub(super) of_types: Vec<Option<RangeInclusive<u64>>>,
    pub(super) damaged: u64,
    pub(super) gaps: Vec<RangeInclusive<u64>>,
    pub(super) gap_count: u64,
}

impl Times {
    /// A type has this place.
    pub(super) fn define(&mut self, place: usize) {
        self.of_types.resize_with(self.of_types.len().max(place + 1), TimeRange::default);
    }

    #[inline]
    pub(super) fn add(&mut self, place: usize, time_us: u64, is_suspect: bool) {
        if is_suspect {
            self.suspect = Some((place, time_us));
            return;
        }
        self.of_types[place].add(time_us);
        for time_us in self.range.add(time_us) {
            self.note(time_us);
        }
    }

    /// Whether the time of the last record counts, if it is suspect.
    #[inline]
    pub(super) fn settle_suspect(&mut self, is_sound: bool) {
        if let Some((place, time_us)) = self.suspect.take() {
            self.settle(place, time_us, is_sound);
        }
    }

    #[cold]
    fn settle(&mut self, place: usize, time_us: u64, is_sound: bool) {
        let of_type = &mut self.of_types[place];
        let counting: Vec<u64> = if is_sound {
            of_type.add(time_us);
            self.range.add(time_us).into_iter().collect()
        } else {
            of_type.add_suspect(time_us);
            self.range.add_suspect(time_us).into_iter().collect()
        };
        counting.into_iter().for_each(|time_us| self.note(time_us));
    }

    /// Whether a time is at most the latest one that counts. A damaged time is beyond those.
    #[inline]
    pub(super) fn reaches(&self, time_us: u64) -> bool {
        self.ends_us.is_some_and(|(_, last_us)| time_us <= last_us)
    }

    /// Whether a time is near those that count, or the first one.
    #[inline]
    pub(super) fn has_near(&self, time_us: u64, is_suspect: bool) -> bool {
        let reach_us = if is_suspect { TimeRange::NEAR_OTHERS_US } else { TimeRange::NEAR_US };
        self.ends_us.is_none_or(|(first_us, last_us)| {
            (first_us.saturating_sub(reach_us)..=last_us.saturating_add(reach_us)).contains(&time_us)
        })
    }

    /// A time at which there is a record. Records of several threads needn't be in the order of their times.
    #[inline]
    fn note(&mut self, time_us: u64) {
        let Some((first, last)) = self.ends_us else {
            self.ends_us = Some((time_us, time_us));
            return;
        };
        if time_us > last {
            self.ends_us = Some((first, time_us));
            self.note_gap(self.gaps.len(), last..=time_us);
        } else if time_us < first {
            self.ends_us = Some((time_us, last));
            self.note_gap(0, time_us..=first);
        } else if !self.gaps.is_empty() {
            self.split_gap(time_us);
        }
    }

    #[inline]
    fn note_gap(&mut self, place: usize, time_us: RangeInclusive<u64>) {
        if time_us.end() - time_us.start() > GAP_US {
            self.gap_count += 1;
            self.gaps.insert(place, time_us);
            self.gaps.truncate(LISTED);
        }
    }

    /// A record within a gap leaves a gap before it, one after it, or none.
    fn split_gap(&mut self, time_us: u64) {
        let place = self.gaps.partition_point(|gap| *gap.end() <= time_us);
        if let Some(gap) = self.gaps.get(place).filter(|gap| *gap.start() < time_us).cloned() {
            self.gap_count -= 1;
            self.gaps.remove(place);
            self.note_gap(place, time_us..=*gap.end());
            self.note_gap(place, *gap.start()..=time_us);
        }
    }

    pub(super) fn finish(self) -> Finished {
        Finished {
            range_us: self.range.range_us(),
            of_types: self.of_types.iter().map(TimeRange::range_us).collect(),
            damaged: self.range.damaged_times(),
            gaps: self.gaps,
            gap_count: self.gap_count,
        }
    }
}
