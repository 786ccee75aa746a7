//! Which frequencies a signal has: the mean of windowed spectra (Welch's method), and one spectrum after the other.

use realfft::RealFftPlanner;
use std::f64::consts::TAU;
use std::ops::Range;

/// Equally spaced samples without a gap.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// The time of the first sample, in seconds.
    pub start: f64,
    /// Samples per second.
    pub rate: f64,
    /// The samples.
    pub samples: Vec<f64>,
}

/// Amplitudes by frequency.
#[derive(Clone, PartialEq, Debug)]
pub struct Spectrum {
    /// The frequencies in Hz, from 0 to half of the sample rate.
    pub frequencies: Vec<f64>,
    /// The amplitude at each frequency, in the unit of the samples: a sine of amplitude A gives A.
    pub amplitudes: Vec<f64>,
}

/// Spectra of short stretches, by time.
#[derive(Clone, PartialEq, Debug)]
pub struct Spectrogram {
    /// The frequencies in Hz.
    pub frequencies: Vec<f64>,
    /// The middle of each stretch, in seconds.
    pub times: Vec<f64>,
    /// The length of a stretch, in seconds.
    pub stretch: f64,
    /// The amplitudes of each stretch, as in [`Spectrum`].
    pub amplitudes: Vec<Vec<f64>>,
}

/// The longest window. At 1 kHz, it resolves 1 Hz.
const LONGEST_WINDOW: usize = 1024;

/// A spectrogram has at least this number of stretches side by side, unless the signal is too short for its shortest
/// window.
const STRETCHES: usize = 50;

/// The longest stretch that has one value, in seconds.
const LONGEST_OF_VALUE: f64 = 0.5;

/// The shortest signal that has a spectrum.
const SHORTEST_WINDOW: usize = 16;

/// Divides samples into runs: at missing samples (NaN), and at gaps of more than one and a half times the usual
/// distance.
///
/// Each run has the rate at which its samples came. Jitter within it is ignored.
pub fn runs(times: &[f64], values: &[f64]) -> Vec<Run> {
    let mut steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0).collect();
    if steps.is_empty() {
        return Vec::new();
    }
    let middle = steps.len() / 2;
    let usual = *steps.select_nth_unstable_by(middle, f64::total_cmp).1;
    let mut runs = Vec::new();
    let mut open: Vec<(f64, f64)> = Vec::new();
    let mut close = |open: &mut Vec<(f64, f64)>| {
        if let (Some((start, _)), Some((end, _))) = (open.first(), open.last())
            && end > start
        {
            let rate = (open.len() - 1) as f64 / (end - start);
            runs.push(Run { start: *start, rate, samples: open.iter().map(|(_, value)| *value).collect() });
        }
        open.clear();
    };
    for (&time, &value) in times.iter().zip(values) {
        let follows = open.last().is_none_or(|(last, _)| time > *last && time - last <= 1.5 * usual);
        if value.is_nan() || !follows {
            close(&mut open);
        }
        if !value.is_nan() {
            open.push((time, value));
        }
    }
    close(&mut open);
    runs
}

/// The mean spectrum of all runs: Hann windows that overlap by half, each without its mean; the mean is that of the
/// squares.
///
/// A sine of amplitude A at one of the frequencies gives A there. Between two frequencies, a Hann window shows down to
/// 0.85 A, in both neighbours. `None` if no run has 16 samples.
pub fn welch(runs: &[Run]) -> Option<Spectrum> {
    let (window, rate) = window_and_rate(runs)?;
    let mut analysis = Analysis::new(window);
    let mut squares = vec![0.0; window / 2 + 1];
    let mut count = 0u32;
    for run in runs {
        for (_, stretch) in stretches(run, window, window / 2) {
            let amplitudes = analysis.amplitudes(stretch);
            squares.iter_mut().zip(amplitudes).for_each(|(sum, amplitude)| *sum += amplitude * amplitude);
            count += 1;
        }
    }
    let amplitudes = squares.into_iter().map(|sum| (sum / f64::from(count)).sqrt()).collect();
    Some(Spectrum { frequencies: frequencies(window, rate), amplitudes })
}

