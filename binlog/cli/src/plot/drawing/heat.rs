//! Colours of a spectrogram.

use super::raster::encode;
use crate::plot::figure::Heat;

/// Points of the colour map viridis (Smith and van der Walt, CC0), dark to light: even in perceived lightness, also for
/// people with colour blindness.
const VIRIDIS: [[f64; 3]; 9] = [
    [68.0, 1.0, 84.0],
    [71.0, 44.0, 122.0],
    [59.0, 81.0, 139.0],
    [44.0, 113.0, 142.0],
    [33.0, 144.0, 141.0],
    [39.0, 173.0, 129.0],
    [92.0, 200.0, 99.0],
    [170.0, 220.0, 50.0],
    [253.0, 231.0, 37.0],
];

/// The span of amplitudes that colours show: a thousandth of the highest is dark.
const DECIBELS: f64 = 60.0;

/// The colour of an amplitude, by decibels below the highest one.
pub(super) fn color(amplitude: f64, highest: f64) -> [u8; 3] {
    let decibels = if amplitude > 0.0 && highest > 0.0 { 20.0 * (amplitude / highest).log10() } else { -DECIBELS };
    let place = (1.0 + decibels / DECIBELS).clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let below = (place as usize).min(VIRIDIS.len() - 2);
    let share = place - below as f64;
    [0, 1, 2].map(|i| (VIRIDIS[below][i] * (1.0 - share) + VIRIDIS[below + 1][i] * share).round() as u8)
}

/// The highest amplitude.
pub(super) fn highest(heat: &Heat) -> f64 {
    heat.values.iter().flatten().copied().filter(|value| value.is_finite()).fold(0.0, f64::max)
}

/// What the darkest and the lightest colour mean: a thousandth of the highest amplitude, and that.
pub(super) fn range(heat: &Heat) -> [String; 2] {
    let highest = highest(heat);
    let unit = if heat.unit.is_empty() { String::new() } else { format!(" {}", heat.unit) };
    [highest / 10f64.powf(DECIBELS / 20.0), highest].map(|amplitude| format!("{}{unit}", rounded(amplitude)))
}

/// A number with two digits.
fn rounded(value: f64) -> String {
    if value <= 0.0 || !value.is_finite() {
        return "0".into();
    }
    let power = value.log10().floor();
    if (-4.0..4.0).contains(&power) {
        let decimals = (1.0 - power).max(0.0) as usize;
        return format!("{value:.decimals$}");
    }
    format!("{:.1}e{power}", value / 10f64.powf(power))
}

/// The picture of a spectrogram between two times, one pixel a row and `width` columns: frequencies go up. White where
/// there is no spectrum. `None` if it can't be encoded.
pub(super) fn picture(heat: &Heat, range: (f64, f64), width: usize) -> Option<Vec<u8>> {
    let highest = highest(heat);
    let rows = heat.y.len();
    let mut rgb = vec![255u8; width * rows * 3];
    for pixel in 0..width {
        let time = range.0 + (pixel as f64 + 0.5) / width as f64 * (range.1 - range.0);
        let after = heat.x.partition_point(|x| *x < time);
        let nearest = [after.checked_sub(1), Some(after)].into_iter().flatten().filter(|i| *i < heat.x.len());
        let nearest = nearest.min_by(|a, b| (heat.x[*a] - time).abs().total_cmp(&(heat.x[*b] - time).abs()));
        let Some(column) = nearest.filter(|i| (heat.x[*i] - time).abs() <= heat.width / 2.0 * 1.01) else { continue };
        for (row, amplitude) in heat.values[column].iter().enumerate().take(rows) {
            let at = ((rows - 1 - row) * width + pixel) * 3;
            rgb[at..at + 3].copy_from_slice(&color(*amplitude, highest));
        }
    }
    encode(u32::try_from(width).ok()?, u32::try_from(rows).ok()?, &rgb).ok()
}
