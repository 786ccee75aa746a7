//! The list of a vehicle's logs.

use super::DownloaderCounts;
use core::ops::RangeInclusive;
use std::collections::BTreeMap;
use std::vec::Vec;

/// What is missing is asked for after this time without an entry, in microseconds.
const SILENT_US: u64 = 1_000_000;
/// A vehicle doesn't answer for a log that it doesn't have. After this number of requests it is asked for all.
const ASKS: u8 = 3;
/// Entries between two gaps that are sent again, because another request takes longer.
const NEAR: usize = 32;
/// All ids.
const ALL: RangeInclusive<u16> = 0..=u16::MAX;

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
}

/// The entries that have come.
#[derive(Clone, Default, Debug)]
pub(super) struct List {
    /// Those with one of the `ids`.
    logs: BTreeMap<u16, ListedLog>,
    /// The ids of the vehicle's logs.
    ids: Option<RangeInclusive<u16>>,
    num_logs: u16,
    is_empty: bool,
    /// The most entries that came before the number of logs changed. Only more than these are new.
    most: usize,
    /// The ids that were asked for last.
    asked: Option<RangeInclusive<u16>>,
    /// Requests since the last new entry.
    asks: u8,
    /// Whether the last entry of the answer has come.
    is_answered: bool,
    /// The number of logs has changed, and the last id isn't known.
    is_outdated: bool,
    /// Once an entry was asked for again, the list stays as it is.
    is_kept: bool,
    again: Option<Again>,
    /// When something was asked for, or the last entry came.
    waits_since_us: Option<u64>,
}

impl List {
    /// Takes an entry. Returns whether it is new.
    pub(super) fn receive(
        &mut self,
        now_us: u64,
        counts: &mut DownloaderCounts,
        log: ListedLog,
        num_logs: u16,
        last: u16,
    ) -> bool {
        let is_asked = self.asked.as_ref().is_some_and(|asked| asked.contains(&log.id)) || num_logs == 0;
        if !is_asked && !self.ids.as_ref().is_some_and(|ids| ids.contains(&log.id)) {
            counts.foreign = counts.foreign.saturating_add(1);
            return false;
        }
        if self.waits_since_us.is_none() {
            return false;
        }
        self.waits_since_us = Some(now_us);
        let neighbours = self.again.as_ref().map(|again| self.neighbours(again.id));
        if let Some((again, neighbours)) = self.again.as_mut().zip(neighbours) {
            let is_first = is_asked && again.num_logs.replace(num_logs).is_none();
            return (neighbours.contains(&log.id) && again.logs.insert(log.id, log).is_none()) || is_first;
        }
        if self.is_kept {
            return false;
        }
        if self.ids.is_some() && num_logs != self.num_logs {
            // An answer to a part of the list has the last id of the part.
            if self.asked != Some(ALL) {
                self.is_outdated = true;
                return false;
            }
            self.logs.clear();
            self.ids = None;
        }
        self.num_logs = num_logs;
        if num_logs == 0 {
            // After entries, or again, it says nothing new.
            return !std::mem::replace(&mut self.is_empty, true) && self.most == 0;
        }
        let Some(ids) = self.ids_with(log.id, last) else {
            counts.foreign = counts.foreign.saturating_add(1);
            return false;
        };
        self.is_empty = false;
        if self.ids.as_ref() != Some(&ids) {
            self.logs.retain(|id, _| ids.contains(id));
        }
        let asked = self.asked.as_ref().map_or(0, |asked| *asked.end());
        self.is_answered |= log.id == asked.min(*ids.end());
        self.ids = Some(ids);
        self.logs.insert(log.id, log);
        let is_new = self.logs.len() > self.most;
        if is_new {
            (self.most, self.asks) = (self.logs.len(), 0);
        }
        is_new
    }

    /// The ids of all logs, by an entry and those before; `None` if it contradicts them.
    fn ids_with(&self, id: u16, last: u16) -> Option<RangeInclusive<u16>> {
        let ids = |last: u16| (u32::from(last) + 1).saturating_sub(self.num_logs.into()) as u16..=last;
        // Where `last` is the end of the request, ids begin with 1.
        let last = if ids(last).contains(&id) { last } else { self.num_logs };
        let ids = match &self.ids {
            Some(before) if *before.start() > 0 => before.clone(),
            // The first entry may be of an answer to a part of the list.
            Some(before) => ids(last.max(*before.end())),
            None => ids(last),
        };
        ids.contains(&id).then_some(ids)
    }

