//! How fast the iterations of a session pass.

use crate::blackbox::Intervals;
use crate::blackbox::limits::{JUMP_US, SOON_US, STEADY_I_FRAMES};
use crate::blackbox::place::FramePlace;
use std::ops::AddAssign;

/// The fewest main frames after the first one of a session that show the ratio.
const FEWEST_FRAMES: u32 = 8;

/// The number of iterations after which earlier ones count half: the control loop may change its rate.
const REMEMBERED: u64 = 1 << 16;

/// The fewest steps from one I frame to the next that show the jitter.
const FEWEST_STEPS: u32 = 8;

/// A window is 8 I intervals, and at least this many iterations. In real logs of Betaflight, the time of a frame is up
/// to one iteration early or late: single steps of 256 iterations differ from the mean by up to 0.8 %, windows by up to
/// 0.1 %.
const FEWEST_ITERATIONS: u32 = 256;

/// How many iterations a gap may be too short or too long: one at either end, as in real logs, doubled.
const SLACK: f64 = 4.0;

/// The least error of a mean, as a part of it: as much as that of the windows of real logs.
const ERROR: f64 = 0.001;

/// A session shows its ratio if its range, without [`ERROR`], is at most this part of its mean.
const STEADY: f64 = 0.01;

/// The largest difference of a mean from the session's, as a part of that.
const LIMIT: f64 = 0.25;

/// A number of iterations, and the time that they took.
#[derive(Clone, Copy)]
pub(super) struct Passed {
    iterations: u64,
    time_us: u64,
}

impl Passed {
    const NOTHING: Self = Passed { iterations: 0, time_us: 0 };

    /// From one place to a later one.
    pub(super) fn between(from: FramePlace, to: FramePlace) -> Self {
        Passed {
            iterations: to.iteration.wrapping_sub(from.iteration).into(),
            time_us: to.time.wrapping_sub(from.time).into(),
        }
    }

    /// The mean time of an iteration in microseconds; not finite without iterations.
    pub(super) fn mean_us(self) -> f64 {
        self.time_us as f64 / self.iterations as f64
    }
}

impl AddAssign for Passed {
    fn add_assign(&mut self, more: Self) {
        self.iterations += more.iterations;
        self.time_us += more.time_us;
    }
}

/// The shortest and the longest mean time of an iteration, in microseconds.
#[derive(Clone, Copy)]
struct MeanRange {
    shortest: f64,
    longest: f64,
}

impl MeanRange {
    const EMPTY: Self = MeanRange { shortest: f64::INFINITY, longest: 0.0 };

    fn with(self, mean_us: f64) -> Self {
        MeanRange { shortest: self.shortest.min(mean_us), longest: self.longest.max(mean_us) }
    }

    fn width(self) -> f64 {
        self.longest - self.shortest
    }
}

/// The mean time of an iteration in this session, and how much it varies.
///
/// Iterations and time both continue while frames are missing: during a pause of the logger, and where bytes are lost.
/// So over a gap of any length, a frame of this session comes at the session's mean time of an iteration. A frame of
/// another session doesn't, because that session began at another time after boot.
///
/// A gap belongs to this session if the mean time of its iterations is in a range, give or take 4 iterations:
///
/// 1. The range spans the session's mean and the means of its windows (8 I intervals each). It is widened at both ends
///    by half of its width, because the gap may vary more than what was logged.
/// 2. It is widened by the error of the mean: 0.1 %, and twice the jitter divided by the session's iterations. The
///    jitter is the difference between the shortest and the longest step from one I frame to the next. It counts as 4
///    iterations while there are fewer than 8 steps.
/// 3. If the gap is outside that range, two more means may count as shown: the time of an iteration by the header, and
///    the mean from the I frame after the gap to the next one. The rate of a control loop changes under load. For a gap
///    of 10 s or more, both count if the session doesn't show its ratio: it has fewer than 8 steps, or its range spans
///    more than 1 % without the 0.1 %. The mean after the gap also counts if the session is shorter than the gap.
/// 4. No end of the range differs from the session's mean by more than a quarter.
///
/// Gaps that take less than [`JUMP_US`] (10 s) have wider limits. A loop may stand still or be overloaded for seconds,
/// so such a gap may always take a quarter longer; with the means of 3, from half of the session's mean to twice that
/// mean. A gap shorter than [`SOON_US`] (0.5 s), by its time and by its iterations, belongs to the session if bytes are
/// lost in it, or if it takes at least half of the time of its iterations.
///
/// So after a gap of 10 s or more, in a steady session that is longer than the gap, a frame is expected to within 0.1 %
/// and a few iterations. `tests/tests/blackbox/damage_scored.rs` has the scores of this rule and of others.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    /// Earlier iterations count half.
    passed: Passed,
    /// How long the session is, without pauses of the logger.
    logged_us: u64,
    /// The last I frame, or the Resume event after it: up to there is counted.
    from: Option<FramePlace>,
    is_sure: bool,
    /// The number of steps from one I frame to the next.
    steps: u32,
    of_steps: MeanRange,
    /// The current window, which isn't full.
    window: Passed,
    of_windows: MeanRange,
    /// The last steps in one ratio.
    steady: u32,
    /// Whether the first I frame is certain: no byte was lost before it.
    is_from_the_start: bool,
}

impl Pace {
    pub(super) const UNKNOWN: Self = Pace {
        passed: Passed::NOTHING,
        logged_us: 0,
        from: None,
        is_sure: false,
        steps: 0,
        of_steps: MeanRange::EMPTY,
        window: Passed::NOTHING,
        of_windows: MeanRange::EMPTY,
        steady: 0,
        is_from_the_start: false,
    };

