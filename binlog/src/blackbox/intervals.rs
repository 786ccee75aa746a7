//! Which iterations of the control loop are logged, and as which frames.

use super::FrameKind;

/// Which iterations are logged: every `i_interval`th as an I frame, and of the others a fraction as P frames.
///
/// ```
/// use binlog::blackbox::{FrameKind, Intervals};
///
/// const EVERY_THIRD: Intervals = Intervals::new(32, 1, 3);
/// assert_eq!(EVERY_THIRD.kind_of(64), Some(FrameKind::Intra));
/// assert_eq!(EVERY_THIRD.kind_of(67), Some(FrameKind::Inter));
/// assert_eq!(EVERY_THIRD.kind_of(68), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Intervals {
    i_interval: u32,
    numerator: u32,
    denominator: u32,
}

impl Intervals {
    /// An I frame every `i_interval` iterations, and P frames such that `numerator / denominator` of all iterations are
    /// logged. The least is `1 / i_interval`, which logs no P frames.
    ///
    /// # Panics
    ///
    /// If a number is 0, if the fraction exceeds 1 or isn't reduced, or if the denominator exceeds the I interval. In a
    /// constant that is an error of the compiler.
    pub const fn new(i_interval: u16, numerator: u16, denominator: u16) -> Self {
        assert!(i_interval > 0, "the I interval is the distance of I frames in iterations: 1 to 65535");
        assert!(numerator > 0 && denominator > 0, "a P rate is a fraction of iterations, from `1/1` downward");
        assert!(numerator <= denominator, "a P rate of more than `1/1` has more frames than iterations");
        assert!(gcd(numerator, denominator) == 1, "the format wants the P rate reduced: 1/3 for 2/6");
        assert!(
            denominator <= i_interval,
            "a P rate below `1/I interval` leaves out I frames; `1/I interval` logs I frames only"
        );
        Intervals { i_interval: i_interval as u32, numerator: numerator as u32, denominator: denominator as u32 }
    }

    /// Those of a header, which may be any from 1 on.
    #[cfg(feature = "read")]
    pub(super) const fn of_header(i_interval: u16, numerator: u16, denominator: u16) -> Self {
        Intervals { i_interval: i_interval as u32, numerator: numerator as u32, denominator: denominator as u32 }
    }

    /// The I interval, iterations.
    pub const fn i_interval(self) -> u32 {
        self.i_interval
    }

    /// Numerator and denominator of the P rate.
    pub const fn p_rate(self) -> (u32, u32) {
        (self.numerator, self.denominator)
    }

    /// Whether iteration number `iteration` is logged as an I frame or as a P frame; `None` if it is left out.
    ///
    /// A control loop may ask this before it gathers the values of a frame.
    #[inline]
    pub const fn kind_of(self, iteration: u32) -> Option<FrameKind> {
        let place = iteration % self.i_interval;
        if place == 0 {
            Some(FrameKind::Intra)
        } else if (place + self.numerator - 1) % self.denominator < self.numerator {
            Some(FrameKind::Inter)
        } else {
            None
        }
    }

    /// How far the iteration moves to the next frame: 1 and those that are left out.
    #[cfg(feature = "read")]
    #[inline]
    pub(super) const fn step(self, iteration: u32) -> u32 {
        if self.numerator >= self.denominator {
            return 1;
        }
        let place = iteration % self.i_interval;
        let next = (place + self.numerator) % self.denominator;
        let step = if next < self.numerator { 1 } else { 1 + self.denominator - next };
        // An I frame comes at the end of its interval, regardless of the fraction.
        let to_intra = self.i_interval - place;
        if step < to_intra { step } else { to_intra }
    }

    /// Whether iteration number `next` comes after `last` with as many logged ones between them as `frames`. The
    /// numbers may have begun again at 0.
    #[cfg(feature = "read")]
    pub(super) const fn is_after(self, last: u32, next: u32, frames: u32) -> bool {
        let between = match next > last {
            true => self.logged_between(last, next),
            false => self.logged_across_end(last, next),
        };
        next != last && between == frames
    }

    /// The number of logged iterations after `last` and before `next`; 0 unless `next` is the larger number.
    pub const fn logged_between(self, last: u32, next: u32) -> u32 {
        // The usual case, which needs no division.
        if next.saturating_sub(last) <= 1 { 0 } else { self.logged_before(next) - self.logged_before(last + 1) }
    }

