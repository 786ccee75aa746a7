//! Intervals of time.

use std::ops::Range;

/// Intervals of a session's time in microseconds, ascending; they neither overlap nor touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Intervals(Vec<Range<u64>>);

/// All times. An interval that ends at `u64::MAX` has no end.
const ALL: Range<u64> = 0..u64::MAX;

impl Intervals {
    /// All times.
    pub fn everything() -> Self {
        Intervals(vec![ALL])
    }

    /// No time.
    pub fn nothing() -> Self {
        Intervals(Vec::new())
    }

    /// The times that are in one of the ranges, which may overlap.
    pub fn new(ranges: impl IntoIterator<Item = Range<u64>>) -> Self {
        let mut ranges: Vec<_> = ranges.into_iter().filter(|range| !range.is_empty()).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        let mut joined: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        Intervals(joined)
    }

    /// The times that are in both.
    #[must_use]
    pub fn and(&self, other: &Intervals) -> Self {
        let both = |a: &Range<u64>, b: &Range<u64>| a.start.max(b.start)..a.end.min(b.end);
        Intervals::new(self.0.iter().flat_map(|a| other.0.iter().map(move |b| both(a, b))))
    }

    /// Whether a time is in one of them.
    #[inline]
    pub fn contains(&self, time_us: u64) -> bool {
        match self.0.as_slice() {
            [] => false,
            // The end of time is included if there is no end.
            [one] => one.start <= time_us && (time_us < one.end || one.end == u64::MAX),
            several => {
                let after = several.partition_point(|range| range.start <= time_us);
                after > 0 && (time_us < several[after - 1].end || several[after - 1].end == u64::MAX)
            }
        }
    }

    /// Whether all times are in it.
    pub fn is_everything(&self) -> bool {
        self.0 == [ALL]
    }

    /// Whether no time is in it.
    pub fn is_nothing(&self) -> bool {
        self.0.is_empty()
    }

    /// The intervals. The last one ends at `u64::MAX` if it has no end.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranges() -> impl Strategy<Value = Vec<Range<u64>>> {
        proptest::collection::vec((0..50_u64, 0..10_u64).prop_map(|(start, length)| start..start + length), 0..6)
    }

    proptest! {
        #[test]
        fn a_time_is_in_them_if_it_is_in_a_range(ranges in ranges(), time in 0..70_u64) {
            let intervals = Intervals::new(ranges.clone());
            prop_assert_eq!(intervals.contains(time), ranges.iter().any(|range| range.contains(&time)));
            for pair in intervals.ranges().windows(2) {
                prop_assert!(pair[0].end < pair[1].start);
            }
        }

        #[test]
        fn both_have_what_each_has(a in ranges(), b in ranges(), time in 0..70_u64) {
            let (a, b) = (Intervals::new(a), Intervals::new(b));
            prop_assert_eq!(a.and(&b).contains(time), a.contains(time) && b.contains(time));
        }
    }

    #[test]
    fn everything_is_everything() {
        let everything = Intervals::everything();
        assert!(everything.contains(0) && everything.contains(u64::MAX) && everything.is_everything());
        let ten = Intervals::new([5..10, 9..15, 20..20]);
        assert_eq!(everything.and(&ten), ten);
        assert_eq!((ten.ranges().len(), &ten.ranges()[0]), (1, &(5..15)));
        assert!(Intervals::nothing().and(&everything).is_nothing());
    }
}
