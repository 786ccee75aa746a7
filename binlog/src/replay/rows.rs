//! The inputs of logs of any firmware: numbers by their labels.

mod of_frames;
mod of_records;

pub(super) use of_frames::of_frames;
pub(super) use of_records::of_records;

use super::error::ReplayError;
use super::item::Item;
use super::order::MOST;
use std::collections::VecDeque;

/// A number that a [row](super::Flight::rows) has, by the name of its column or field.
///
/// A text is the signal with its last value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    name: String,
    is_linear: bool,
}

impl Signal {
    /// The last value at or before the time of the row.
    pub fn last(name: impl Into<String>) -> Self {
        Signal { name: name.into(), is_linear: false }
    }

    /// The value at the time of the row, by linear interpolation between the values before and after it. Where these
    /// are more than a second apart, it is the last one. NaN before or after makes NaN.
    ///
    /// Angles are treated as plain numbers: halfway between 359 and 1 degrees is 180.
    pub fn linear(name: impl Into<String>) -> Self {
        Signal { name: name.into(), is_linear: true }
    }
}

impl From<&str> for Signal {
    fn from(name: &str) -> Self {
        Signal::last(name)
    }
}

impl From<String> for Signal {
    fn from(name: String) -> Self {
        Signal::last(name)
    }
}

/// Values further apart than this aren't interpolated, in microseconds.
const FAR_US: u64 = 1_000_000;

/// The signals that one record or frame has, and their values. The other values mean nothing.
#[derive(Clone, Copy)]
struct Sample<const N: usize> {
    signals: Signals,
    values: [f64; N],
}

/// A set of signals, a bit each.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Signals(u64);

impl Signals {
    const NONE: Signals = Signals(0);

    fn with(self, signal: usize) -> Self {
        Signals(self.0 | 1 << signal)
    }

    fn has(self, signal: usize) -> bool {
        self.0 & 1 << signal != 0
    }

    fn each(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let next = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (next < 64).then_some(next)
        })
    }
}

/// Makes rows of samples in the order of time.
struct Join<const N: usize, I> {
    samples: I,
    linear: Signals,
    last: [f64; N],
    last_us: [Option<u64>; N],
    waiting: VecDeque<Waiting<N>>,
    /// How many of these, the first ones, wait no longer: no value follows.
    settled: usize,
    newest_us: u64,
    is_over: bool,
}

enum Waiting<const N: usize> {
    /// A row, and the signals whose next value it needs.
    Row {
        time_us: u64,
        values: [f64; N],
        needs: Signals,
    },
    Other(Result<Item<[f64; N]>, ReplayError>),
}

impl<const N: usize, I> Join<N, I>
where
    I: Iterator<Item = Result<Item<Sample<N>>, ReplayError>>,
{
    fn new(samples: I, signals: &[Signal; N]) -> Self {
        let linear = (0..N).filter(|&signal| signals[signal].is_linear).fold(Signals::NONE, Signals::with);
        Join {
            samples,
            linear,
            last: [f64::NAN; N],
            last_us: [None; N],
            waiting: VecDeque::new(),
            newest_us: 0,
            settled: 0,
            is_over: false,
        }
    }

    fn take(&mut self, item: Result<Item<Sample<N>>, ReplayError>) {
        match item {
            Ok(Item::Input { time_us, input }) => self.sample(time_us, &input),
            Ok(item) => {
                if matches!(item, Item::Begin { .. } | Item::Back { .. }) {
                    self.settle();
                    (self.last, self.last_us, self.newest_us) = ([f64::NAN; N], [None; N], 0);
                }
                let own = |Sample { signals, values }: Sample<N>| {
                    let mut row = [f64::NAN; N];
                    signals.each().for_each(|signal| row[signal] = values[signal]);
                    row
                };
                self.waiting.push_back(Waiting::Other(Ok(item.map(own))));
            }
            Err(error) => self.waiting.push_back(Waiting::Other(Err(error))),
        }
    }

    #[inline]
    fn sample(&mut self, time_us: u64, sample: &Sample<N>) {
        self.newest_us = time_us;
        for signal in sample.signals.each() {
            let value = sample.values[signal];
            if !self.waiting.is_empty() {
                self.give(signal, time_us, value);
            }
            (self.last[signal], self.last_us[signal]) = (value, Some(time_us));
        }
        if sample.signals.has(0) {
            let is_needed = |signal: &usize| self.last_us[*signal] != Some(time_us);
            let needs = self.linear.each().filter(is_needed).fold(Signals::NONE, Signals::with);
            self.waiting.push_back(Waiting::Row { time_us, values: self.last, needs });
        }
    }

    /// Gives a value to the rows that wait for it: those of its time, and those that it is interpolated for.
    fn give(&mut self, signal: usize, value_us: u64, value: f64) {
        for waiting in self.waiting.iter_mut().rev() {
            let Waiting::Row { time_us, values, needs } = waiting else { continue };
            if *time_us == value_us {
                // The first signal makes a row of its own.
                if signal != 0 {
                    values[signal] = value;
                    needs.0 &= !(1 << signal);
                }
            } else if needs.has(signal) {
                needs.0 &= !(1 << signal);
                if let Some(before_us) = self.last_us[signal].filter(|before_us| value_us - before_us <= FAR_US) {
                    let part = time_us.saturating_sub(before_us) as f64 / (value_us - before_us) as f64;
                    values[signal] = self.last[signal] + (value - self.last[signal]) * part;
                }
            } else {
                break;
            }
        }
    }

    /// The rows wait no longer.
    fn settle(&mut self) {
        for waiting in &mut self.waiting {
            if let Waiting::Row { needs, .. } = waiting {
                *needs = Signals::NONE;
            }
        }
        self.settled = self.waiting.len();
    }
}

impl<const N: usize, I> Iterator for Join<N, I>
where
    I: Iterator<Item = Result<Item<Sample<N>>, ReplayError>>,
{
    type Item = Result<Item<[f64; N]>, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let is_ready = match self.waiting.front() {
                None => false,
                Some(_) if self.settled > 0 => true,
                Some(Waiting::Other(_)) => true,
                Some(Waiting::Row { time_us, needs, .. }) => {
                    let waits_us = self.newest_us.saturating_sub(*time_us);
                    waits_us > 0 && *needs == Signals::NONE || waits_us > FAR_US || self.waiting.len() > MOST
                }
            };
            if is_ready {
                self.settled = self.settled.saturating_sub(1);
                return self.waiting.pop_front().map(|waiting| match waiting {
                    Waiting::Row { time_us, values, .. } => Ok(Item::Input { time_us, input: values }),
                    Waiting::Other(item) => item,
                });
            }
            if self.is_over {
                return None;
            }
            match self.samples.next() {
                Some(item) => self.take(item),
                None => {
                    self.settle();
                    self.is_over = true;
                }
            }
        }
    }
}
