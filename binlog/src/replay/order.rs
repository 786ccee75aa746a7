//! The order of time: inputs wait until none can come before them.
//!
//! Records of one log are slightly out of order, because several threads log. So an input waits until a record has come
//! that is [`WINDOW_US`] later, and at most [`MOST`] inputs wait.
//!
//! A time that doesn't fit is held back until the records after it say what it is:
//!
//! - It is ahead by more than that, and so is the next record: a pause. The next one isn't: the time is damaged.
//! - It is before those of inputs that were released, and so are [`PROOF`] records: the clock went back. The records
//!   after it continue: it is late.

use super::item::{Gap, Item};
use super::regular::Regular;
use crate::read::log::TimeRange;
use std::collections::VecDeque;

/// How much later than an input a record has to be to release it, in microseconds. A time further ahead than this is
/// held back.
pub(super) const WINDOW_US: u64 = 100_000;
/// The most inputs that wait.
pub(super) const MOST: usize = 4096;
/// Early records no further apart than this prove together that the clock went back, in microseconds.
const NEAR_US: u64 = 10_000_000;
/// This number of early records proves that the clock went back.
const PROOF: usize = 8;

/// Items that wait for their turn.
pub(super) struct Order<T> {
    queue: VecDeque<Waiting<T>>,
    /// The latest time of a record.
    newest_us: Option<u64>,
    /// The time of the last input that was released.
    clock_us: u64,
    /// Records whose times don't fit: one that is too late, or several that are too early.
    held: VecDeque<Waiting<T>>,
    /// Items that don't wait.
    aside: VecDeque<Item<T>>,
    /// What follows once the queue is empty.
    then: Option<Then>,
    /// The latest time before that.
    end_us: u64,
    sources: Vec<Source>,
}

/// An item with the number of its source; a record that isn't an input has neither.
struct Waiting<T> {
    time_us: u64,
    source: Option<u32>,
    item: Option<Item<T>>,
}

enum Then {
    Begin(usize),
    Back { from_us: u64, to_us: u64 },
    End,
}

/// Inputs of one kind.
struct Source {
    name: String,
    regular: Regular,
}

impl<T> Order<T> {
    pub(super) fn new() -> Self {
        Order {
            queue: VecDeque::new(),
            newest_us: None,
            clock_us: 0,
            held: VecDeque::new(),
            aside: VecDeque::new(),
            then: None,
            end_us: 0,
            sources: Vec::new(),
        }
    }

    /// The number of the source with this name, for [`input`](Self::input).
    pub(super) fn source(&mut self, name: &str) -> u32 {
        let known = self.sources.iter().position(|source| source.name == name);
        let number = known.unwrap_or_else(|| {
            self.sources.push(Source { name: name.into(), regular: Regular::default() });
            self.sources.len() - 1
        });
        number as u32
    }

    /// Takes an input. One without a time has that of the record before it.
    #[inline]
    pub(super) fn input(&mut self, time_us: Option<u64>, source: u32, input: T) {
        let known_us = time_us.or(self.newest_us).unwrap_or_default();
        let waiting =
            Waiting { time_us: known_us, source: Some(source), item: Some(Item::Input { time_us: known_us, input }) };
        match time_us {
            Some(_) => self.push(waiting),
            None => self.insert(waiting),
        }
    }

    /// Takes the time of a record that isn't an input.
    #[inline]
    pub(super) fn other(&mut self, time_us: u64) {
        match self.newest_us {
            // The usual case needs no look at what is held.
            Some(newest_us) if self.held.is_empty() && time_us.wrapping_sub(newest_us) <= WINDOW_US => {
                self.newest_us = Some(time_us);
            }
            _ => self.push(Waiting { time_us, source: None, item: None }),
        }
    }

    /// Takes what has the time of the records around it.
    pub(super) fn between(&mut self, item: Item<T>) {
        let time_us = self.newest_us.unwrap_or_default();
        self.insert(Waiting { time_us, source: None, item: Some(item) });
    }

    /// A boot or a session begins: what waits comes before it.
    pub(super) fn begin(&mut self, number: usize) {
        self.settle();
        self.then = Some(Then::Begin(number));
    }

    /// The log ends: what waits comes before that.
    pub(super) fn end(&mut self) {
        self.settle();
        self.then = Some(Then::End);
    }

