//! Two signals on one grid of time: what was wanted and what was measured, or a signal before and after a filter.

use super::figure::NewCurve;

/// Two signals without a gap, equally spaced.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair {
    /// The time of the first samples, in seconds.
    pub start: f64,
    /// Samples per second.
    pub rate: f64,
    /// The signal that causes the other one.
    pub input: Vec<f64>,
    /// The signal that follows.
    pub output: Vec<f64>,
}

/// A longer step in time than this number of usual ones is a gap.
const GAP: f64 = 5.0;

/// Divides two signals into stretches without a gap in either, with the rate of the output. Between samples, values are
/// interpolated: times may jitter, and the signals may have times of their own. Missing samples (NaN) are gaps.
pub fn pairs(input: &NewCurve, output: &NewCurve) -> Vec<Pair> {
    let Some(usual) = usual_step(&output.x) else { return Vec::new() };
    let (inputs, outputs) = (stretches(input), stretches(output));
    let (count, length) = outputs.iter().fold((0, 0.0), |(count, length), stretch| {
        (count + stretch.x.len() - 1, length + stretch.x[stretch.x.len() - 1] - stretch.x[0])
    });
    let step = if count > 0 { length / count as f64 } else { usual };
    let mut pairs = Vec::new();
    let (mut i, mut o) = (0, 0);
    while let (Some(input), Some(output)) = (inputs.get(i), outputs.get(o)) {
        let start = input.x[0].max(output.x[0]);
        let [input_end, output_end] = [input, output].map(|stretch| stretch.x[stretch.x.len() - 1]);
        let steps = ((input_end.min(output_end) - start) / step + 1e-9).floor();
        if steps >= 1.0 {
            let times = (0..=steps as usize).map(|i| start + i as f64 * step);
            let [input, output] = [input, output].map(|stretch| interpolated(stretch, times.clone()));
            pairs.push(Pair { start, rate: 1.0 / step, input, output });
        }
        if input_end < output_end {
            i += 1;
        } else {
            o += 1;
        }
    }
    pairs
}

/// Samples without a gap, at least two, with ascending times.
struct Stretch {
    x: Vec<f64>,
    y: Vec<f64>,
}

/// The step in time that nine of ten steps don't exceed: of a signal that comes in bursts a long one, but no gap.
fn usual_step(times: &[f64]) -> Option<f64> {
    let mut steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0).collect();
    let place = steps.len().checked_sub(1)? * 9 / 10;
    Some(*steps.select_nth_unstable_by(place, f64::total_cmp).1)
}

fn stretches(curve: &NewCurve) -> Vec<Stretch> {
    let Some(usual) = usual_step(&curve.x) else { return Vec::new() };
    let mut stretches = vec![Stretch { x: Vec::new(), y: Vec::new() }];
    for (&time, &value) in curve.x.iter().zip(&curve.y) {
        let Some(open) = stretches.last_mut() else { break };
        match open.x.last() {
            Some(last) if value.is_nan() || time - last > GAP * usual => {
                stretches.push(Stretch { x: Vec::new(), y: Vec::new() });
            }
            // Two samples of one time: the first one counts.
            Some(last) if time <= *last => continue,
            _ => {}
        }
        if let Some(open) = stretches.last_mut().filter(|_| !value.is_nan()) {
            open.x.push(time);
            open.y.push(value);
        }
    }
    stretches.retain(|stretch| stretch.x.len() > 1);
    stretches
}

/// The values at ascending times within a stretch.
fn interpolated(stretch: &Stretch, times: impl Iterator<Item = f64>) -> Vec<f64> {
    let (x, y) = (&stretch.x, &stretch.y);
    let mut after = 1;
    let value = |time: f64| {
        while after + 1 < x.len() && x[after] < time {
            after += 1;
        }
        let share = ((time - x[after - 1]) / (x[after] - x[after - 1])).clamp(0.0, 1.0);
        y[after - 1] + share * (y[after] - y[after - 1])
    };
    times.map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(x: Vec<f64>, y: Vec<f64>) -> NewCurve {
        NewCurve { x, y, ..NewCurve::default() }
    }

    #[test]
    fn jitter_is_resampled_and_gaps_divide() {
        let jitter = |i: u32| f64::from(i) * 0.01 + if i.is_multiple_of(2) { 0.002 } else { 0.0 };
        let times: Vec<f64> = (0..400).filter(|i| !(200..220).contains(i)).map(jitter).collect();
        let line = |times: &[f64]| times.iter().map(|time| 3.0 * time).collect::<Vec<f64>>();
        let input: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.04).collect();
        let pairs = pairs(&curve(input.clone(), line(&input)), &curve(times.clone(), line(&times)));
        assert_eq!(pairs.len(), 2);
        for pair in &pairs {
            assert!((pair.rate - 100.0).abs() < 0.5, "{}", pair.rate);
            for (i, (input, output)) in pair.input.iter().zip(&pair.output).enumerate() {
                let expected = 3.0 * (pair.start + i as f64 / pair.rate);
                assert!((input - expected).abs() < 1e-9 && (output - expected).abs() < 1e-9, "{input} {output}");
            }
        }
        assert!(pairs[0].output.len().abs_diff(200) < 3 && pairs[1].output.len().abs_diff(177) < 3);
    }

    #[test]
    fn a_missing_sample_divides() {
        let times: Vec<f64> = (0..10).map(f64::from).collect();
        let mut values = times.clone();
        values[4] = f64::NAN;
        let pairs = pairs(&curve(times.clone(), times.clone()), &curve(times, values));
        assert_eq!(pairs.iter().map(|pair| pair.output.clone()).collect::<Vec<_>>().concat().len(), 9);
        assert_eq!(pairs.len(), 2);
    }

    #[test]
    fn signals_without_a_common_time_make_no_pair() {
        let (early, late): (Vec<f64>, Vec<f64>) = ((0..9).map(f64::from).collect(), (20..29).map(f64::from).collect());
        assert_eq!(pairs(&curve(early.clone(), early.clone()), &curve(late.clone(), late)), []);
        assert_eq!(pairs(&curve(early.clone(), early), &curve(vec![], vec![])), []);
    }
}
