//! Which log has an id: its rank by age, found in passes over the logs that keep two of them. A log that was found is
//! found again by its number, since its rank changes when an older one is removed.

use super::super::LogEntry;
use core::ops::ControlFlow;

/// One pass over the logs: how many there are up to a place in their order, and which are next to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// A place in their order, or the number of the log that is searched.
    pivot: u32,
    is_by_number: bool,
    /// All logs.
    pub(super) logs: u32,
    /// Logs up to the pivot, and the last of them.
    below: u32,
    /// The log with the number, if that is searched. It has no bytes before a log is found.
    floor: LogEntry,
    /// The first log after the pivot.
    above: LogEntry,
}

impl Pass {
    /// Takes note of a log. Logs without a byte don't count: QGroundControl takes their entries for lost ones.
    pub(super) fn see(&mut self, log: &LogEntry) -> ControlFlow<()> {
        if log.bytes > 0 {
            self.logs = self.logs.saturating_add(1);
            if self.is_by_number {
                if log.number == self.pivot {
                    self.floor = *log;
                }
            } else if log.order <= self.pivot {
                self.below = self.below.saturating_add(1);
                if self.floor.bytes == 0 || self.floor.order < log.order {
                    self.floor = *log;
                }
            } else if self.above.bytes == 0 || self.above.order > log.order {
                self.above = *log;
            }
        }
        ControlFlow::Continue(())
    }
}

/// A search for a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// The rank, from 1; 0 for the log whose number is the pivot.
    rank: u32,
    pivot: u32,
    /// Where the log can be.
    low: u32,
    high: u32,
    passes: u8,
}

/// No log.
const NONE: LogEntry = LogEntry { number: 0, order: 0, bytes: 0, seconds: 0 };

/// Passes after which a search for a log gives up, because the logs change meanwhile: more than halving needs.
const PASSES: u8 = 48;

impl Search {
    /// For the log of a rank. `near` is the rank and the place of a log, or a guess; most numbers follow each other.
    pub(super) fn rank(rank: u16, near: (u16, u32)) -> Self {
        let pivot = if rank >= near.0 {
            near.1.saturating_add((rank - near.0).into())
        } else {
            near.1.saturating_sub((near.0 - rank).into())
        };
        Search { rank: rank.into(), pivot, low: 0, high: u32::MAX, passes: 0 }
    }

    /// For the log with a number.
    pub(super) fn number(number: u32) -> Self {
        Search { rank: 0, pivot: number, low: 0, high: 0, passes: 0 }
    }

    pub(super) fn is_by_number(&self) -> bool {
        self.rank == 0
    }

    /// The next pass.
    pub(super) fn pass(&self) -> Pass {
        Pass { pivot: self.pivot, is_by_number: self.is_by_number(), logs: 0, below: 0, floor: NONE, above: NONE }
    }

    /// What a pass found: the log, or [`NONE`]. Returns `None` if another pass is needed.
    pub(super) fn take(&mut self, pass: &Pass) -> Option<LogEntry> {
        let (rank, below) = (self.rank, pass.below);
        if rank > pass.logs {
            return Some(NONE);
        }
        if rank == 0 || below == rank {
            return Some(pass.floor);
        }
        if below.checked_add(1) == Some(rank) {
            return Some(pass.above);
        }
        // Places differ at least by as much as ranks do.
        let guess = if below > rank {
            self.high = self.high.min(pass.floor.order.saturating_sub(below - rank));
            self.high
        } else {
            self.low = self.low.max(pass.above.order.saturating_add(rank - below - 1));
            self.low
        };
        self.passes += 1;
        // Without a log where one has to be, the logs change meanwhile, and the passes end the search.
        if self.low > self.high || self.passes >= PASSES {
            return Some(NONE);
        }
        self.pivot = if self.passes % 2 == 1 { guess } else { self.low + (self.high - self.low) / 2 };
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;
    use proptest::prelude::*;
    use std::vec::Vec;

    /// The log of a rank, and how many passes that took.
    fn search(orders: &[u32], rank: u16, near: (u16, u32)) -> (Option<u32>, u32) {
        let mut search = Search::rank(rank, near);
        for passes in 1.. {
            let mut pass = search.pass();
            for &order in orders {
                let _ = pass.see(&LogEntry { number: order, order, bytes: 1, seconds: 0 });
            }
            if let Some(log) = search.take(&pass) {
                return ((log.bytes > 0).then_some(log.order), passes);
            }
        }
        unreachable!("a search ends")
    }

    #[test]
    fn numbers_without_gaps_take_one_pass_and_after_a_gap_two() {
        let orders: Vec<u32> = (1..=500).collect();
        for rank in 1..=500 {
            assert_eq!(search(&orders, rank, (1, 1)), (Some(rank.into()), 1));
        }
        let orders: Vec<u32> = (301..=800).rev().collect();
        assert_eq!(search(&orders, 400, (1, 1)), (Some(700), 2));
        // The next one after a log that was found.
        assert_eq!(search(&[7, 100, 90_000_000], 3, (2, 100)), (Some(90_000_000), 1));
        assert_eq!(
            (search(&[], 1, (1, 1)).0, search(&[5], 2, (1, 1)).0, search(&[5], 1, (9, 0)).0),
            (None, None, Some(5))
        );
    }

    proptest! {
        #[test]
        fn each_rank_is_found_within_the_passes(
            orders in prop::collection::btree_set(prop_oneof![0..2000u32, any::<u32>()], 1..300),
            near in any::<(u16, u32)>(),
        ) {
            let orders: Vec<u32> = orders.into_iter().collect();
            for (index, &order) in orders.iter().enumerate() {
                prop_assert_eq!(search(&orders, index as u16 + 1, near).0, Some(order));
            }
            prop_assert_eq!(search(&orders, orders.len() as u16 + 1, near).0, None);
        }
    }
}