/// The spectra of all runs by time, `None` if no run has 16 samples. At most about `columns` spectra: later ones are
/// further apart in a long signal, and overlap by three quarters in a short one. The window is shorter for a short
/// signal, so that changes are seen.
pub fn spectrogram(runs: &[Run], columns: usize) -> Option<Spectrogram> {
    let (longest, rate) = window_and_rate(runs)?;
    let samples: usize = runs.iter().map(|run| run.samples.len()).sum();
    let window = longest.min((samples / STRETCHES).max(SHORTEST_WINDOW).next_power_of_two());
    let step = (samples / columns.max(1)).max(window / 4);
    let mut analysis = Analysis::new(window);
    let (mut times, mut amplitudes) = (Vec::new(), Vec::new());
    for run in runs {
        for (from, stretch) in stretches(run, window, step) {
            times.push(run.start + (from as f64 + window as f64 / 2.0) / run.rate);
            amplitudes.push(analysis.amplitudes(stretch));
        }
    }
    // Spectra of runs that follow each other at once leave no gap.
    let stretch = window.max(step) as f64 / rate;
    Some(Spectrogram { frequencies: frequencies(window, rate), times, stretch, amplitudes })
}

/// The mean spectra of stretches that have similar values, such as the throttle: `columns` ranges of equal width in
/// `range`, of which those without a stretch are left out. [`Spectrogram::times`] are the middles of these ranges.
/// `value` is the value of a stretch by its time; a stretch without one is left out, and their number is returned.
///
/// The mean is that of the squares. `None` if no run has 16 samples.
pub fn by_value(
    runs: &[Run],
    range: Range<f64>,
    columns: usize,
    value: impl Fn(Range<f64>) -> Option<f64>,
) -> Option<(Spectrogram, usize)> {
    let (longest, rate) = window_and_rate(runs)?;
    // The value should hardly change in it.
    let short = (rate * LONGEST_OF_VALUE) as usize;
    let window = longest.min(1 << short.max(SHORTEST_WINDOW).ilog2());
    let mut analysis = Analysis::new(window);
    let mut sums: Vec<(usize, Vec<f64>)> = vec![(0, vec![0.0; window / 2 + 1]); columns];
    let mut left_out = 0;
    let width = (range.end - range.start) / columns as f64;
    for run in runs {
        for (from, stretch) in stretches(run, window, window / 2) {
            let start = run.start + from as f64 / run.rate;
            let Some(value) = value(start..start + window as f64 / run.rate).filter(|value| value.is_finite()) else {
                left_out += 1;
                continue;
            };
            let column = ((value - range.start) / width).clamp(0.0, (columns - 1) as f64) as usize;
            let (count, squares) = &mut sums[column];
            let amplitudes = analysis.amplitudes(stretch);
            squares.iter_mut().zip(amplitudes).for_each(|(sum, amplitude)| *sum += amplitude * amplitude);
            *count += 1;
        }
    }
    let mut means =
        Spectrogram { frequencies: frequencies(window, rate), times: vec![], stretch: width, amplitudes: vec![] };
    for (column, (count, squares)) in sums.into_iter().enumerate().filter(|(_, (count, _))| *count > 0) {
        means.times.push(range.start + (column as f64 + 0.5) * width);
        means.amplitudes.push(squares.into_iter().map(|sum| (sum / count as f64).sqrt()).collect());
    }
    Some((means, left_out))
}

/// The window that fits the longest run, and the rate of the signal.
fn window_and_rate(runs: &[Run]) -> Option<(usize, f64)> {
    let longest = runs.iter().map(|run| run.samples.len()).max()?;
    let samples: usize = runs.iter().map(|run| run.samples.len()).sum();
    let rate = runs.iter().map(|run| run.rate * run.samples.len() as f64).sum::<f64>() / samples as f64;
    // The largest power of two.
    let window = 1 << longest.max(1).ilog2();
    (window >= SHORTEST_WINDOW).then_some((window.min(LONGEST_WINDOW), rate))
}

