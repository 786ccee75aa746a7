//! The replay: its clock, its pace, where it begins.

use super::error::ReplayError;
use super::item::Item;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The inputs of a log in the order of time: an iterator of [`Item`]s.
///
/// [`messages`](super::messages) and [`Flight`](super::Flight) make one. It takes memory for the inputs of 100 ms, for
/// 4,096 at most, however long the log is.
///
/// An error concerns one input, one type or one session; the replay continues after it, unless the error says that
/// nothing follows.
pub struct Replay<'r, T> {
    items: Box<dyn Iterator<Item = Result<Item<T>, ReplayError>> + 'r>,
    clock: Clock,
    from_us: u64,
    in_real_time: bool,
    /// When the first input was due, and its time in the log.
    begun: Option<(Instant, u64)>,
}

/// The time of a replay, for code that asks for the time: a clone of [`Replay::clock`].
///
/// ```
/// # use binlog::{AnyLog, LogSchema, LogWriter, messages::Ev};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Ev(Ev) }
/// # let mut log = LogWriter::<FlightLog, _>::new(Vec::new())?;
/// # log.write(&Ev { time_us: 7_000, id: 10 })?;
/// # let log = log.finish()?;
/// let mut replay = binlog::replay::messages::<FlightLog>(&log[..]);
/// let clock = replay.clock();
/// let now_us = move || clock.now_us(); // as `HostLogger::start` takes it
/// for _ in replay {}
/// assert_eq!(now_us(), 7_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Clock(Arc<AtomicU64>);

impl Clock {
    /// The time of the last input, in microseconds since boot; 0 before the first one of each boot.
    pub fn now_us(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, time_us: u64) {
        self.0.store(time_us, Ordering::Relaxed);
    }
}

impl<'r, T> Replay<'r, T> {
    pub(super) fn new(items: impl Iterator<Item = Result<Item<T>, ReplayError>> + 'r) -> Self {
        Replay { items: Box::new(items), clock: Clock::default(), from_us: 0, in_real_time: false, begun: None }
    }

    /// Begins at a time, in microseconds since boot; in a log of several boots, at this time of each.
    ///
    /// What is before it comes as [`Item::Earlier`], as fast as possible, so that code can take the parameters, fill
    /// its filters, or let it pass.
    pub fn from_us(self, time_us: u64) -> Self {
        Replay { from_us: time_us, ..self }
    }

    /// Yields each input when its time has come, counted from the first one, rather than as fast as possible. Code that
    /// takes longer makes later inputs late, but not the ones after a pause.
    pub fn in_real_time(self) -> Self {
        Replay { in_real_time: true, ..self }
    }

    /// The clock, which has the time of the last input.
    pub fn clock(&self) -> Clock {
        self.clock.clone()
    }

    /// Waits until an input is due.
    #[cold]
    fn wait(&mut self, time_us: u64) {
        let (begun, first_us) = *self.begun.get_or_insert_with(|| (Instant::now(), time_us));
        if let Some(due) = begun.checked_add(Duration::from_micros(time_us.saturating_sub(first_us))) {
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }
}

impl<T> Iterator for Replay<'_, T> {
    type Item = Result<Item<T>, ReplayError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let item = match self.items.next()? {
            Ok(item) => item,
            error => return Some(error),
        };
        Some(Ok(match item {
            Item::Input { time_us, input } if time_us < self.from_us => {
                self.clock.set(time_us);
                Item::Earlier { time_us, input }
            }
            Item::Input { time_us, input } => {
                if self.in_real_time {
                    self.wait(time_us);
                }
                self.clock.set(time_us);
                Item::Input { time_us, input }
            }
            Item::Begin { .. } | Item::Back { .. } => {
                self.clock.set(0);
                self.begun = None;
                item
            }
            item => item,
        }))
    }
}

impl<T> fmt::Debug for Replay<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("now_us", &self.clock.now_us()).finish_non_exhaustive()
    }
}
