//! The list of a vehicle's logs.

use core::ops::RangeInclusive;
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

/// What a log is that was listed before. A vehicle numbers its logs by age: when it removes one, the numbers of later
/// ones change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relisted {
    /// The number means the same log, by its size and date, those of the log before it, and the number of logs. The
    /// last log may have grown.
    Same(ListedLog),
    /// The vehicle has removed logs, and the number may mean another one.
    Changed,
}

/// The entry of a log that is asked for again, with the one before it.
#[derive(Clone, Debug)]
struct Again {
    id: u16,
    num_logs: Option<u16>,
    logs: BTreeMap<u16, ListedLog>,
    asks: u8,
}

/// A vehicle doesn't answer for a log that it doesn't have. After this number of requests it is asked for all.
const ASKS: u8 = 3;

/// The entries that have come.
#[derive(Clone, Default, Debug)]
pub(super) struct List {
    logs: BTreeMap<u16, ListedLog>,
    /// The first and the last id of the vehicle's logs, or none of them.
    ids: Option<(u16, u16)>,
    num_logs: u16,
    is_empty: bool,
    /// Whether anything was asked for.
    is_asked: bool,
    /// Once an entry was asked for again, the list stays as it is.
    is_kept: bool,
    again: Option<Again>,
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
        if let Some(again) = &mut self.again {
            let is_first = again.num_logs.replace(num_logs).is_none();
            return again.logs.insert(log.id, log).is_none() || is_first;
        }
        if self.is_kept {
            return false;
        }
        if num_logs == 0 {
            self.is_empty = self.logs.is_empty();
            return self.is_empty;
        }
        // An answer to a part of the list has the last id of the part.
        let last = self.ids.map_or(last, |(_, before)| before.max(last));
        self.ids = Some(((last.saturating_add(1)).saturating_sub(num_logs), last));
        self.num_logs = num_logs;
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

    /// Asks for the entry of a log again.
    pub(super) fn ask_again(&mut self, id: u16) {
        self.again = Some(Again { id, num_logs: None, logs: BTreeMap::new(), asks: 0 });
        (self.is_kept, self.waits_since_us) = (true, None);
    }

    pub(super) fn end_again(&mut self) {
        self.again = None;
    }

    /// Whether the answer to [`ask_again`](Self::ask_again) is missing.
    pub(super) fn is_asking_again(&self) -> bool {
        self.again.is_some() && self.relisted().is_none()
    }

    /// The ids of a log and of the one before it.
    fn neighbours(&self, id: u16) -> RangeInclusive<u16> {
        let first = self.ids.map_or(0, |(first, _)| first);
        id.saturating_sub(1).max(first)..=id
    }

    /// What a log is that was asked for again; `None` before the vehicle has said it.
    pub(super) fn relisted(&self) -> Option<Relisted> {
        let Again { id, num_logs, logs, .. } = self.again.as_ref()?;
        let num_logs = (*num_logs)?;
        if num_logs < self.num_logs {
            return Some(Relisted::Changed);
        }
        for id in self.neighbours(*id) {
            let Some(before) = self.logs.get(&id) else { return Some(Relisted::Changed) };
            let log = logs.get(&id)?;
            // Without a date, two logs may be alike.
            let is_same = log == before && (log.time_utc > 0 || num_logs == self.num_logs);
            let is_last = self.ids.is_some_and(|(_, last)| last == id);
            let has_grown = is_last && log.size >= before.size && log.time_utc >= before.time_utc;
            if !is_same && !has_grown {
                return Some(Relisted::Changed);
            }
        }
        logs.get(id).copied().map(Relisted::Same)
    }

    pub(super) fn is_asked(&self) -> bool {
        self.is_asked
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
        if !is_silent || (self.is_empty && self.again.is_none()) {
            return None;
        }
        let range = match (&self.again, self.ids) {
            (Some(_), _) if !self.is_asking_again() => return None,
            (Some(again), Some(_)) if again.asks < ASKS => self.neighbours(again.id).into_inner(),
            (Some(_), _) | (None, None) => (0, u16::MAX),
            (None, Some((first, last))) => self.missing(first, last)?,
        };
        if let Some(again) = &mut self.again {
            again.asks = again.asks.saturating_add(1);
        }
        (self.is_asked, self.waits_since_us) = (true, Some(now_us));
        Some(range)
    }
}
