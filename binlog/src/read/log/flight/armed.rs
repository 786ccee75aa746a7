//! The intervals in which the vehicle was armed.

use super::{Place, integer};
use crate::read::{Log, Record};
use std::ops::Range;

/// An interval in which the motors were armed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArmedInterval {
    /// Start and end, in microseconds since boot.
    pub time_us: Range<u64>,
    /// Whether the boot ends armed. The interval then ends one microsecond after the latest time of the boot.
    pub is_open: bool,
}

/// A change between armed and disarmed.
struct Change {
    boot: usize,
    time_us: u64,
    is_armed: bool,
}

/// ArduPilot's `LogEvent`.
pub(crate) const EVENT_ARMED: u8 = 10;
pub(crate) const EVENT_DISARMED: u8 = 11;

impl Log<'_> {
    /// The intervals in which the vehicle was armed. In each [boot](Log::boots), its ARM records decide, or else the
    /// events of EV, or else STAT. One whose time is outside of the boot's range has the time of the last record before
    /// it.
    ///
    /// If the first change in a boot is disarming, the boot begins armed.
    pub fn armed(&self) -> Vec<ArmedInterval> {
        let by_arm = |record: &Record<'_>| integer::<u8>(record, "ArmState").map(|state| state != 0);
        let by_event = |record: &Record<'_>| match integer(record, "Id") {
            Some(EVENT_ARMED) => Some(true),
            Some(EVENT_DISARMED) => Some(false),
            _ => None,
        };
        let by_status = |record: &Record<'_>| integer::<u8>(record, "Armed").map(|armed| armed != 0);
        let commands = self.changes("ARM", by_arm);
        let events = self.changes("EV", by_event);
        let states = self.changes("STAT", by_status);
        let intervals = (0..self.spans().len()).flat_map(|boot| {
            let [commands, events, states] = [&commands, &events, &states].map(|changes| in_boot(changes, boot));
            match (commands, events, states) {
                // STAT logs the state, not changes. If it is disarmed at first, that doesn't mean that the boot began
                // armed.
                ([], [], [first, rest @ ..]) if !first.is_armed => self.intervals(rest),
                ([], [], states) => self.intervals(states),
                ([], events, _) => self.intervals(events),
                (commands, ..) => self.intervals(commands),
            }
        });
        intervals.collect()
    }

    fn changes(&self, name: &str, is_armed: impl Fn(&Record<'_>) -> Option<bool>) -> Vec<Change> {
        let rows = self.all(name);
        let states = rows.records().zip(self.places(&rows));
        let change = |(record, Place { boot, time_us, .. }): (Record<'_>, Place)| {
            Some(Change { boot, time_us, is_armed: is_armed(&record)? })
        };
        let mut changes: Vec<_> = states.filter_map(change).collect();
        // Records of several threads needn't be in the order of their times.
        changes.sort_by_key(|change| (change.boot, change.time_us));
        changes.dedup_by_key(|change| (change.boot, change.is_armed));
        changes
    }

    /// The intervals in one boot.
    fn intervals(&self, changes: &[Change]) -> Vec<ArmedInterval> {
        let Some(first) = changes.first() else { return Vec::new() };
        let span = &self.spans()[first.boot];
        let start = span.time_us.as_ref().map_or(0, |time_us| *time_us.start());
        let mut intervals = Vec::new();
        let mut since = (!first.is_armed).then_some(start);
        for &Change { time_us, is_armed, .. } in changes {
            match since {
                None if is_armed => since = Some(time_us),
                // Disarming at the very beginning is not an interval.
                Some(start) if !is_armed && time_us <= start => since = None,
                Some(start) if !is_armed => {
                    intervals.push(ArmedInterval { time_us: start..time_us, is_open: false });
                    since = None;
                }
                _ => {}
            }
        }
        if let Some(start) = since {
            intervals.push(ArmedInterval { time_us: start..span.end_us().max(start), is_open: true });
        }
        intervals
    }
}

/// The changes of one boot. Changes are in the order of boots.
fn in_boot(changes: &[Change], boot: usize) -> &[Change] {
    let start = changes.partition_point(|change| change.boot < boot);
    let end = changes.partition_point(|change| change.boot <= boot);
    &changes[start..end]
}
