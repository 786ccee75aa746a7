//! Intervals of a log's time, of which a part consists.

use std::ops::{Range, RangeInclusive};

/// Intervals in microseconds since boot, ascending.
pub type Intervals = Vec<Range<u64>>;

/// What intervals have of a time.
pub fn within(intervals: &[Range<u64>], time_us: &Range<u64>) -> Intervals {
    let common = intervals.iter().map(|own| own.start.max(time_us.start)..own.end.min(time_us.end));
    common.filter(|interval| !interval.is_empty()).collect()
}

/// The intervals within a boot's times: from where the first one begins, and how long they are together.
pub fn extent_us(intervals: &[Range<u64>], times: &RangeInclusive<u64>) -> Option<(u64, u64)> {
    let within = intervals.iter().map(|interval| interval.start.max(*times.start())..interval.end.min(*times.end()));
    let within: Vec<_> = within.filter(|interval| interval.start <= interval.end).collect();
    Some((within.first()?.start, within.iter().map(|interval| interval.end - interval.start).sum()))
}
