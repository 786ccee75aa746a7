//! The range of a log's times, without damaged ones.

use std::ops::RangeInclusive;

/// The range of the times of a log's records, without damaged times.
///
/// One flipped bit of a TimeUS moves a record by up to 292,000 years. So a time counts only if it is within an hour of
/// the last time that counts, or of one of the two records before it. A pause of the log is not damage: after it,
/// records agree with one another. If no time counts by this rule, as in a log of one record, all do.
///
/// The time of a [suspect](crate::Log::suspects) record, whose bytes may be damaged, counts within a second of the
/// others.
///
/// [`Log::time_range_us`](crate::Log::time_range_us) and [`Boot::time_range_us`](super::Boot::time_range_us) are such
/// ranges. This type makes them of records that arrive one by one.
///
/// ```
/// use binlog::log::TimeRange;
///
/// let mut range = TimeRange::default();
/// for time_us in [1_000, 2_000, 1 << 60, 3_000] {
///     range.add(time_us);
/// }
/// assert_eq!(range.range_us(), Some(1_000..=3_000));
/// assert_eq!(range.damaged_times(), 1);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TimeRange {
    /// Of the times that count.
    counting: Ends,
    all: Ends,
    /// The last time that counts.
    last: Option<u64>,
    /// The times of the last two records, the older one first, if they don't count until a later one agrees.
    alone: [Option<u64>; 2],
    /// The times that were added and don't count.
    damaged: u64,
}

/// The earliest and the latest time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Ends(Option<(u64, u64)>);

impl TimeRange {
    /// How near the time of another record has to be, in microseconds: an hour.
    pub const NEAR_US: u64 = 3_600_000_000;

    /// How near the time of a suspect record has to be to the others, in microseconds: a second.
    pub const NEAR_OTHERS_US: u64 = 1_000_000;

    /// Adds the time of the next record in the log, in microseconds since boot. Returns the times that count now, in
    /// the order of the log: none if the time is far from those before, several if it confirms earlier ones.
    #[inline]
    pub fn add(&mut self, time_us: u64) -> impl IntoIterator<Item = u64> + use<> {
        let is_near = |other: &u64| other.abs_diff(time_us) <= Self::NEAR_US;
        self.all.extend(time_us);
        let [older, newer] = self.alone.map(|alone| alone.filter(is_near));
        let confirmed = older.into_iter().chain(newer);
        let counts = older.or(newer).is_some() || self.last.as_ref().is_some_and(is_near);
        if counts {
            confirmed.clone().for_each(|time_us| {
                self.counting.extend(time_us);
                self.damaged -= 1;
            });
            self.counting.extend(time_us);
            self.last = Some(time_us);
            self.alone = [None; 2];
        } else {
            self.damaged += 1;
            self.alone = [self.alone[1], Some(time_us)];
        }
        confirmed.chain(counts.then_some(time_us))
    }

    /// Adds the time of a suspect record, as [`add`](Self::add) does for others. It counts within a second of the last
    /// time that counts.
    pub fn add_suspect(&mut self, time_us: u64) -> impl IntoIterator<Item = u64> + use<> {
        let counts = self.last.is_some_and(|last_us| last_us.abs_diff(time_us) <= Self::NEAR_OTHERS_US);
        self.all.extend(time_us);
        match counts {
            true => self.counting.extend(time_us),
            false => self.damaged += 1,
        }
        counts.then_some(time_us)
    }

    /// The earliest and the latest time that count, both inclusive, in microseconds since boot; `None` without times.
    pub fn range_us(&self) -> Option<RangeInclusive<u64>> {
        let (start, end) = self.counting.0.or(self.all.0)?;
        Some(start..=end)
    }

    /// How many of the times that were added don't count.
    pub fn damaged_times(&self) -> u64 {
        if self.counting.0.is_some() { self.damaged } else { 0 }
    }
}

impl Ends {
    #[inline]
    fn extend(&mut self, time_us: u64) {
        let (start, end) = self.0.unwrap_or((time_us, time_us));
        self.0 = Some((start.min(time_us), end.max(time_us)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = TimeRange::NEAR_US;

    fn range(times_us: &[u64]) -> (Option<RangeInclusive<u64>>, Vec<u64>) {
        let mut range = TimeRange::default();
        let counting: Vec<u64> = times_us.iter().flat_map(|&time_us| range.add(time_us)).collect();
        if !counting.is_empty() {
            assert_eq!(range.damaged_times() as usize, times_us.len() - counting.len());
        }
        (range.range_us(), counting)
    }

    #[test]
    fn a_time_far_from_all_others_does_not_count() {
        for wild in [u64::MAX, 1 << 63, 1 << 40, 7 + 2 * HOUR] {
            for at in 0..=4 {
                let mut times = vec![5, 6, 7, 8];
                times.insert(at, wild);
                assert_eq!(range(&times), (Some(5..=8), vec![5, 6, 7, 8]), "{wild} as number {at}");
            }
            assert_eq!(range(&[5, wild, 6, wild - wild / 4, 7]).0, Some(5..=7));
        }
        let late = 100 * HOUR;
        assert_eq!(range(&[late, late + 1, 3, late + 2]).0, Some(late..=late + 2));
    }

    #[test]
    fn the_time_of_a_suspect_record_counts_near_the_others() {
        let second = TimeRange::NEAR_OTHERS_US;
        let late = 2 * HOUR;
        for (time_us, counts) in [(late + 9, true), (late + second, true), (late + 2 * second, false), (0, false)] {
            let mut range = TimeRange::default();
            assert_eq!([late - 5, late].iter().flat_map(|&time_us| range.add(time_us)).count(), 2);
            assert_eq!(range.add_suspect(time_us).into_iter().count(), usize::from(counts));
            let latest = if counts { time_us } else { late };
            assert_eq!((range.range_us(), range.damaged_times()), (Some(late - 5..=latest), u64::from(!counts)));
        }
        let mut alone = TimeRange::default();
        assert_eq!(alone.add_suspect(7).into_iter().count(), 0);
        assert_eq!((alone.range_us(), alone.damaged_times()), (Some(7..=7), 0));
    }

    #[test]
    fn times_after_a_pause_count() {
        let late = 5 * HOUR;
        assert_eq!(range(&[1, 2, late, late + 9]), (Some(1..=late + 9), vec![1, 2, late, late + 9]));
        assert_eq!(range(&[late, late + 9, 1, 2]).0, Some(1..=late + 9));
        assert_eq!(range(&[0, HOUR, 2 * HOUR, 2 * HOUR]).0, Some(0..=2 * HOUR));
    }

    #[test]
    fn all_times_count_if_none_agree() {
        assert_eq!(range(&[]), (None, vec![]));
        assert_eq!(range(&[9]), (Some(9..=9), vec![]));
        assert_eq!(range(&[9 * HOUR, HOUR, 90 * HOUR]), (Some(HOUR..=90 * HOUR), vec![]));
        let mut range = TimeRange::default();
        assert_eq!([0, 2 * HOUR].iter().flat_map(|&time_us| range.add(time_us)).count(), 0);
        assert_eq!(range.damaged_times(), 0);
    }
}
