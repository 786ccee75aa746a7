//! How much later a signal is than another one, such as a filtered gyroscope: by their correlation.

use super::pairs::Pair;
use super::spectrum::hann;
use realfft::RealFftPlanner;
use realfft::num_complex::Complex;

/// The length of a window, in seconds.
const WINDOW: f64 = 1.0;

/// The shortest window, in samples.
const SHORTEST_WINDOW: usize = 64;

/// The longest lag, in seconds, and in samples of a slow signal.
const LONGEST: f64 = 0.025;
const LONGEST_SAMPLES: f64 = 4.0;

/// Lags in each sample.
const STEPS: usize = 8;

/// The delay of a signal.
#[derive(Clone, PartialEq, Debug)]
pub struct Delay {
    /// By how much the output is later, in seconds.
    pub delay: f64,
    /// The correlation of the output with the input that much earlier: 1 if they are alike.
    pub correlation: f64,
    /// Lags in seconds, ascending.
    pub lags: Vec<f64>,
    /// The correlation at each lag.
    pub correlations: Vec<f64>,
}

/// The delay of the output in windows of a second, each without its mean, weighted by Hann. The correlation is worked
/// out at eight lags a sample, which is exact for signals below half of the sample rate, and a parabola through the
/// highest three gives the delay.
///
/// `None` if no pair is long enough, if a signal is constant, or if the correlation is highest at the longest lag.
pub fn delay(pairs: &[Pair]) -> Option<Delay> {
    let rate = pairs.first()?.rate;
    let longest_pair = pairs.iter().map(|pair| pair.input.len()).max()?;
    let window = ((WINDOW * rate) as usize).max(SHORTEST_WINDOW).min(longest_pair);
    if window < SHORTEST_WINDOW {
        return None;
    }
    let weights = hann(window);
    let mut sums = Sums::new(window);
    for pair in pairs {
        let windows = pair.input.windows(window).zip(pair.output.windows(window));
        for (input, output) in windows.step_by(window / 2) {
            sums.add(&centred(input, &weights), &centred(output, &weights));
        }
    }
    let longest = (LONGEST * rate).max(LONGEST_SAMPLES).min(window as f64 / 4.0);
    let longest = (longest * STEPS as f64) as usize;
    let mut of_window = Sums::new(window);
    of_window.add(&weights, &weights);
    let [of_window, cross] = [&of_window, &sums].map(|sums| sums.correlation(longest));
    let size = (sums.input * sums.output).sqrt() / of_window[longest];
    if !size.is_normal() {
        return None;
    }
    let correlations: Vec<f64> = cross.iter().zip(&of_window).map(|(cross, window)| cross / window / size).collect();
    let highest = (0..correlations.len()).max_by(|a, b| correlations[*a].total_cmp(&correlations[*b]))?;
    let [before, at, after] = *correlations.get(highest.checked_sub(1)?..highest + 2)? else { return None };
    let curvature = before - 2.0 * at + after;
    let beside = if curvature < 0.0 { (before - after) / 2.0 / curvature } else { 0.0 };
    let seconds = |lag: f64| (lag - longest as f64) / STEPS as f64 / rate;
    Some(Delay {
        delay: seconds(highest as f64 + beside),
        correlation: at - (before - after) * beside / 4.0,
        lags: (0..correlations.len()).map(|lag| seconds(lag as f64)).collect(),
        correlations,
    })
}

/// The samples without their mean, weighted.
fn centred(samples: &[f64], weights: &[f64]) -> Vec<f64> {
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    samples.iter().zip(weights).map(|(sample, weight)| (sample - mean) * weight).collect()
}

/// Spectra, summed over windows. Each window is followed by as many zeros, so that its end doesn't meet its beginning.
struct Sums {
    fft: std::sync::Arc<dyn realfft::RealToComplex<f64>>,
    window: usize,
    cross: Vec<Complex<f64>>,
    /// The energies.
    input: f64,
    output: f64,
}

impl Sums {
    fn new(window: usize) -> Self {
        let fft = RealFftPlanner::new().plan_fft_forward(window * 2);
        Sums { cross: fft.make_output_vec(), fft, window, input: 0.0, output: 0.0 }
    }