    /// All logs; `None` while some are missing.
    pub(super) fn whole(&self) -> Option<Vec<ListedLog>> {
        let is_whole = self.ids.as_ref().is_some_and(|ids| self.logs.len() == ids.len());
        (self.is_empty || is_whole).then(|| self.logs.values().copied().collect())
    }

    /// Asks for the entry of a log again.
    pub(super) fn ask_again(&mut self, id: u16) {
        self.again = Some(Again { id, num_logs: None, logs: BTreeMap::new() });
        (self.is_kept, self.waits_since_us, self.asks) = (true, None, 0);
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
        let first = self.ids.as_ref().map_or(0, |ids| *ids.start());
        id.saturating_sub(1).max(first)..=id
    }

    /// What a log is that was asked for again; `None` before the vehicle has said it.
    pub(super) fn relisted(&self) -> Option<Relisted> {
        let Again { id, num_logs, logs } = self.again.as_ref()?;
        let num_logs = (*num_logs)?;
        if num_logs < self.num_logs {
            return Some(Relisted::Changed);
        }
        for id in self.neighbours(*id) {
            let Some(before) = self.logs.get(&id) else { return Some(Relisted::Changed) };
            let log = logs.get(&id)?;
            // Without a date, two logs may be alike.
            let is_same = log == before && (log.time_utc > 0 || num_logs == self.num_logs);
            let is_last = self.ids.as_ref().is_some_and(|ids| *ids.end() == id);
            let has_grown = is_last && log.size >= before.size && log.time_utc >= before.time_utc;
            if !is_same && !has_grown {
                return Some(Relisted::Changed);
            }
        }
        logs.get(id).copied().map(Relisted::Same)
    }

    pub(super) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// The ids whose entries are missing; none before the first entry.
    pub(super) fn gaps(&self) -> Vec<RangeInclusive<u16>> {
        let Some(ids) = &self.ids else { return Vec::new() };
        let (mut gaps, mut next) = (Vec::new(), u32::from(*ids.start()));
        let end = u32::from(*ids.end()) + 1;
        for id in self.logs.keys().map(|&id| u32::from(id)).chain([end]) {
            if next < id {
                gaps.push(next as u16..=(id - 1) as u16);
            }
            next = id + 1;
        }
        gaps
    }

    /// The first gap, and those near it.
    fn gap(&self) -> Option<RangeInclusive<u16>> {
        let gaps = self.gaps();
        // Of many gaps, few requests ask for all.
        let near = NEAR + gaps.len() / 8;
        let is_far = |pair: &[RangeInclusive<u16>]| usize::from(pair[1].start() - pair[0].end()) > near;
        let last = gaps.windows(2).position(is_far).unwrap_or(gaps.len().saturating_sub(1));
        Some(*gaps.first()?.start()..=*gaps.get(last)?.end())
    }

    /// The range of ids to ask for now.
    pub(super) fn next(&mut self, now_us: u64) -> Option<(u16, u16)> {
        let is_silent = self.waits_since_us.is_none_or(|since| now_us.saturating_sub(since) >= SILENT_US);
        let is_due = is_silent || (self.is_answered && self.asks == 0);
        if !is_due || (self.is_empty && self.again.is_none()) {
            return None;
        }
        let range = match (&self.again, &self.ids) {
            (Some(_), _) if !self.is_asking_again() => return None,
            _ if self.asks >= ASKS || self.ids.is_none() => ALL,
            (Some(again), _) => self.neighbours(again.id),
            (None, _) if self.is_outdated => ALL,
            (None, _) => self.gap()?,
        };
        self.asks = self.asks.saturating_add(1);
        self.waits_since_us = Some(now_us);
        (self.is_outdated, self.is_answered) = (false, false);
        self.asked = Some(range.clone());
        Some(range.into_inner())
    }
}
