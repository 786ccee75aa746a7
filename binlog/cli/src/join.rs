//! Brings series with times of their own onto common times.
//!
//! A joined value is the last one at or before the time: what the vehicle knew at that time. Values between two
//! samples aren't invented.

use std::iter;
use std::ops::RangeInclusive;

/// For each of `times`, the place of the last sample of `series` at or before it; `None` before the first sample, and
/// if the sample is older than `max_age`. All times are in microseconds, in any order: of samples with the same time,
/// the last one counts.
///
/// ```
/// use binlog_cli::join::as_of;
///
/// assert_eq!(as_of(&[5, 10, 15, 30], &[10, 12, 20], None), [None, Some(0), Some(1), Some(2)]);
/// assert_eq!(as_of(&[5, 10, 15, 30], &[10, 12, 20], Some(5)), [None, Some(0), Some(1), None]);
/// ```
pub fn as_of(times: &[u64], series: &[u64], max_age: Option<u64>) -> Vec<Option<usize>> {
    let order = ascending(series);
    let at = |i: usize| order.as_ref().map_or(i, |order| order[i]);
    // The number of samples at or before the time. Times ascend as a rule, so the next one is near.
    let mut before = 0;
    let join = |&time: &u64| {
        if before > 0 && series[at(before - 1)] > time {
            before = first_after(before, |i| series[at(i)] > time);
        }
        while before < series.len() && series[at(before)] <= time {
            before += 1;
        }
        let last = at(before.checked_sub(1)?);
        let is_fresh = max_age.is_none_or(|max_age| time - series[last] <= max_age);
        is_fresh.then_some(last)
    };
    times.iter().map(join).collect()
}

/// As [`as_of`], for lines that stand for the samples of this series themselves. The n-th line of a time gets the n-th
/// sample of that time, or the last one. `times` ascend; `before` earlier lines had the first of them.
///
/// ```
/// use binlog_cli::join::pair_equal_times;
///
/// let series = [10, 20, 20, 30];
/// assert_eq!(pair_equal_times(&[10, 20, 20, 25, 30, 30], &series, None, 0), [0, 1, 2, 2, 3, 3].map(Some));
/// assert_eq!(pair_equal_times(&[20, 25], &series, None, 1), [2, 2].map(Some));
/// ```
pub fn pair_equal_times(times: &[u64], series: &[u64], max_age: Option<u64>, before: usize) -> Vec<Option<usize>> {
    let order = ascending(series);
    let at = |i: usize| order.as_ref().map_or(i, |order| order[i]);
    let mut joined = as_of(times, series, max_age);
    let (mut line, mut first) = (0, 0);
    while let Some(&time) = times.get(line) {
        let end = line + times[line..].iter().take_while(|next| **next == time).count();
        first += (first..series.len()).take_while(|&i| series[at(i)] < time).count();
        let of_time = (first..series.len()).take_while(|&i| series[at(i)] == time).count();
        let done = if line == 0 { before } else { 0 };
        for (place, joined) in joined[line..end].iter_mut().enumerate().filter(|_| of_time > 0) {
            *joined = Some(at(first + (place + done).min(of_time - 1)));
        }
        line = end;
    }
    joined
}

