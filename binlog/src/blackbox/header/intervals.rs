//! Which iterations of the control loop a header says are logged.

use super::Values;
use crate::blackbox::Intervals;

/// From the header: `P interval:1/2`, one in two; Betaflight's `P interval:16`, every sixteenth iteration; or
/// `P ratio:16` alone, sixteen in an I interval. Without these lines, every iteration is logged, and every 32nd as I
/// frame.
///
/// Betaflight 3.2 to 3.5 and Cleanflight 2 compute the numerator by integer division, which gives `0/3` unless the P
/// rate is `1/n`. `P denom` then says how many P frames an I interval has (`blackboxInit` in their `blackbox.c`).
pub(super) fn intervals(values: &mut Values<'_, '_>) -> Intervals {
    let in_16_bits = 1..=u16::MAX.into();
    let i_interval = values.number_in("I interval", in_16_bits).map_or(32, |number| number as u16);
    let of_every = |iterations| Intervals::of_header(i_interval, 1, iterations);
    if let Some(line) = values.line("P interval") {
        let mut parts = line.value().split('/').map(|part| part.trim().parse::<u16>());
        match (parts.next(), parts.next(), parts.next()) {
            (Some(Ok(numerator @ 1..)), Some(Ok(denominator @ 1..)), None) => {
                return Intervals::of_header(i_interval, numerator, denominator);
            }
            (Some(Ok(every @ 1..)), None, None) => return of_every(every),
            // Betaflight writes 0 if it logs I frames only.
            (Some(Ok(0)), None, None) => return of_every(i_interval),
            (Some(Ok(0)), Some(Ok(_)), None) => {
                let p_frames = values.number("P denom").and_then(|frames| u16::try_from(frames).ok());
                return match p_frames {
                    None | Some(0) => of_every(i_interval),
                    Some(frames) if frames > i_interval => of_every(1),
                    Some(frames) => of_every(i_interval / frames),
                };
            }
            _ => values.reject("P interval"),
        }
    }
    match values.number("P ratio").and_then(|ratio| u16::try_from(ratio).ok()) {
        Some(ratio) if ratio > 0 && ratio <= i_interval => of_every(i_interval / ratio),
        _ => of_every(1),
    }
}
