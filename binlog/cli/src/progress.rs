//! A progress bar on a terminal, for what takes longer than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Shorter work has no bar.
const AFTER: Duration = Duration::from_secs(1);

/// The progress of some work: shown on standard error after a second, if that is a terminal. It disappears when it is
/// dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    since: Option<Instant>,
}

impl Progress {
    /// Work on `total` bytes; `what` says what it is: "exporting flight.bin".
    pub fn bytes(what: &str, total: u64) -> Self {
        Progress::new(what, total, "{msg} {wide_bar} {binary_bytes} of {binary_total_bytes}, {eta} left")
    }

    /// Work on `total` things, such as logs.
    pub fn count(what: &str, total: u64) -> Self {
        Progress::new(what, total, "{msg} {wide_bar} {pos} of {len}, {eta} left")
    }

    fn new(what: &str, total: u64, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        let since = std::io::stderr().is_terminal().then(Instant::now);
        Progress { bar, since }
    }

    /// Says how much is done.
    pub fn set(&mut self, done: u64) {
        self.bar.set_position(done);
        if self.since.is_some_and(|since| since.elapsed() > AFTER) {
            self.since = None;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Adds `done` to what is done.
    pub fn add(&mut self, done: u64) {
        self.set(self.bar.position().saturating_add(done));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
