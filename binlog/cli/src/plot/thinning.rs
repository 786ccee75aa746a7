//! Leaves out samples that a picture can't show, but never an extreme.

/// The samples of a curve to draw, as indices in ascending order.
///
/// The time from the first to the last sample is divided into buckets. Of each bucket, the first, the lowest, the
/// highest and the last sample are kept, and the first missing one (NaN). At a width of one bucket a pixel, the picture
/// is the same as that of all samples. A curve with at most four samples a bucket is kept whole.
///
/// The times must ascend. If they don't, extremes are kept all the same, but more samples may be.
///
/// Source: "M4: A Visualization-Oriented Time Series Data Aggregation", Jugel et al., VLDB 2014.
pub fn thin(times: &[f64], values: &[f64], buckets: usize) -> Vec<usize> {
    let length = times.len().min(values.len());
    let (times, values) = (&times[..length], &values[..length]);
    let range = times.first().zip(times.last()).map(|(first, last)| (*first, last - first));
    let Some((start, duration)) = range.filter(|_| length > buckets.saturating_mul(4)) else {
        return (0..length).collect();
    };
    // Rounding must not open one more bucket at the end; all samples at one time are one bucket.
    let place = |time: f64| if duration > 0.0 { (time - start) / duration * buckets as f64 } else { 0.0 };
    let bucket = |time: f64| (place(time) as usize).min(buckets.saturating_sub(1));
    let mut kept = Vec::with_capacity(buckets.saturating_mul(4));
    let mut row = 0;
    while row < length {
        let here = bucket(times[row]);
        let mut of_bucket = Bucket::new(row, values[row]);
        row += 1;
        while row < length && bucket(times[row]) == here {
            of_bucket.add(row, values[row]);
            row += 1;
        }
        of_bucket.push_to(&mut kept);
    }
    kept
}

/// The samples to keep of one bucket.
struct Bucket {
    first: usize,
    last: usize,
    lowest: Option<(usize, f64)>,
    highest: Option<(usize, f64)>,
    missing: Option<usize>,
}

impl Bucket {
    fn new(row: usize, value: f64) -> Self {
        let mut bucket = Bucket { first: row, last: row, lowest: None, highest: None, missing: None };
        bucket.add(row, value);
        bucket
    }

    fn add(&mut self, row: usize, value: f64) {
        self.last = row;
        if value.is_nan() {
            self.missing.get_or_insert(row);
            return;
        }
        if self.lowest.is_none_or(|(_, lowest)| value < lowest) {
            self.lowest = Some((row, value));
        }
        if self.highest.is_none_or(|(_, highest)| value > highest) {
            self.highest = Some((row, value));
        }
    }

    fn push_to(&self, kept: &mut Vec<usize>) {
        let extremes = [self.lowest, self.highest].map(|extreme| extreme.map(|(row, _)| row));
        let mut rows = [Some(self.first), Some(self.last), extremes[0], extremes[1], self.missing];
        rows.sort_unstable();
        let mut rows: Vec<usize> = rows.into_iter().flatten().collect();
        rows.dedup();
        kept.extend(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn curves() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, usize)> {
        let value = prop_oneof![9 => -1e6..1e6f64, 1 => Just(f64::NAN)];
        let samples = proptest::collection::vec((0u32..50, value), 0..400);
        (samples, 1usize..40).prop_map(|(samples, buckets)| {
            let mut time = 0;
            let times = samples.iter().map(|(step, _)| {
                time += step;
                f64::from(time)
            });
            (times.collect(), samples.iter().map(|(_, value)| *value).collect(), buckets)
        })
    }

    fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    }

    proptest! {
        #[test]
        fn every_bucket_keeps_its_extremes_and_its_ends((times, values, buckets) in curves()) {
            let kept = thin(&times, &values, buckets);
            prop_assert!(kept.is_sorted_by(|a, b| a < b));
            prop_assert!(kept.len() <= 5 * buckets, "{} of {buckets} buckets", kept.len());
            let (Some(start), Some(end)) = (times.first(), times.last()) else { return Ok(()) };
            let of = |row: usize| (((times[row] - start) / (end - start) * buckets as f64) as usize).min(buckets - 1);
            for bucket in 0..buckets {
                let all: Vec<usize> = (0..times.len()).filter(|&row| of(row) == bucket).collect();
                let here: Vec<usize> = kept.iter().copied().filter(|&row| of(row) == bucket).collect();
                let extremes = |rows: &[usize]| extremes(rows.iter().map(|&row| values[row]));
                prop_assert_eq!(extremes(&all), extremes(&here));
                prop_assert_eq!((all.first(), all.last()), (here.first(), here.last()));
                let misses = |rows: &[usize]| rows.iter().any(|&row| values[row].is_nan());
                prop_assert_eq!(misses(&all), misses(&here));
            }
        }

        #[test]
        fn extremes_survive_times_that_jump_back((mut times, values, buckets) in curves()) {
            times.reverse();
            let kept = thin(&times, &values, buckets);
            prop_assert_eq!(extremes(values.iter().copied()), extremes(kept.iter().map(|&row| values[row])));
        }
    }

    #[test]
    fn a_short_curve_is_kept_whole() {
        assert_eq!(thin(&[0.0, 1.0, 2.0], &[5.0, 5.0, 5.0], 1), [0, 1, 2]);
        assert_eq!(thin(&[], &[], 10), [0; 0]);
    }

    #[test]
    fn samples_of_one_time_are_one_bucket() {
        assert_eq!(thin(&[1.0; 9], &[0.0, 3.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0, 7.0], 2), [0, 3, 8]);
    }
}
