//! The list of a vehicle's logs.

use std::collections::BTreeMap;
use std::vec::Vec;

/// What is missing is asked for after this time without an entry, in microseconds.
const SILENT_US: u64 = 1_000_000;

/// A log of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListedLog {
    /// Its number in the list, from 1; from 0 with PX4.
    pub id: u16,
    /// Its length in bytes.
    pub size: u32,
    /// When it was written last, in seconds since 1970, UTC; 0 is unknown.
    pub time_utc: u32,
}

/// The entries that have come.
#[derive(Clone, Default, Debug)]
pub(super) struct List {
    logs: BTreeMap<u16, ListedLog>,
    /// The first and the last id of the vehicle's logs, or none of them.
    ids: Option<(u16, u16)>,
    is_empty: bool,
    /// When something was asked for, or the last entry came.
    waits_since_us: Option<u64>,
}

impl List {
    /// Takes an entry. Returns whether it is new.
    pub(super) fn receive(&mut self, now_us: u64, log: ListedLog, num_logs: u16, last: u16) -> bool {
        if self.waits_since_us.is_none() {
            return false;
        }
        self.waits_since_us = Some(now_us);
        if num_logs == 0 {
            self.is_empty = self.logs.is_empty();
            return self.is_empty;
        }
        // An answer to a part of the list has the last id of the part.
        let last = self.ids.map_or(last, |(_, before)| before.max(last));
        self.ids = Some(((last.saturating_add(1)).saturating_sub(num_logs), last));
        self.logs.insert(log.id, log).is_none()
    }

    /// All logs; `None` while some are missing.
    pub(super) fn whole(&self) -> Option<Vec<ListedLog>> {
        match (self.is_empty, self.ids) {
            (true, _) => Some(Vec::new()),
            (false, Some((first, last))) if self.missing(first, last).is_none() => {
                Some(self.logs.range(first..=last).map(|(_, log)| *log).collect())
            }
            _ => None,
        }
    }

    /// The first run of ids that are missing.
    fn missing(&self, first: u16, last: u16) -> Option<(u16, u16)> {
        let start = (first..=last).find(|id| !self.logs.contains_key(id))?;
        let end = self.logs.range(start..=last).next().map_or(last, |(next, _)| next - 1);
        Some((start, end))
    }

    /// The range of ids to ask for now.
    pub(super) fn next(&mut self, now_us: u64) -> Option<(u16, u16)> {
        let is_silent = self.waits_since_us.is_none_or(|since| now_us.saturating_sub(since) >= SILENT_US);
        if !is_silent || self.is_empty {
            return None;
        }
        let range = match self.ids {
            None => (0, u16::MAX),
            Some((first, last)) => self.missing(first, last)?,
        };
        self.waits_since_us = Some(now_us);
        Some(range)
    }
}
