//! When the vehicle was armed.

use super::integer;
use crate::{Log, Record};
use std::ops::Range;

/// A stretch of the flight with motors armed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArmedInterval {
    /// From when to when, in microseconds since boot.
    pub time_us: Range<u64>,
    /// Whether the log ends armed: then the interval ends with the log.
    pub is_open: bool,
}

/// ArduPilot's `LogEvent`.
const EVENT_ARMED: u8 = 10;
const EVENT_DISARMED: u8 = 11;

impl Log<'_> {
    /// When the vehicle was armed: by its ARM records, or else by the events of EV, or else by STAT.
    ///
    /// A log whose first word on it is that the vehicle was disarmed begins armed.
    pub fn armed(&self) -> Vec<ArmedInterval> {
        let by_arm = |record: &Record<'_>| integer::<u8>(record, "ArmState").map(|state| state != 0);
        let by_event = |record: &Record<'_>| match integer(record, "Id") {
            Some(EVENT_ARMED) => Some(true),
            Some(EVENT_DISARMED) => Some(false),
            _ => None,
        };
        let by_status = |record: &Record<'_>| integer::<u8>(record, "Armed").map(|armed| armed != 0);
        let mut changes = self.changes("ARM", by_arm);
        if changes.is_empty() {
            changes = self.changes("EV", by_event);
        }
        if changes.is_empty() {
            changes = self.changes("STAT", by_status);
            // STAT says at any time how it is, not what happened.
            if changes.first().is_some_and(|(_, is_armed)| !is_armed) {
                changes.remove(0);
            }
        }
        self.intervals(&changes)
    }

    fn changes(&self, name: &str, is_armed: impl Fn(&Record<'_>) -> Option<bool>) -> Vec<(u64, bool)> {
        let rows = self.all(name);
        let states = rows.records().zip(rows.times_us());
        let mut changes: Vec<_> = states.filter_map(|(record, time_us)| Some((time_us, is_armed(&record)?))).collect();
        changes.dedup_by_key(|(_, is_armed)| *is_armed);
        changes
    }

    fn intervals(&self, changes: &[(u64, bool)]) -> Vec<ArmedInterval> {
        let range = self.time_range_us().unwrap_or(0..0);
        let mut intervals = Vec::new();
        let mut since = match changes.first() {
            Some((_, false)) => Some(range.start),
            _ => None,
        };
        for &(time_us, is_armed) in changes {
            match since {
                None if is_armed => since = Some(time_us),
                Some(start) if !is_armed => {
                    intervals.push(ArmedInterval { time_us: start..time_us.max(start), is_open: false });
                    since = None;
                }
                _ => {}
            }
        }
        if let Some(start) = since {
            intervals.push(ArmedInterval { time_us: start..range.end.max(start), is_open: true });
        }
        intervals
    }
}
