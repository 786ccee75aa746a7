//! Round numbers for axes.

/// The marks of an axis: at most `most` round numbers in a range, with their labels. Steps are 1, 2 or 5 times a power
/// of ten.
pub fn ticks(range: (f64, f64), most: usize) -> Vec<(f64, String)> {
    let width = range.1 - range.0;
    if !(width > 0.0 && width.is_finite()) {
        return Vec::new();
    }
    let least = width / most.max(1) as f64;
    let power = 10f64.powf(least.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= least * (1.0 - 1e-9));
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((range.0 / step - 1e-9).ceil(), (range.1 / step + 1e-9).floor());
    if last - first > 1e3 {
        return Vec::new();
    }
    let decimals = (-(step * (1.0 + 1e-9)).log10().floor()).max(0.0) as usize;
    let count = (last - first).max(-1.0) as i64 + 1;
    let values = (0..count).map(|i| (first + i as f64) * step);
    values.map(|value| (value, label(value, step, decimals, range))).collect()
}

fn label(value: f64, step: f64, decimals: usize, range: (f64, f64)) -> String {
    let largest = range.0.abs().max(range.1.abs());
    // Nothing but rounding: -0 or 1e-17.
    let value = if value.abs() < step * 1e-6 { 0.0 } else { value };
    if value == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e6).contains(&largest) {
        let power = largest.log10().floor();
        let decimals = (power - (step * (1.0 + 1e-9)).log10().floor()).max(0.0) as usize;
        let text = format!("{:.decimals$}", value / 10f64.powf(power));
        return format!("{text}e{power}");
    }
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(range: (f64, f64), most: usize) -> Vec<String> {
        ticks(range, most).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(labels((-22.0, 22.0), 6), ["-20", "-10", "0", "10", "20"]);
        assert_eq!(labels((0.0, 60.0), 8), ["0", "10", "20", "30", "40", "50", "60"]);
        assert_eq!(labels((0.13, 0.41), 6), ["0.15", "0.20", "0.25", "0.30", "0.35", "0.40"]);
        assert_eq!(labels((0.0, 3e6), 3), ["0", "1e6", "2e6", "3e6"]);
        assert_eq!(labels((1.0e6, 1.2e6), 4), ["1.00e6", "1.05e6", "1.10e6", "1.15e6", "1.20e6"]);
        assert_eq!(labels((0.0, 2e-5), 2), ["0", "1e-5", "2e-5"]);
        assert_eq!(labels((1.0, 1.0), 5), [""; 0]);
    }

    proptest! {
        #[test]
        fn marks_are_in_the_range_and_few(low in -1e9..1e9f64, width in 1e-6..1e9f64, most in 2usize..20) {
            let range = (low, low + width);
            let ticks = ticks(range, most);
            prop_assert!(ticks.len() <= most + 1);
            prop_assert!(ticks.iter().all(|(at, _)| *at >= low - width * 1e-6 && *at <= low + width * (1.0 + 1e-6)));
        }
    }
}