fn frequencies(window: usize, rate: f64) -> Vec<f64> {
    (0..=window / 2).map(|bin| bin as f64 * rate / window as f64).collect()
}

/// The stretches of a run, with the index of the first sample.
fn stretches(run: &Run, window: usize, step: usize) -> impl Iterator<Item = (usize, &[f64])> {
    let stretches = run.samples.windows(window).enumerate();
    stretches.step_by(step.max(1))
}

/// The periodic window by Hann, whose spectrum is zero at all but three frequencies.
pub fn hann(window: usize) -> Vec<f64> {
    (0..window).map(|i| 0.5 - 0.5 * (TAU * i as f64 / window as f64).cos()).collect()
}

/// The transform of one stretch.
struct Analysis {
    hann: Vec<f64>,
    fft: std::sync::Arc<dyn realfft::RealToComplex<f64>>,
    input: Vec<f64>,
    output: Vec<realfft::num_complex::Complex<f64>>,
}

impl Analysis {
    fn new(window: usize) -> Self {
        let hann = hann(window);
        let fft = RealFftPlanner::new().plan_fft_forward(window);
        let (input, output) = (fft.make_input_vec(), fft.make_output_vec());
        Analysis { hann, fft, input, output }
    }

    fn amplitudes(&mut self, stretch: &[f64]) -> Vec<f64> {
        let mean = stretch.iter().sum::<f64>() / stretch.len() as f64;
        for ((input, sample), weight) in self.input.iter_mut().zip(stretch).zip(&self.hann) {
            *input = (sample - mean) * weight;
        }
        // It fails for rooms of the wrong length only, and it has made these itself.
        if self.fft.process(&mut self.input, &mut self.output).is_err() {
            return vec![f64::NAN; self.output.len()];
        }
        // Half of a sine is at the negative frequency, except for 0 and half of the sample rate.
        let last = self.output.len() - 1;
        let weight: f64 = self.hann.iter().sum();
        let side = |bin: usize| if bin == 0 || bin == last { 1.0 } else { 2.0 };
        self.output.iter().enumerate().map(|(bin, value)| side(bin) * value.norm() / weight).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sine(rate: f64, count: usize, parts: &[(f64, f64)]) -> Run {
        let value = |i: usize| -> f64 {
            parts.iter().map(|(frequency, amplitude)| amplitude * (TAU * frequency * i as f64 / rate).sin()).sum()
        };
        Run { start: 0.0, rate, samples: (0..count).map(value).collect() }
    }

    proptest! {
        #[test]
        fn a_sine_shows_its_amplitude_at_its_frequency(bin in 3usize..509, amplitude in 0.01..1000.0f64, offset in -50.0..50.0f64) {
            let rate = 1000.0;
            let frequency = bin as f64 * rate / 1024.0;
            let mut run = sine(rate, 5000, &[(frequency, amplitude)]);
            run.samples.iter_mut().for_each(|sample| *sample += offset);
            let spectrum = welch(&[run]).expect("enough samples");
            prop_assert!((spectrum.frequencies[bin] - frequency).abs() < 1e-9);
            prop_assert!((spectrum.amplitudes[bin] / amplitude - 1.0).abs() < 1e-6);
            // A Hann window has three lines.
            let others = spectrum.amplitudes.iter().enumerate().filter(|(i, _)| i.abs_diff(bin) > 1);
            let highest = others.map(|(_, amplitude)| *amplitude).fold(0.0, f64::max);
            prop_assert!(highest < 1e-6 * amplitude + 1e-9 * offset.abs(), "{highest}");
        }
    }

    #[test]
    fn between_two_frequencies_a_sine_shows_at_least_85_percent() {
        let spectrum = welch(&[sine(1000.0, 4096, &[(100.5 * 1000.0 / 1024.0, 10.0)])]).expect("enough samples");
        for bin in [100, 101] {
            assert!((8.4..8.6).contains(&spectrum.amplitudes[bin]), "{}", spectrum.amplitudes[bin]);
        }
    }

    #[test]
    fn batches_of_different_times_are_one_spectrum() {
        let batches: Vec<Run> = (0..5u8)
            .map(|i| Run { start: f64::from(i), ..sine(2000.0, 1024, &[(250.0, 3.0), (500.0, 1.0)]) })
            .collect();
        let spectrum = welch(&batches).expect("enough samples");
        assert_eq!(spectrum.frequencies[128], 250.0);
        assert!((spectrum.amplitudes[128] - 3.0).abs() < 1e-9);
        assert!((spectrum.amplitudes[256] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn gaps_and_missing_samples_end_a_run() {
        let times = [0.0, 0.1, 0.2, 0.3, 0.9, 1.0, 1.1, 1.2];
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, f64::NAN, 6.0, 7.0];
        let runs = runs(&times, &values);
        let lengths: Vec<_> = runs.iter().map(|run| run.samples.len()).collect();
        assert_eq!(lengths, [4, 2]);
        assert!((runs[0].rate - 10.0).abs() < 1e-9);
        assert_eq!(welch(&runs), None, "too short");
    }

    #[test]
    fn a_spectrogram_shows_when_the_frequency_changes() {
        let (slow, fast) = (sine(1024.0, 10_240, &[(64.0, 2.0)]), sine(1024.0, 10_240, &[(256.0, 2.0)]));
        let samples = [slow.samples, fast.samples].concat();
        let spectrogram = spectrogram(&[Run { start: 5.0, rate: 1024.0, samples }], 1000).expect("enough samples");
        let bin = |frequency: f64| spectrogram.frequencies.iter().position(|known| *known == frequency);
        let [low, high] = [64.0, 256.0].map(|frequency| bin(frequency).expect("one of its frequencies"));
        for (time, amplitudes) in spectrogram.times.iter().zip(&spectrogram.amplitudes) {
            // The stretch in which it changes has both.
            let expected = match time - 5.0 {
                ..9.5 => low,
                10.5.. => high,
                _ => continue,
            };
            assert!((amplitudes[expected] - 2.0).abs() < 1e-6, "at {time}");
        }
        assert!(spectrogram.times.len() > 100);
    }

    #[test]
    fn a_long_signal_has_about_as_many_spectra_as_asked_for() {
        let spectrogram = spectrogram(&[sine(1000.0, 1_000_000, &[(100.0, 1.0)])], 500).expect("enough samples");
        assert!((400..=501).contains(&spectrogram.times.len()), "{}", spectrogram.times.len());
    }

    #[test]
    fn a_tone_that_follows_a_value_is_at_its_place() {
        // The value rises from 0 to 100 in a minute, and the tone with it from 100 to 300 Hz.
        let rate = 1000.0;
        let value = |time: f64| time / 60.0 * 100.0;
        let mut phase = 0.0;
        let tone = |i: u32| {
            phase += TAU * (100.0 + 2.0 * value(f64::from(i) / rate)) / rate;
            2.0 * f64::sin(phase)
        };
        let samples = (0..60_000).map(tone).collect();
        let runs = [Run { start: 10.0, rate, samples }];
        let middle = |during: Range<f64>| Some(value((during.start + during.end) / 2.0 - 10.0));
        let (noise, left_out) = by_value(&runs, 0.0..100.0, 50, middle).expect("enough samples");
        assert_eq!((noise.times.len(), left_out), (50, 0));
        for (value, amplitudes) in noise.times.iter().zip(&noise.amplitudes) {
            let highest = (0..amplitudes.len()).max_by(|a, b| amplitudes[*a].total_cmp(&amplitudes[*b]));
            let frequency = noise.frequencies[highest.expect("a spectrum")];
            // A column is 4 Hz wide, a line of the spectrum about as much.
            assert!((frequency - (100.0 + 2.0 * value)).abs() < 6.0, "{frequency} Hz at {value}");
        }
        let nothing = by_value(&runs, 0.0..100.0, 50, |_| None).expect("enough samples");
        assert!(nothing.0.times.is_empty() && nothing.1 > 200);
    }
}
