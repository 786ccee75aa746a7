//! Progress of a flight, for people.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// A flight that is over sooner needs no progress bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar on stderr, if that is a terminal and the flight takes long enough.
pub(crate) struct Progress {
    bar: ProgressBar,
    begun: Instant,
}

impl Progress {
    pub(crate) fn new(seconds: u32) -> Self {
        let bar = ProgressBar::with_draw_target(Some(seconds.into()), ProgressDrawTarget::hidden());
        // The template is a constant; if it were invalid, the bar would have the default style.
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} s flown, {eta} to go") {
            bar.set_style(style);
        }
        Progress { bar, begun: Instant::now() }
    }

    pub(crate) fn update(&self, time_us: u64) {
        if self.bar.is_hidden() && self.begun.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(time_us / 1_000_000);
    }

    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
