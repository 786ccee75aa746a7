//! How a measurement follows a set point: the response to a step, from any flight.
//!
//! The set point's spectrum leads to that of the measurement by the response to an impulse, which a regularised
//! division gives (Wiener deconvolution). Its cumulative sum is the response to a step. Windows of [`WINDOW`]
//! seconds are weighted by Hann, as PID-Analyzer and ArduPilot's PIDReview do it. There are three differences:
//!
//! - Spectra are averaged before the division instead of responses after it: a window with little input counts little,
//!   and noise of the measurement cancels.
//! - The impulse response is divided by the window's own correlation, because a late response stands where the window
//!   has another weight.
//! - Frequencies are used up to where set point and measurement are coherent, at least up to the first one of
//!   `FREQUENCIES`, which is the peers' only one.

use super::pairs::Pair;
use super::spectrum::hann;
use realfft::RealFftPlanner;
use realfft::num_complex::Complex;
use std::ops::{Range, RangeInclusive};

/// The length of a window, in seconds.
pub const WINDOW: f64 = 2.0;

/// How long the response is, in seconds.
pub const LENGTH: f64 = 0.5;

/// The lowest rate of samples with which a response is worked out, in Hz.
pub const LOWEST_RATE: f64 = 50.0;

/// Windows begin at this share of a window after one another.
const OVERLAP: usize = 8;

/// Fewer windows than these fit into less than four seconds. They overlap, and noise doesn't cancel.
pub const FEW: usize = OVERLAP;

/// Between which two frequencies the highest one that is used may be, in Hz.
const FREQUENCIES: RangeInclusive<f64> = 25.0..=100.0;

/// From this coherence on, a frequency of the measurement follows from the set point.
const COHERENCE: f64 = 0.5;

/// What is added to the power of the set point in the division, as a share of its highest power.
const REGULARISATION: f64 = 1e-6;

/// When the response has settled, in seconds.
const SETTLED: f64 = 0.3;

/// A response that settles lower doesn't follow the set point, so that nothing is measured of it.
const LEAST_SETTLED: f64 = 0.2;

/// The response to a step from 0 to 1.
#[derive(Clone, PartialEq, Debug)]
pub struct StepResponse {
    /// Times since the step, in seconds.
    pub times: Vec<f64>,
    /// The response at each time.
    pub values: Vec<f64>,
    /// Where it settles: its mean from 0.3 s on.
    pub settled: f64,
    /// From 10 % to 90 % of where it settles, in seconds.
    pub rise: Option<f64>,
    /// Until 50 % of where it settles, in seconds.
    pub delay: Option<f64>,
    /// How far the highest value is above where it settles, as a share of that.
    pub overshoot: Option<f64>,
    /// Up to which frequency set point and measurement were used, in Hz.
    pub highest_frequency: f64,
}

/// The response in some of the windows, and how many these were.
#[derive(Clone, PartialEq, Debug)]
pub struct Responses {
    /// The response; `None` if no window has enough input, or if it isn't finite.
    pub response: Option<StepResponse>,
    /// The number of windows whose input is large enough.
    pub used: usize,
    /// The number of windows whose input is too small.
    pub left_out: usize,
}