/// The first place below `end` that is after a time; `end` if none is. Those before it aren't.
fn first_after(end: usize, is_after: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low.midpoint(high);
        if is_after(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// The order in which times ascend; `None` if they do already.
fn ascending(times: &[u64]) -> Option<Vec<usize>> {
    if times.is_sorted() {
        return None;
    }
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|&i| times[i]);
    Some(order)
}

/// Times at a rate in hertz from `start` on, in microseconds: those of them that are in the range. The nth one is
/// `n / rate` seconds after the start, rounded, so that no error adds up. Nothing unless the rate is a number above 0.
///
/// ```
/// use binlog_cli::join::at_rate;
///
/// let times = |range| at_rate(1_000_000, 3.0, range).collect::<Vec<_>>();
/// assert_eq!(times(0..=2_000_000), [1_000_000, 1_333_333, 1_666_667, 2_000_000]);
/// assert_eq!(times(1_500_000..=1_700_000), [1_666_667]);
/// ```
pub fn at_rate(start: u64, rate_hz: f64, range: RangeInclusive<u64>) -> impl Iterator<Item = u64> {
    let is_rate = rate_hz.is_finite() && rate_hz > 0.0;
    // Above a million hertz, times in microseconds would repeat.
    let rate_hz = rate_hz.min(1e6);
    let (first, end) = range.into_inner();
    // The time before the first one, since both are rounded.
    let mut n = (first.saturating_sub(start) as f64 * rate_hz / 1e6).floor() as u64;
    let times = iter::from_fn(move || {
        let time = start.checked_add((n as f64 * 1e6 / rate_hz).round() as u64)?;
        n += 1;
        (is_rate && time <= end).then_some(time)
    });
    times.skip_while(move |&time| time < first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_joined_value_is_the_last_one_by_then(
            times in prop::collection::vec(0..200_u64, 0..50),
            series in prop::collection::vec(0..200_u64, 0..50),
            max_age in prop::option::of(0..50_u64),
        ) {
            let joined = as_of(&times, &series, max_age);
            for (time, found) in times.iter().zip(joined) {
                let by_then = series.iter().enumerate().filter(|(_, sample)| *sample <= time);
                let expected = by_then.max_by_key(|&(i, sample)| (sample, i)).filter(|(_, sample)| {
                    max_age.is_none_or(|max_age| time - *sample <= max_age)
                });
                prop_assert_eq!(found, expected.map(|(i, _)| i));
            }
        }

        #[test]
        fn each_sample_has_a_line_of_its_own(
            series in prop::collection::vec(0..20_u64, 1..50), more in prop::collection::vec(0..20_u64, 0..20),
            split in 0..70_usize,
        ) {
            let mut times = [&series[..], &more].concat();
            times.sort_unstable();
            let split = split.min(times.len());
            let before = times[..split].iter().rev().take_while(|time| Some(*time) == times.get(split)).count();
            let [first, second] = [(&times[..split], 0), (&times[split..], before)]
                .map(|(times, before)| pair_equal_times(times, &series, None, before));
            let joined = [first, second].concat();
            prop_assert_eq!(&joined, &pair_equal_times(&times, &series, None, 0), "in two parts");
            let mut seen: Vec<usize> = joined.iter().copied().flatten().collect();
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen, (0..series.len()).collect::<Vec<_>>());
            for (time, (found, last)) in times.iter().zip(joined.iter().zip(as_of(&times, &series, None))) {
                prop_assert_eq!(found.map(|i| series[i]), last.map(|i| series[i]), "{}", time);
            }
        }

        #[test]
        fn times_at_a_rate_ascend_and_stay_in_the_range(
            start in 0..u64::MAX / 2, length in 0..10_000_000_u64, rate in 0.1..2000.0,
        ) {
            let times: Vec<u64> = at_rate(start, rate, start..=start + length).collect();
            prop_assert!(times.is_sorted_by(|a, b| a < b));
            prop_assert_eq!(times[0], start);
            prop_assert!(start + length - times[times.len() - 1] <= (1e6 / rate).ceil() as u64);
        }

        #[test]
        fn a_part_has_the_same_times_as_the_whole(
            start in 0..1_000_000_u64, from in 0..3_000_000_u64, length in 0..1_000_000_u64, rate in 0.1..2000.0,
        ) {
            let part: Vec<u64> = at_rate(start, rate, from..=from + length).collect();
            let whole = at_rate(start, rate, 0..=from + length);
            prop_assert_eq!(part, whole.filter(|time| *time >= from).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_is_no_rate_yields_no_times() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(at_rate(0, rate, 0..=1_000_000).count(), 0, "{rate}");
        }
        assert_eq!(at_rate(u64::MAX - 1, 1e6, u64::MAX - 1..=u64::MAX).count(), 2);
    }
}
