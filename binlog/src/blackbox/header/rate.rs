//! Which iterations of the control loop are logged.

use super::Values;

/// Which iterations of the control loop are logged: as I frame, those divisible by the I interval; as P frame, a
/// fraction of the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    i_interval: u32,
    p_numerator: u32,
    p_denominator: u32,
}

impl Rate {
    /// From the header: `P interval:1/2`, one in two; Betaflight's `P interval:16`, every sixteenth iteration; or
    /// `P ratio:16` alone, sixteen in an I interval. Without these lines, every iteration is logged, and every 32nd as I
    /// frame.
    pub(super) fn of(values: &mut Values<'_, '_>) -> Self {
        let i_interval = values.number_in("I interval", 1..=u32::MAX).unwrap_or(32);
        let all = Rate { i_interval, p_numerator: 1, p_denominator: 1 };
        let of_every = |p_denominator| Rate { p_denominator, ..all };
        if let Some(line) = values.line("P interval") {
            let mut parts = line.value().split('/').map(|part| part.trim().parse::<u32>());
            match (parts.next(), parts.next(), parts.next()) {
                (Some(Ok(p_numerator)), Some(Ok(p_denominator)), None) if p_numerator > 0 && p_denominator > 0 => {
                    return Rate { p_numerator, p_denominator, ..all };
                }
                (Some(Ok(every)), None, None) if every > 0 => return of_every(every),
                // Betaflight writes 0 if it logs I frames only.
                (Some(Ok(0)), None, None) => return of_every(i_interval),
                _ => values.reject("P interval"),
            }
        }
        match values.number("P ratio") {
            Some(ratio) if ratio > 0 && ratio <= i_interval => of_every(i_interval / ratio),
            _ => all,
        }
    }

    /// The number of iterations from an I frame to the next, at least 1.
    pub fn i_interval(&self) -> u32 {
        self.i_interval
    }

    /// The fraction of the other iterations that are logged, as numerator and denominator, both at least 1.
    pub fn p_rate(&self) -> (u32, u32) {
        (self.p_numerator, self.p_denominator)
    }

    /// How far the iteration moves to the next frame: 1 and those that are not logged on purpose.
    ///
    /// The rule is that of the format's description: iteration `i` is logged if
    /// `(i % I interval + numerator - 1) % denominator < numerator`.
    pub(in crate::blackbox) fn step(&self, iteration: u32) -> u32 {
        if self.p_numerator >= self.p_denominator {
            return 1;
        }
        let place = iteration % self.i_interval;
        let (numerator, denominator) = (u64::from(self.p_numerator), u64::from(self.p_denominator));
        let next = (u64::from(place) + numerator) % denominator;
        let step = if next < numerator { 1 } else { 1 + denominator - next };
        // An I frame comes before that, whatever the fraction says.
        step.min(u64::from(self.i_interval - place)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(p_numerator: u32, p_denominator: u32) -> String {
        let rate = Rate { i_interval: 32, p_numerator, p_denominator };
        let mut pattern = vec![b'.'; 33];
        let mut at = 0;
        while at <= 32 {
            pattern[at as usize] = if at % 32 == 0 { b'I' } else { b'P' };
            at += rate.step(at);
        }
        String::from_utf8(pattern).expect("letters")
    }

    #[test]
    fn the_patterns_of_the_description() {
        for (numerator, denominator, expected) in [
            (1, 32, "I...............................I"),
            (1, 6, "I.....P.....P.....P.....P.....P.I"),
            (1, 3, "I..P..P..P..P..P..P..P..P..P..P.I"),
            (1, 2, "I.P.P.P.P.P.P.P.P.P.P.P.P.P.P.P.I"),
            (2, 3, "I.PP.PP.PP.PP.PP.PP.PP.PP.PP.PP.I"),
            (5, 6, "I.PPPPP.PPPPP.PPPPP.PPPPP.PPPPP.I"),
            (1, 1, "IPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPI"),
        ] {
            assert_eq!(pattern(numerator, denominator), expected, "{numerator}/{denominator}");
        }
    }

    proptest! {
        #[test]
        fn the_step_leads_to_the_next_logged_iteration(
            iteration: u32, i_interval in 1..2000_u32, p_numerator in 1..40_u32, p_denominator in 1..3000_u32
        ) {
            let rate = Rate { i_interval, p_numerator, p_denominator };
            let is_logged = |iteration: u64| {
                let place = iteration % u64::from(i_interval);
                place == 0 || (place + u64::from(p_numerator) - 1) % u64::from(p_denominator) < u64::from(p_numerator)
            };
            // Iterations wrap at 2^32, which divides no interval: only those before that follow the rule.
            let from = u64::from(iteration % 1_000_000);
            let expected = (from + 1..).find(|&next| is_logged(next)).expect("an I frame") - from;
            prop_assert_eq!(u64::from(rate.step(from as u32)), expected);
        }
    }
}
