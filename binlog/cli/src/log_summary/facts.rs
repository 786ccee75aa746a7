//! The records of a boot that say something about the flight as a whole, as a log of their own.

use super::Known;
use binlog::log::{ClockSearch, TimeRange};
use binlog::log_messages::FILE_NAME;
use binlog::{LoggedDefinition, Record};
use std::ops::Range;

/// The most bytes of facts that are kept.
const FACT_BYTES: usize = 16 * 1024 * 1024;

/// Times of 32 bits wrap: among the facts, one is so near the next that it is known how often.
const WRAP_KEPT_US: u64 = 600_000_000;

/// The types that are facts, besides definitions and descriptions.
const FACTS: [&str; 7] = ["VER", "MSG", "MODE", "ARM", "EV", "STAT", "PARM"];

/// What the records of a type are to the facts.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Definition,
    /// A piece of a file, which may be the descriptions.
    File,
    Fact,
    /// A fact if it says the date.
    Receiver,
    Other,
}

impl Kind {
    pub(super) fn of(definition: &LoggedDefinition<'_>) -> Self {
        match definition.name() {
            _ if definition.defines_others() => Kind::Definition,
            "FILE" => Kind::File,
            name if FACTS.contains(&name) => Kind::Fact,
            name if LoggedDefinition::RECEIVERS.contains(&name) => Kind::Receiver,
            _ => Kind::Other,
        }
    }

    pub(super) fn is_fact(self) -> bool {
        matches!(self, Kind::Definition | Kind::File | Kind::Fact)
    }
}

/// The facts so far.
#[derive(Default)]
pub(super) struct Facts {
    bytes: Vec<u8>,
    has_descriptions: bool,
    /// The date by the GPS records so far.
    clock: ClockSearch,
    /// The last time that counts.
    last_us: Option<u64>,
    /// The last record whose time counts and that isn't among the facts.
    last_timed: Option<Range<usize>>,
    /// The last time among the facts.
    kept_us: Option<u64>,
    /// Whether the next record with a time is kept, too, for a fact that none is near.
    awaits_time: bool,
}

impl Facts {
    /// Adds a record, with its time if that counts.
    #[inline]
    pub(super) fn add(&mut self, record: &Record<'_>, known: &Known, time_us: Option<u64>, log: &[u8]) {
        let is_date =
            known.kind == Kind::Receiver && self.clock.add(record, time_us.or(self.last_us).unwrap_or_default());
        match (known.kind, time_us) {
            (Kind::Definition, _) => self.keep(record, None),
            (Kind::File, _) => self.keep_description(record),
            (Kind::Fact, _) => self.keep_timed(record, known, time_us, log),
            _ if is_date => self.keep_timed(record, known, time_us, log),
            (_, Some(time_us)) => {
                self.last_us = Some(time_us);
                self.last_timed = Some(record.offset()..record.offset() + record.len());
                let is_lost = |kept_us: u64| kept_us.abs_diff(time_us) > WRAP_KEPT_US;
                if self.awaits_time || known.wraps && self.kept_us.is_none_or(is_lost) {
                    self.keep_last_timed(time_us, log);
                }
            }
            (_, None) => {}
        }
    }

    /// Forgets the last record with a time, whose type may be defined again.
    pub(super) fn forget_last_timed(&mut self) {
        self.last_timed = None;
    }

    /// Keeps a fact so that a log of facts has its time: `None` if it has none, or one that doesn't count.
    #[cold]
    fn keep_timed(&mut self, record: &Record<'_>, known: &Known, time_us: Option<u64>, log: &[u8]) {
        // In a log of facts, a time counts that another one is near.
        let is_far =
            |time_us: u64| self.kept_us.is_none_or(|kept_us| kept_us.abs_diff(time_us) > TimeRange::NEAR_US / 2);
        match (time_us, self.last_us) {
            (Some(time_us), last_us) => {
                if is_far(time_us) {
                    self.keep_last_timed(last_us.unwrap_or(time_us), log);
                }
                (self.last_us, self.kept_us) = (Some(time_us), Some(time_us));
                self.keep(record, None);
            }
            (None, Some(last_us)) if known.has_time_us => self.keep(record, Some(last_us)),
            (None, last_us) => {
                self.keep_last_timed(last_us.unwrap_or_default(), log);
                self.keep(record, None);
            }
        }
    }

    /// Adds the last record whose time counts to the facts. If there was none yet, the next one is added.
    #[cold]
    fn keep_last_timed(&mut self, time_us: u64, log: &[u8]) {
        let last = self.last_timed.take().and_then(|bytes| log.get(bytes));
        self.awaits_time = last.is_none() && self.kept_us.is_none();
        if let Some(last) = last.filter(|_| self.bytes.len() < FACT_BYTES) {
            self.kept_us = Some(time_us);
            self.bytes.extend_from_slice(last);
        }
    }

    /// Keeps a piece of the descriptions, which have the names of modes.
    #[cold]
    fn keep_description(&mut self, record: &Record<'_>) {
        if record.value("FileName").and_then(|value| value.text()).is_some_and(|name| name == FILE_NAME) {
            self.has_descriptions = true;
            self.keep(record, None);
        }
    }

    /// Keeps a record among the facts, with another time if one is given.
    #[cold]
    fn keep(&mut self, record: &Record<'_>, time_us: Option<u64>) {
        if self.bytes.len() < FACT_BYTES {
            self.bytes.extend_from_slice(&binlog::record_header(record.id()));
            let time = self.bytes.len();
            self.bytes.extend_from_slice(record.payload());
            if let Some((time_us, place)) = time_us.zip(self.bytes.get_mut(time..time + 8)) {
                place.copy_from_slice(&time_us.to_le_bytes());
            }
        }
    }

    pub(super) fn has_descriptions(&self) -> bool {
        self.has_descriptions
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}
