//! Times of inputs that come regularly.

/// This number of intervals in a row are regular.
const ENOUGH: u32 = 20;
/// They take at least this time, in microseconds. The parameters at the beginning of a log come in a burst.
const LONG_US: u64 = 1_000_000;
/// An interval this many times as long as the usual one isn't regular.
const LONGER: u64 = 4;
/// Longer intervals, of damaged times, count as this one, so that no multiple of them overflows.
const LONGEST_US: u64 = 1 << 40;

/// The usual interval of a kind of inputs.
#[derive(Clone, Default, Debug)]
pub(super) struct Regular {
    last_us: Option<u64>,
    /// It follows the intervals slowly.
    interval_us: u64,
    /// Regular intervals since the last other one, and when that was.
    count: u32,
    since_us: u64,
}

impl Regular {
    /// Takes the time of the next input. Returns the time of the one before if inputs are missing between the two.
    #[inline]
    pub(super) fn add(&mut self, time_us: u64) -> Option<u64> {
        let Some(last_us) = self.last_us.replace(time_us) else {
            self.since_us = time_us;
            return None;
        };
        let interval_us = time_us.saturating_sub(last_us).min(LONGEST_US);
        if interval_us == 0 {
            return None;
        }
        if self.interval_us == 0 {
            self.interval_us = interval_us;
        } else if interval_us <= LONGER * self.interval_us {
            self.count = self.count.saturating_add(1);
            self.interval_us = (7 * self.interval_us + interval_us) / 8;
        } else {
            let was_regular = self.count >= ENOUGH && last_us.saturating_sub(self.since_us) >= LONG_US;
            (self.count, self.since_us) = (0, time_us);
            // What becomes slower has another interval from now on.
            self.interval_us = self.interval_us.saturating_mul(2).min(interval_us);
            return was_regular.then_some(last_us);
        }
        None
    }

    /// Takes the end of all inputs. Returns the time of the last one if inputs are missing after it, once.
    pub(super) fn end(&mut self, end_us: u64) -> Option<u64> {
        let last_us = self.last_us.take()?;
        let missing_us = end_us.saturating_sub(last_us);
        let was_regular = self.count >= ENOUGH && last_us.saturating_sub(self.since_us) >= LONG_US;
        // Not all end at the same moment.
        let is_long = missing_us >= LONG_US && missing_us > LONGER * self.interval_us;
        (was_regular && is_long).then_some(last_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(times_us: impl IntoIterator<Item = u64>) -> Vec<(u64, u64)> {
        let mut regular = Regular::default();
        times_us.into_iter().filter_map(|time_us| Some((regular.add(time_us)?, time_us))).collect()
    }

    #[test]
    fn a_pause_of_regular_inputs_is_a_gap() {
        let regular = |from: u64, to: u64| (from..to).map(|i| 2500 * i);
        assert_eq!(gaps(regular(0, 4000)), []);
        assert_eq!(gaps(regular(0, 1000).chain(regular(1009, 2000))), [(2_497_500, 2_522_500)]);
        // Four intervals may be jitter.
        assert_eq!(gaps(regular(0, 1000).chain(regular(1003, 2000))), []);
    }

    #[test]
    fn damaged_times_overflow_nothing() {
        let far = [u64::MAX / 2, u64::MAX - 1, u64::MAX, 0, u64::MAX];
        assert_eq!(gaps((0..100).map(|i| 2500 * i).chain(far)), []);
    }

    #[test]
    fn bursts_and_slow_inputs_have_no_gaps() {
        assert_eq!(gaps((0..900).map(|i| 1000 * i).chain([5_000_000, 60_000_000])), [], "parameters");
        let slower = (0..1000).map(|i| 2500 * i).chain((0..200).map(|i| 2_500_000 + 40_000 * i));
        assert_eq!(gaps(slower), [(2_500_000, 2_540_000)], "a lower rate is one gap");
    }
}
