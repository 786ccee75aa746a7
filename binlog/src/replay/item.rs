//! What a replay yields.

use crate::blackbox::Event;
use std::fmt;

/// What a [`Replay`](super::Replay) yields, in the order of time.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Item<T> {
    /// A boot of an ArduPilot log begins, or a session of a Blackbox log. Code that has a state begins again.
    Begin {
        /// Its number in the log, from 1.
        number: usize,
    },
    /// What the code is fed with.
    Input {
        /// Its time, in microseconds since boot.
        time_us: u64,
        /// A message, a frame or a row.
        input: T,
    },
    /// As `Input`, before the time at which the replay [begins](super::Replay::from_us).
    Earlier {
        /// Its time, in microseconds since boot.
        time_us: u64,
        /// A message, a frame or a row.
        input: T,
    },
    /// An event of a Blackbox log.
    Event {
        /// The time of the main frame before it, in microseconds.
        time_us: u64,
        /// What happened.
        event: Event,
    },
    /// Inputs are missing.
    Gap(Gap),
    /// The time of the log went back without a boot. The next inputs have times from `to_us` on.
    Back {
        /// The latest time before.
        from_us: u64,
        /// The time that follows it.
        to_us: u64,
    },
    /// An input whose time doesn't fit: the inputs of that time have been yielded already, or no record near it has
    /// such a time. The clock doesn't follow it.
    OutOfOrder {
        /// Its time, in microseconds since boot.
        time_us: u64,
        /// A message, a frame or a row.
        input: T,
    },
    /// Bytes that can't be read.
    Lost {
        /// Where they begin, in bytes from the start of the log.
        offset: usize,
        /// How many they are.
        length: usize,
        /// Why they can't be read.
        reason: String,
    },
}

/// A time in which inputs are missing that come regularly: more than four times their usual interval. At the end of a
/// boot, a session or the log, and before the time goes back, a gap takes a second or more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// What is missing: `RATE`, `IMU[0]`, `main`.
    pub source: String,
    /// The time of the last input before the gap.
    pub from_us: u64,
    /// The time of the next one, or of the end.
    pub to_us: u64,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gap { source, from_us, to_us } = self;
        let seconds = |time_us: u64| time_us as f64 * 1e-6;
        write!(f, "no {source} for {:.3} s from second {:.3} on", seconds(to_us - from_us), seconds(*from_us))
    }
}

impl<T> Item<T> {
    /// The same with another input.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Item<U> {
        match self {
            Item::Input { time_us, input } => Item::Input { time_us, input: change(input) },
            Item::Earlier { time_us, input } => Item::Earlier { time_us, input: change(input) },
            Item::OutOfOrder { time_us, input } => Item::OutOfOrder { time_us, input: change(input) },
            Item::Begin { number } => Item::Begin { number },
            Item::Event { time_us, event } => Item::Event { time_us, event },
            Item::Gap(gap) => Item::Gap(gap),
            Item::Back { from_us, to_us } => Item::Back { from_us, to_us },
            Item::Lost { offset, length, reason } => Item::Lost { offset, length, reason },
        }
    }
}
