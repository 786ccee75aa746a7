//! How fast the iterations of a session pass.

use crate::blackbox::Intervals;
use crate::blackbox::limits::{SOON_US, STEADY_I_FRAMES};
use crate::blackbox::place::Place;

/// So many main frames after the first one of a session say how fast its iterations pass.
const FEWEST_FRAMES: u32 = 8;

/// After so many iterations, those before count half: the control loop may change its rate.
const REMEMBERED: u64 = 1 << 16;

/// The ratio may differ by this part of the expected time: the rate of a control loop isn't constant, and an overloaded
/// one loses iterations. Scored in `tests/tests/blackbox/damage_scored.rs`.
const TOLERANCE: u64 = 4;

/// A difference of less time than this isn't looked at: the control loop may have stood still meanwhile.
const SLACK_US: u64 = SOON_US as u64;

/// The session's own ratio of iterations and time, as its I frames show it.
///
/// Both move on while nothing is logged: while the logger pauses, while it is too slow, and in frames that are lost. So a
/// frame of this session is where the ratio puts it, however long the gap is. A frame of another session is elsewhere,
/// because that one began at another time after boot.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    iterations: u64,
    time_us: u64,
    /// The last I frame, or the Resume event after it: up to there is counted.
    from: Option<Place>,
    is_sure: bool,
    /// The last steps from one I frame to the next in one ratio.
    steady: u32,
    /// Whether the first I frame is certain: no byte was lost before it.
    is_from_the_start: bool,
}

impl Pace {
    pub(super) const UNKNOWN: Self =
        Pace { iterations: 0, time_us: 0, from: None, is_sure: false, steady: 0, is_from_the_start: false };

    /// Counts up to an I frame that was accepted, `last` being the main frame before it.
    pub(super) fn intra(&mut self, last: Option<Place>, place: Place, is_first: bool) {
        match (self.from, last) {
            (Some(from), Some(last)) if last.may_be_followed_by(place) => {
                if self.iterations >= REMEMBERED {
                    self.iterations /= 2;
                    self.time_us /= 2;
                }
                let iterations = u64::from(place.iteration.wrapping_sub(from.iteration));
                let time_us = u64::from(place.time.wrapping_sub(from.time));
                // No product of the sums of a real log comes near 64 bits.
                let [expected, is] = [iterations.wrapping_mul(self.time_us), time_us.wrapping_mul(self.iterations)];
                let is_steady = is > 0 && expected.abs_diff(is) <= expected / TOLERANCE;
                self.steady = if is_steady { self.steady.saturating_add(1) } else { 0 };
                self.iterations += iterations;
                self.time_us += time_us;
                // Two I frames agree.
                self.is_sure = true;
            }
            _ => self.is_from_the_start |= is_first,
        }
        self.from = Some(place);
    }

    /// Goes on from a Resume event: what is before it doesn't count.
    pub(super) fn go_on_from(&mut self, place: Place) {
        self.from = Some(place);
    }

    /// Whether the last I frames came in one ratio. A jump out of it is then suspicious, though no byte is lost.
    pub(super) fn is_steady(&self) -> bool {
        self.steady >= STEADY_I_FRAMES
    }

    /// The pace with the frames up to `last`, the last main frame or the Resume event after it. `None` if too few frames
    /// say it.
    pub(super) fn up_to(&self, last: Place, intervals: Intervals) -> Option<Self> {
        let from = self.from?;
        let has_enough =
            || self.is_from_the_start && intervals.logged_between(from.iteration, last.iteration) >= FEWEST_FRAMES;
        let iterations = self.iterations + u64::from(last.iteration.wrapping_sub(from.iteration));
        let time_us = self.time_us + u64::from(last.time.wrapping_sub(from.time));
        (iterations > 0 && (self.is_sure || has_enough())).then_some(Pace { iterations, time_us, ..*self })
    }

    fn expected_us(&self, from: Place, to: Place) -> u64 {
        let iterations: u128 = to.iteration.wrapping_sub(from.iteration).into();
        (iterations * u128::from(self.time_us) / u128::from(self.iterations.max(1))) as u64
    }

    /// How far the time of a place is from where the pace puts it.
    pub(super) fn error_us(&self, from: Place, to: Place) -> u64 {
        self.expected_us(from, to).abs_diff(to.time.wrapping_sub(from.time).into())
    }

    /// Whether a frame of this session may be at `to` after one at `from`.
    pub(super) fn allows(&self, from: Place, to: Place) -> bool {
        self.error_us(from, to) <= (self.expected_us(from, to) / TOLERANCE).max(SLACK_US)
    }
}