    fn add(&mut self, input: &[f64], output: &[f64]) {
        let [x, y] = [input, output].map(|samples| {
            let (mut padded, mut spectrum) = (self.fft.make_input_vec(), self.fft.make_output_vec());
            padded[..samples.len()].copy_from_slice(samples);
            // It fails for rooms of the wrong length only, and these are its own.
            let _ = self.fft.process(&mut padded, &mut spectrum);
            spectrum
        });
        self.cross.iter_mut().zip(x.iter().zip(&y)).for_each(|(sum, (x, y))| *sum += y * x.conj());
        let energy = |samples: &[f64]| samples.iter().map(|sample| sample * sample).sum::<f64>();
        self.input += energy(input);
        self.output += energy(output);
    }

    /// The correlation at lags from minus the longest one to it, both given in steps.
    fn correlation(&self, longest: usize) -> Vec<f64> {
        // More lags in each sample are higher frequencies that are 0.
        let length = self.window * 2 * STEPS;
        let fft = RealFftPlanner::new().plan_fft_inverse(length);
        let (mut spectrum, mut correlation) = (fft.make_input_vec(), fft.make_output_vec());
        spectrum[..self.cross.len()].copy_from_slice(&self.cross);
        // A real signal has a real number there, and half of its highest frequency on either side.
        spectrum[0].im = 0.0;
        spectrum[self.window] *= 0.5;
        let _ = fft.process(&mut spectrum, &mut correlation);
        let early = (1..=longest).rev().map(|lag| correlation[length - lag]);
        let whole = early.chain((0..=longest).map(|lag| correlation[lag]));
        whole.map(|value| value / (self.window * 2) as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::TAU;

    /// Sines below a third of the sample rate, and the same later, both with noise of their own.
    fn delayed(samples: f64, noise: f64, seed: u64) -> Pair {
        let mut state = seed;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1u32 << 31)
        };
        let sines: Vec<(f64, f64)> = (0..40).map(|_| (random() / 3.0, TAU * random())).collect();
        let value = |at: f64| -> f64 { sines.iter().map(|(share, phase)| (TAU * share * at + phase).sin()).sum() };
        let mut of = |delay: f64| -> Vec<f64> {
            (0..8000).map(|i| value(f64::from(i) - delay) + noise * (random() - 0.5)).collect()
        };
        let (input, output) = (of(0.0), of(samples));
        Pair { start: 3.0, rate: 1000.0, input, output }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn a_delay_is_found_to_a_tenth_of_a_sample(samples in -20.0..20.0f64, seed in any::<u64>()) {
            let found = delay(&[delayed(samples, 2.0, seed)]).expect("a delay");
            prop_assert!((found.delay * 1000.0 - samples).abs() < 0.1, "{} for {samples}", found.delay * 1000.0);
            prop_assert!((0.95..=1.001).contains(&found.correlation), "{}", found.correlation);
        }
    }

    #[test]
    fn a_slow_motion_has_the_delay_of_its_filter() {
        // A low pass of first order at 40 Hz is 3.98 ms late for slow motion.
        let pair = delayed(0.0, 0.0, 1);
        let slow = |time: f64| (TAU * 2.0 * time).sin() + 0.5 * (TAU * 3.1 * time).sin();
        let input: Vec<f64> = (0..20_000).map(|i| slow(f64::from(i) / 1000.0)).collect();
        let share = 1.0 - (-TAU * 40.0f64 / 1000.0).exp();
        let mut state = 0.0;
        let mut filtered = |value: &f64| {
            state += share * (value - state);
            state
        };
        let output = input.iter().map(&mut filtered).collect();
        let found = delay(&[Pair { input, output, ..pair }]).expect("a delay");
        // The discrete filter includes the sample of now.
        let expected = (1.0 - share) / share / 1000.0;
        assert!((found.delay - expected).abs() < 1e-4, "{} {expected}", found.delay);
        assert!(found.correlation > 0.999);
    }

    #[test]
    fn what_has_no_delay_is_none() {
        let pair = delayed(0.0, 0.0, 1);
        assert_eq!(delay(&[]), None);
        assert_eq!(delay(&[Pair { input: vec![0.0; 8000], ..pair.clone() }]), None, "constant");
        assert_eq!(delay(&[Pair { input: vec![1.0; 9], output: vec![1.0; 9], ..pair }]), None, "too short");
    }
}