/// The responses of several groups of windows. `group` chooses one for a window by its time, or none. Windows whose
/// weighted input is less than `least`, or is constant, are left out.
pub fn step_responses(
    pairs: &[Pair],
    least: f64,
    groups: usize,
    mut group: impl FnMut(Range<f64>) -> Option<usize>,
) -> Vec<Responses> {
    let rate = pairs.first().map_or(LOWEST_RATE, |pair| pair.rate);
    let window = (WINDOW * rate / 2.0).round().max(8.0) as usize * 2;
    let analysis = Analysis::new(window);
    let mut sums: Vec<Sums> = (0..groups).map(|_| Sums::new(window)).collect();
    for pair in pairs {
        for (from, input) in pair.input.windows(window).enumerate().step_by((window / OVERLAP).max(1)) {
            let start = pair.start + from as f64 / rate;
            let Some(sums) = group(start..start + window as f64 / rate).and_then(|group| sums.get_mut(group)) else {
                continue;
            };
            let highest = input.iter().zip(&analysis.hann).map(|(x, weight)| (x * weight).abs()).fold(0.0, f64::max);
            let is_constant = input.iter().all(|value| *value == input[0]);
            if highest < least || is_constant {
                sums.left_out += 1;
                continue;
            }
            sums.used += 1;
            let input = analysis.spectrum(input);
            let output = analysis.spectrum(&pair.output[from..from + window]);
            for (sums, (x, y)) in sums.bins.iter_mut().zip(input.iter().zip(&output)) {
                sums.input += x.norm_sqr();
                sums.output += y.norm_sqr();
                sums.cross += y * x.conj();
            }
        }
    }
    sums.iter().map(|sums| sums.responses(rate, &analysis.hann)).collect()
}

/// The transform of a window.
struct Analysis {
    hann: Vec<f64>,
    fft: std::sync::Arc<dyn realfft::RealToComplex<f64>>,
}

impl Analysis {
    fn new(window: usize) -> Self {
        Analysis { hann: hann(window), fft: RealFftPlanner::new().plan_fft_forward(window) }
    }

    fn spectrum(&self, samples: &[f64]) -> Vec<Complex<f64>> {
        let mut weighted: Vec<f64> = samples.iter().zip(&self.hann).map(|(sample, weight)| sample * weight).collect();
        let mut spectrum = self.fft.make_output_vec();
        // It fails for rooms of the wrong length only, and these are its own.
        let _ = self.fft.process(&mut weighted, &mut spectrum);
        spectrum
    }
}

/// The powers of one frequency, summed over windows.
#[derive(Clone, Copy, Default)]
struct Bin {
    input: f64,
    output: f64,
    cross: Complex<f64>,
}

/// What is summed over the windows of a group.
struct Sums {
    window: usize,
    bins: Vec<Bin>,
    used: usize,
    left_out: usize,
}

impl Sums {
    fn new(window: usize) -> Self {
        Sums { window, bins: vec![Bin::default(); window / 2 + 1], used: 0, left_out: 0 }
    }

    fn responses(&self, rate: f64, hann: &[f64]) -> Responses {
        // The powers of absurd values are infinite.
        let is_finite = self.bins.iter().all(|bin| (bin.input + bin.output + bin.cross.norm_sqr()).is_finite());
        let response = (self.used > 0 && is_finite).then(|| self.response(rate, hann));
        Responses { response, used: self.used, left_out: self.left_out }
    }

    fn response(&self, rate: f64, hann: &[f64]) -> StepResponse {
        let frequency = |bin: usize| bin as f64 * rate / self.window as f64;
        let highest_frequency = self.coherent_up_to(frequency).clamp(*FREQUENCIES.start(), *FREQUENCIES.end());
        let least = self.bins.iter().map(|bin| bin.input).fold(0.0, f64::max) * REGULARISATION;
        let transfer = self.bins.iter().enumerate().map(|(bin, sums)| {
            let share = low_pass(frequency(bin) / highest_frequency);
            if sums.input + least > 0.0 { sums.cross / (sums.input + least) * share } else { Complex::default() }
        });
        let impulse = inverse(transfer.collect(), self.window);
        let correlation = correlation(hann);
        // The limited frequencies spread the impulse response to both sides, so that it begins before the step.
        let before = ((rate / highest_frequency).round() as usize).min(self.window / 4);
        let after = ((LENGTH * rate).round() as usize).min(self.window / 2 - 1);
        let early = (1..=before).rev().map(|lag| impulse[self.window - lag] / correlation[lag]);
        let late = (0..=after).map(|lag| impulse[lag] / correlation[lag]);
        let mut sum = 0.0;
        let whole: Vec<f64> = early
            .chain(late)
            .map(|part| {
                sum += part;
                sum
            })
            .collect();
        let time = |sample: f64| (sample - before as f64) / rate;
        let late = &whole[before + ((SETTLED * rate) as usize).min(after)..];
        let settled = late.iter().sum::<f64>() / late.len() as f64;
        let follows = settled > LEAST_SETTLED;
        let crossing = |share: f64| first_above(&whole, share * settled).map(time).filter(|_| follows);
        let highest = whole.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        StepResponse {
            times: (0..=after).map(|sample| sample as f64 / rate).collect(),
            values: whole[before..].to_vec(),
            settled,
            rise: crossing(0.1).zip(crossing(0.9)).map(|(from, to)| to - from),
            delay: crossing(0.5),
            overshoot: follows.then(|| highest / settled - 1.0),
            highest_frequency,
        }
    }