    /// As [`logged_between`](Intervals::logged_between), if the iterations began again at 0 after `last`.
    pub const fn logged_across_end(self, last: u32, next: u32) -> u32 {
        let is_end_logged = last < u32::MAX && self.kind_of(u32::MAX).is_some();
        self.logged_between(last, u32::MAX) + is_end_logged as u32 + self.logged_before(next)
    }

    /// The number of logged iterations from 0 on.
    const fn logged_before(self, iteration: u32) -> u32 {
        iteration / self.i_interval * self.logged_in_block(self.i_interval)
            + self.logged_in_block(iteration % self.i_interval)
    }

    /// The number of logged ones of the first `count` iterations that follow an I frame, that one included.
    const fn logged_in_block(self, count: u32) -> u32 {
        // Of a whole number of denominators from place 1 - numerator on; the places before 0 aren't there.
        let shifted = count + self.numerator - 1;
        let partial =
            if shifted % self.denominator < self.numerator { shifted % self.denominator } else { self.numerator };
        shifted / self.denominator * self.numerator + partial - (self.numerator - 1)
    }
}

const fn gcd(a: u16, b: u16) -> u16 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As the description prints it.
    fn pattern(numerator: u16, denominator: u16) -> String {
        let intervals = Intervals::new(32, numerator, denominator);
        let letter = |iteration| intervals.kind_of(iteration).map_or('.', |kind| char::from(kind.letter()));
        (0..65).map(letter).collect()
    }

    #[test]
    fn patterns_are_those_of_the_description() {
        for (numerator, denominator, expected) in [
            (1, 32, "I...............................I...............................I"),
            (1, 6, "I.....P.....P.....P.....P.....P.I.....P.....P.....P.....P.....P.I"),
            (1, 3, "I..P..P..P..P..P..P..P..P..P..P.I..P..P..P..P..P..P..P..P..P..P.I"),
            (1, 2, "I.P.P.P.P.P.P.P.P.P.P.P.P.P.P.P.I.P.P.P.P.P.P.P.P.P.P.P.P.P.P.P.I"),
            (2, 3, "I.PP.PP.PP.PP.PP.PP.PP.PP.PP.PP.I.PP.PP.PP.PP.PP.PP.PP.PP.PP.PP.I"),
            (5, 6, "I.PPPPP.PPPPP.PPPPP.PPPPP.PPPPP.I.PPPPP.PPPPP.PPPPP.PPPPP.PPPPP.I"),
            (1, 1, "IPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPIPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPI"),
        ] {
            assert_eq!(pattern(numerator, denominator), expected, "{numerator}/{denominator}");
        }
    }

    /// An I interval, and a reduced P rate that goes with it.
    fn intervals() -> impl Strategy<Value = Intervals> {
        let denominators = (1..80u16).prop_flat_map(|i_interval| (Just(i_interval), 1..=i_interval));
        let numerators = denominators
            .prop_flat_map(|(i_interval, denominator)| (Just(i_interval), Just(denominator), 1..=denominator));
        numerators.prop_map(|(i_interval, denominator, numerator)| {
            let divisor = gcd(numerator, denominator);
            Intervals::new(i_interval, numerator / divisor, denominator / divisor)
        })
    }

    proptest! {
        #[test]
        fn logged_iterations_are_counted_as_if_one_by_one(
            intervals in intervals(), last in 0..500u32, step in 1..400u32,
        ) {
            let one_by_one = (last + 1..last + step).filter(|&i| intervals.kind_of(i).is_some()).count();
            prop_assert_eq!(intervals.logged_between(last, last + step), one_by_one as u32);
        }

        #[test]
        fn so_are_those_across_the_end_of_the_range(intervals in intervals(), left in 0..400u32, next in 0..400u32) {
            let last = u32::MAX - left;
            let iterations = (1..=left).map(|i| last + i).chain(0..next);
            let one_by_one = iterations.filter(|&i| intervals.kind_of(i).is_some()).count();
            prop_assert_eq!(intervals.logged_across_end(last, next), one_by_one as u32);
        }

        #[cfg(feature = "read")]
        #[test]
        fn the_step_leads_to_the_next_logged_iteration(
            from in 0..1_000_000_u32, i_interval in 1..2000_u16, numerator in 1..40_u16, denominator in 1..3000_u16,
        ) {
            let intervals = Intervals::of_header(i_interval, numerator, denominator);
            let next = (from + 1..).find(|&next| intervals.kind_of(next).is_some()).expect("an I frame");
            prop_assert_eq!(intervals.step(from), next - from);
        }
    }
}