    /// Counts up to an I frame that was accepted, `last` being the main frame before it.
    pub(super) fn intra(&mut self, last: Option<FramePlace>, place: FramePlace, is_first: bool, intervals: Intervals) {
        match (self.from, last) {
            (Some(from), Some(last)) if last.may_be_followed_by(place) => {
                if self.passed.iterations >= REMEMBERED {
                    self.passed.iterations /= 2;
                    self.passed.time_us /= 2;
                }
                let step = Passed::between(from, place);
                if step.iterations > 0 {
                    self.step(step, intervals);
                }
                self.passed += step;
                self.logged_us += step.time_us;
                // Two I frames agree.
                self.is_sure = true;
            }
            _ => self.is_from_the_start |= is_first,
        }
        self.from = Some(place);
    }

    fn step(&mut self, step: Passed, intervals: Intervals) {
        let [is, mean] = [step, self.passed].map(Passed::mean_us);
        // Before the first step, the mean isn't a number.
        self.steady = if (is - mean).abs() <= mean * LIMIT { self.steady.saturating_add(1) } else { 0 };
        self.steps = self.steps.saturating_add(1);
        self.of_steps = self.of_steps.with(is);
        self.window += step;
        if self.window.iterations >= FEWEST_ITERATIONS.max(intervals.i_interval() * 8).into() {
            self.of_windows = self.of_windows.with(self.window.mean_us());
            self.window = Passed::NOTHING;
        }
    }

    /// The same pace if no byte was lost before the first I frame.
    pub(super) fn as_from_the_start(self) -> Self {
        Pace { is_from_the_start: true, ..self }
    }

    /// Continues from a Resume event: what is before it doesn't count.
    pub(super) fn continue_from(&mut self, place: FramePlace) {
        self.from = Some(place);
    }

    /// From the last I frame, or the Resume event after it, to a place. `None` before the first step between I frames.
    pub(super) fn since_intra(&self, place: FramePlace) -> Option<Passed> {
        self.from.filter(|_| self.steps > 0).map(|from| Passed::between(from, place))
    }

    /// Whether the last I frames came in one ratio. A jump out of it is then suspicious, though no byte is lost.
    pub(super) fn is_steady(&self) -> bool {
        self.steady >= STEADY_I_FRAMES
    }

    /// Whether a gap is so short, by the time that it took and by that of its iterations, that it belongs to this
    /// session where bytes are lost.
    pub(super) fn is_soon(&self, gap: Passed) -> bool {
        self.expected_us(gap).max(gap.time_us as f64) < SOON_US.into()
    }

    /// Whether a gap belongs to this session where no byte is lost, because it is short and takes at least half of the
    /// time of its iterations. It may take longer: a loop may stand still.
    pub(super) fn is_soon_and_slow(&self, gap: Passed) -> bool {
        let shortest_us = self.expected_us(gap) * 0.5 - SLACK * self.passed.mean_us();
        self.is_soon(gap) && gap.time_us as f64 >= shortest_us
    }

    /// The time that the iterations of a gap take in this session, in microseconds.
    fn expected_us(&self, gap: Passed) -> f64 {
        gap.iterations as f64 * self.passed.mean_us()
    }

    /// The pace with the frames up to `last`, the last main frame or the Resume event after it. `None` if too few
    /// frames say it.
    pub(super) fn up_to(&self, last: FramePlace, intervals: Intervals) -> Option<Self> {
        let from = self.from?;
        let has_enough =
            || self.is_from_the_start && intervals.logged_between(from.iteration, last.iteration) >= FEWEST_FRAMES;
        let since = Passed::between(from, last);
        let mut pace = *self;
        pace.passed += since;
        pace.logged_us += since.time_us;
        (pace.passed.iterations > 0 && (self.is_sure || has_enough())).then_some(pace)
    }

    /// Whether a gap belongs to this session, by what this session shows.
    pub(super) fn allows(&self, gap: Passed, intervals: Intervals) -> bool {
        self.allows_with(gap, intervals, [None, None])
    }

    /// As [`allows`](Self::allows), with the means of 3 above: by the header, and after the gap.
    pub(super) fn allows_with(
        &self,
        gap: Passed,
        intervals: Intervals,
        [header_us, after_us]: [Option<f64>; 2],
    ) -> bool {
        let mean_us = self.passed.mean_us();
        let (iterations, time_us) = (gap.iterations as f64, gap.time_us as f64);
        let is_short = gap.time_us < JUMP_US.into();
        let late = mean_us * (1.0 + LIMIT);
        let limits = if is_short { mean_us * 0.5..=mean_us * 2.0 } else { mean_us * (1.0 - LIMIT)..=late };
        let own = self.of_windows.with(mean_us);
        let has_jitter = self.steps >= FEWEST_STEPS;
        let jitter_us = match has_jitter {
            true => self.of_steps.width() * f64::from(intervals.i_interval()),
            false => SLACK * mean_us,
        };
        let error_us = 2.0 * jitter_us / self.passed.iterations as f64;
        let is_open = is_short || !has_jitter || 2.0 * (own.width() + error_us) > STEADY * mean_us;
        let header_us = header_us.filter(|_| is_open);
        let after_us = after_us.filter(|_| is_open || self.logged_us < gap.time_us);
        let others = [header_us, after_us].into_iter().flatten().filter(|other| limits.contains(other));
        let shown = others.fold(own, MeanRange::with);
        let margin = shown.width() / 2.0 + error_us + ERROR * mean_us;
        let shortest = (shown.shortest - margin).max(*limits.start());
        let longest = (shown.longest + margin).min(*limits.end());
        let longest = if is_short { longest.max(late) } else { longest };
        let slack = SLACK * mean_us;
        (shortest * iterations - slack..=longest * iterations + slack).contains(&time_us)
    }
}