    /// The first frequency at which set point and measurement aren't coherent.
    fn coherent_up_to(&self, frequency: impl Fn(usize) -> f64) -> f64 {
        // The mean of neighbours, because few windows look coherent by chance.
        let coherence = |bins: &[Bin]| {
            let of = |bin: &Bin| bin.cross.norm_sqr() / (bin.input * bin.output);
            let values: Vec<f64> = bins.iter().map(of).filter(|coherence| coherence.is_finite()).collect();
            values.iter().sum::<f64>() / values.len().max(1) as f64
        };
        const NEIGHBOURS: usize = 5;
        let mut middles = self.bins.windows(NEIGHBOURS).enumerate().skip(NEIGHBOURS / 2);
        let first = middles.find(|(_, bins)| coherence(bins) < COHERENCE);
        first.map_or(f64::INFINITY, |(from, _)| frequency(from + NEIGHBOURS / 2))
    }
}

/// The share of a frequency that passes, by its ratio to the highest one: half at 1, none from 2 on. It falls as
/// PIDReview and PID-Analyzer weight frequencies: the integral of a Gauss curve, whose deviation is a third of the
/// highest one.
fn low_pass(ratio: f64) -> f64 {
    let deviations = (ratio - 1.0) * 3.0;
    // The logistic curve that is within a hundredth of that integral.
    if ratio >= 2.0 { 0.0 } else { 1.0 / (1.0 + (1.702 * deviations).exp()) }
}

/// The signal of a spectrum.
fn inverse(mut spectrum: Vec<Complex<f64>>, length: usize) -> Vec<f64> {
    // A real signal has real numbers there.
    for end in [0, spectrum.len() - 1] {
        spectrum[end].im = 0.0;
    }
    let fft = RealFftPlanner::new().plan_fft_inverse(length);
    let mut signal = fft.make_output_vec();
    let _ = fft.process(&mut spectrum, &mut signal);
    signal.iter_mut().for_each(|value| *value /= length as f64);
    signal
}

/// The correlation of a window with itself by lag; 1 at lag 0.
fn correlation(window: &[f64]) -> Vec<f64> {
    let length = window.len() * 2;
    let fft = RealFftPlanner::new().plan_fft_forward(length);
    let (mut padded, mut spectrum) = (fft.make_input_vec(), fft.make_output_vec());
    padded[..window.len()].copy_from_slice(window);
    let _ = fft.process(&mut padded, &mut spectrum);
    let power = spectrum.iter().map(|value| Complex::from(value.norm_sqr())).collect();
    let correlation = inverse(power, length);
    correlation[..window.len()].iter().map(|value| value / correlation[0]).collect()
}