    /// Whether no record may be taken before all items are [popped](Self::pop).
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.then.is_some() || self.queue.len() > MOST
    }

    /// The next item that waits no longer.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Item<T>> {
        if let Some(item) = self.aside.pop_front() {
            return Some(item);
        }
        while let Some(front) = self.queue.front() {
            let is_ready = self.then.is_some()
                || self.newest_us.is_some_and(|newest_us| newest_us.saturating_sub(front.time_us) >= WINDOW_US)
                || self.queue.len() > MOST;
            if !is_ready {
                return None;
            }
            if let Some(source) = front.source.and_then(|number| self.sources.get_mut(number as usize))
                && let Some(from_us) = source.regular.add(front.time_us)
            {
                return Some(Item::Gap(Gap { source: source.name.clone(), from_us, to_us: front.time_us }));
            }
            let Some(Waiting { time_us, item, .. }) = self.queue.pop_front() else { break };
            self.clock_us = self.clock_us.max(time_us);
            if item.is_some() {
                return item;
            }
        }
        self.then.as_ref()?;
        let end_us = self.end_us;
        for Source { name, regular } in &mut self.sources {
            if let Some(from_us) = regular.end(end_us) {
                return Some(Item::Gap(Gap { source: name.clone(), from_us, to_us: end_us }));
            }
        }
        match self.then.take()? {
            Then::Begin(number) => {
                self.restart();
                Some(Item::Begin { number })
            }
            Then::Back { from_us, to_us } => {
                self.restart();
                let held = std::mem::take(&mut self.held);
                held.into_iter().for_each(|held| self.push(held));
                Some(Item::Back { from_us, to_us })
            }
            Then::End => None,
        }
    }

    fn restart(&mut self) {
        self.newest_us = None;
        self.clock_us = 0;
        self.sources.iter_mut().for_each(|source| source.regular = Regular::default());
    }

    fn push(&mut self, waiting: Waiting<T>) {
        let time_us = waiting.time_us;
        let Some(newest_us) = self.newest_us else { return self.accept(waiting) };
        if let Some(held_us) = self.held.back().map(|held| held.time_us) {
            if held_us > newest_us {
                let is_pause = time_us.saturating_add(WINDOW_US) >= held_us;
                self.release(|_| is_pause);
            } else if self.is_early(time_us) && time_us.abs_diff(held_us) <= NEAR_US {
                self.held.push_back(waiting);
                if self.held.len() >= PROOF {
                    let to_us = self.held.iter().map(|held| held.time_us).min().unwrap_or(time_us);
                    (self.then, self.end_us) = (Some(Then::Back { from_us: newest_us, to_us }), newest_us);
                }
                return;
            } else {
                self.release(|_| false);
            }
        }
        let newest_us = self.newest_us.unwrap_or(newest_us);
        match self.is_early(time_us) || time_us.saturating_sub(newest_us) > WINDOW_US {
            true => self.held.push_back(waiting),
            false => self.accept(waiting),
        }
    }

    /// Whether a time is before those of inputs that may be released.
    fn is_early(&self, time_us: u64) -> bool {
        time_us < self.clock_us || self.newest_us.is_some_and(|newest_us| time_us.saturating_add(WINDOW_US) < newest_us)
    }

    /// Decides about what is held back.
    fn release(&mut self, fits: impl Fn(u64) -> bool) {
        for held in std::mem::take(&mut self.held) {
            match held.item {
                _ if fits(held.time_us) => self.accept(held),
                Some(Item::Input { time_us, input }) => self.aside.push_back(Item::OutOfOrder { time_us, input }),
                Some(item) => self.aside.push_back(item),
                None => {}
            }
        }
    }

    /// Decides about what is held back at an end: nothing follows that could confirm it.
    fn settle(&mut self) {
        let newest_us = self.newest_us.unwrap_or_default();
        // A time that nothing confirms makes no gap.
        self.end_us = newest_us;
        self.release(|time_us| time_us >= newest_us && time_us - newest_us <= TimeRange::NEAR_US);
    }

    fn accept(&mut self, waiting: Waiting<T>) {
        self.newest_us = Some(self.newest_us.map_or(waiting.time_us, |newest_us| newest_us.max(waiting.time_us)));
        if waiting.item.is_some() {
            self.insert(waiting);
        }
    }

    #[inline]
    fn insert(&mut self, waiting: Waiting<T>) {
        if self.queue.back().is_none_or(|last| last.time_us <= waiting.time_us) {
            return self.queue.push_back(waiting);
        }
        let at = self.queue.partition_point(|other| other.time_us <= waiting.time_us);
        self.queue.insert(at, waiting);
    }
}