/// Where values first exceed a level, between two samples; `None` if they never do.
fn first_above(values: &[f64], level: f64) -> Option<f64> {
    let after = values.iter().position(|value| *value >= level)?;
    let Some(before) = after.checked_sub(1) else { return Some(0.0) };
    Some(before as f64 + (level - values[before]) / (values[after] - values[before]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::figure::NewCurve;
    use crate::plot::pairs::pairs;
    use proptest::prelude::*;
    use std::f64::consts::TAU;

    /// A system of second order with a delay.
    #[derive(Clone, Copy, Debug)]
    struct Loop {
        /// Its natural frequency in Hz.
        frequency: f64,
        damping: f64,
        /// In seconds.
        delay: f64,
    }

    impl Loop {
        /// Its response to a step, by the solution of the differential equation.
        fn step(self, time: f64) -> f64 {
            let time = time - self.delay;
            if time <= 0.0 {
                return 0.0;
            }
            let (w, z) = (TAU * self.frequency, self.damping);
            let root = (1.0 - z * z).sqrt();
            let phase = w * root * time;
            1.0 - (-z * w * time).exp() * (phase.cos() + z / root * phase.sin())
        }

        /// Its response to steps at some times.
        fn follow(self, time: f64, steps: &[(f64, f64)]) -> f64 {
            // Older steps have settled.
            let settled = 12.0 / (TAU * self.frequency * self.damping) + self.delay;
            let part = |&(at, height): &(f64, f64)| match time - at {
                since if since > settled => height,
                since => height * self.step(since),
            };
            steps.iter().map(part).sum()
        }
    }

    /// Random numbers between -1 and 1.
    fn random(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
        }
    }

    /// A minute of sticks that jump between -200 and 200 deg/s, and the loop with noise, at times that jitter.
    fn flight(system: Loop, rate: f64, noise: f64, jitter: f64, seed: u64) -> (NewCurve, NewCurve) {
        let mut random = random(seed);
        let mut steps = Vec::new();
        let (mut at, mut before) = (0.1, 0.0);
        while at < 60.0 {
            let value = 200.0 * random();
            steps.push((at, value - before));
            (at, before) = (at + 0.25 + 0.15 * random(), value);
        }
        let times: Vec<f64> = (0..(60.0 * rate) as u32).map(|i| (f64::from(i) + jitter * random()) / rate).collect();
        let wanted = |time: &f64| steps.iter().filter(|(at, _)| at <= time).map(|(_, height)| height).sum();
        let measured = times.iter().map(|time| system.follow(*time, &steps) + noise * random()).collect();
        let input = NewCurve { x: times.clone(), y: times.iter().map(wanted).collect(), ..NewCurve::default() };
        (input, NewCurve { x: times, y: measured, ..NewCurve::default() })
    }

    fn response(input: &NewCurve, output: &NewCurve) -> Responses {
        step_responses(&pairs(input, output), 20.0, 1, |_| Some(0)).remove(0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// The tolerances that the guide states.
        #[test]
        fn a_loop_is_recovered_from_a_flight_with_noise(
            frequency in 4.0..10.0f64,
            damping in 0.4..0.9f64,
            delay in 0.0..0.02f64,
            rate in prop::sample::select(vec![200.0, 400.0, 1000.0]),
            seed in any::<u64>(),
        ) {
            let system = Loop { frequency, damping, delay };
            let (input, output) = flight(system, rate, 10.0, 0.3, seed);
            let Responses { response: Some(response), used, left_out } = response(&input, &output) else {
                return Err(TestCaseError::fail("no response"));
            };
            // Two seconds of small movements are rare.
            prop_assert!(used > 150 && left_out < 10, "{used} {left_out}");
            // A step between two samples is logged with the later one.
            for (time, value) in response.times.iter().zip(&response.values) {
                let near = (-4..=4).map(|eighth| system.step(time + f64::from(eighth) / 8.0 / rate));
                let [low, high] = near.fold([f64::MAX, f64::MIN], |[low, high], at| [low.min(at), high.max(at)]);
                prop_assert!((low - 0.08..high + 0.08).contains(value), "{value} at {time}: {}", system.step(*time));
            }
            let fine: Vec<f64> = (0..20_000).map(|i| system.step(f64::from(i) * 1e-4)).collect();
            let crossing = |level: f64| first_above(&fine, level).expect("it rises") * 1e-4;
            let rise = crossing(0.9) - crossing(0.1);
            let overshoot = fine.iter().copied().fold(0.0, f64::max) - 1.0;
            let [rise_error, delay_error, overshoot_error] = [
                response.rise.expect("it rises") - rise,
                response.delay.expect("it rises") - crossing(0.5),
                response.overshoot.expect("it rises") - overshoot,
            ];
            prop_assert!(rise_error.abs() < 0.003 + 0.1 * rise, "rise {:?} for {rise}", response.rise);
            let half = crossing(0.5);
            prop_assert!(delay_error.abs() < 0.003 + 0.1 * half, "delay {:?} for {half}", response.delay);
            prop_assert!(overshoot_error.abs() < 0.05, "overshoot {:?} for {overshoot}", response.overshoot);
        }
    }

    const SOUND: Loop = Loop { frequency: 5.0, damping: 0.6, delay: 0.01 };

    #[test]
    fn windows_without_input_are_left_out_and_counted() {
        let (mut input, mut output) = flight(SOUND, 400.0, 1.0, 0.0, 1);
        // Half a minute of hovering: noise that isn't wanted.
        let still = input.x.iter().position(|time| *time > 30.0).expect("half of it");
        let mut random = random(7);
        for i in still..input.x.len() {
            (input.y[i], output.y[i]) = (5.0 * random(), 15.0 * random());
        }
        let responses = response(&input, &output);
        assert!(responses.used.abs_diff(responses.left_out) < 15, "{} {}", responses.used, responses.left_out);
        let response = responses.response.expect("a response");
        assert!((response.settled - 1.0).abs() < 0.05, "{}", response.settled);
        input.y.fill(3.0);
        let responses = self::response(&input, &output);
        assert_eq!((responses.response, responses.used), (None, 0));
    }

    #[test]
    fn groups_have_responses_of_their_own() {
        let (input, slow) = flight(Loop { frequency: 2.0, ..SOUND }, 400.0, 5.0, 0.0, 3);
        let (_, mut output) = flight(Loop { frequency: 8.0, ..SOUND }, 400.0, 5.0, 0.0, 3);
        let half = input.x.partition_point(|time| *time < 30.0);
        output.y[..half].copy_from_slice(&slow.y[..half]);
        let group = |window: Range<f64>| match window {
            Range { end, .. } if end <= 30.0 => Some(0),
            Range { start, .. } if start >= 30.0 => Some(1),
            _ => None,
        };
        let responses = step_responses(&pairs(&input, &output), 20.0, 2, group);
        let rise = |responses: &Responses| responses.response.as_ref().and_then(|response| response.rise);
        let [slow, fast] = [&responses[0], &responses[1]].map(|responses| rise(responses).expect("it rises"));
        assert!((0.1..0.2).contains(&slow) && (0.02..0.05).contains(&fast), "{slow} {fast}");
    }

    #[test]
    fn a_gap_divides_windows() {
        let (mut input, mut output) = flight(SOUND, 400.0, 1.0, 0.0, 5);
        let whole = response(&input, &output).used;
        let gap = |curve: &mut NewCurve| {
            let kept: Vec<(f64, f64)> = curve
                .x
                .iter()
                .copied()
                .zip(curve.y.iter().copied())
                .filter(|(x, _)| !(20.0..21.0).contains(x))
                .collect();
            (curve.x, curve.y) = kept.into_iter().unzip();
        };
        gap(&mut input);
        gap(&mut output);
        let responses = response(&input, &output);
        // Three seconds have no whole window: the second that is missing, and a window at its edge.
        assert!((8..=14).contains(&(whole - responses.used)), "{whole} {}", responses.used);
        assert!((responses.response.expect("a response").settled - 1.0).abs() < 0.05);
    }
}
