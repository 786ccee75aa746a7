//! When records were written: since boot, and by the calendar.

use super::Log;
use crate::{Format, LoggedDefinition, Record, Records, Value};

/// What relates times since boot to the calendar: the log's first GPS fix with a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    boot_unix_us: i64,
}

impl Clock {
    /// The time of boot, in microseconds since 1970.
    pub fn boot_unix_us(&self) -> i64 {
        self.boot_unix_us
    }

    /// A time since boot as a time since 1970, both in microseconds.
    pub fn unix_us(&self, time_us: u64) -> i64 {
        self.boot_unix_us.saturating_add_unsigned(time_us)
    }

    /// The first record that says both: `315964800 + 604800 · week + milliseconds / 1000 − 18` seconds since 1970. The
    /// 18 leap seconds are those since 2017, as in pymavlink, whenever the log is from.
    pub(super) fn of(log: &Log<'_>) -> Option<Self> {
        let gps = log.all("GPS");
        gps.records().find_map(|record| {
            let integer = |label| record.value(label).and_then(|value| value.to_integer());
            // Old firmware calls the time of the week TimeMS.
            let week = integer("GWk").or_else(|| integer("Week")).filter(|&week| week > 0)?;
            let week_ms = integer("GMS").or_else(|| integer("TimeMS"))?;
            let time_us = TimeSource::of(&record.definition()).time_us(record.payload())?;
            let unix_us = (315_964_800 - 18 + 604_800 * week) * 1_000_000 + week_ms * 1000;
            Some(Clock { boot_unix_us: i64::try_from(unix_us - i128::from(time_us)).ok()? })
        })
    }
}

/// Where a type's records have their time since boot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TimeSource {
    /// The first column is TimeUS.
    Micros { format: Format, offset: usize },
    /// The first column is TimeMS; the column T of a GPS whose TimeMS is the time of the week.
    Millis { format: Format, offset: usize },
    /// They have none.
    None,
}

impl TimeSource {
    pub(super) fn of(definition: &LoggedDefinition<'_>) -> Self {
        let first = definition.columns().next();
        match first {
            Some(column) if column.label == "TimeUS" => {
                TimeSource::Micros { format: column.format, offset: column.offset }
            }
            Some(column) if column.label == "TimeMS" => {
                TimeSource::Millis { format: column.format, offset: column.offset }
            }
            _ if matches!(definition.name(), "GPS" | "GPS2") => match definition.column("T") {
                Some(column) => TimeSource::Millis { format: column.format, offset: column.offset },
                None => TimeSource::None,
            },
            _ => TimeSource::None,
        }
    }

    /// The time in a payload, in microseconds.
    pub(super) fn time_us(self, payload: &[u8]) -> Option<u64> {
        let (format, offset, factor) = match self {
            TimeSource::Micros { format, offset } => (format, offset, 1),
            TimeSource::Millis { format, offset } => (format, offset, 1000),
            TimeSource::None => return None,
        };
        let time = Value::of(format, payload.get(offset..)?)?.to_integer()?;
        u64::try_from(time * factor).ok()
    }
}

/// The times of records that have none: each the last time before, the first ones the first of all.
pub(super) fn carried_times(log: &[u8], offsets: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut records = Records::new(log).flatten().peekable();
    let time = |record: &Record<'_>| TimeSource::of(&record.definition()).time_us(record.payload());
    let mut last = None;
    let mut times = Vec::new();
    let mut untimed = 0;
    for offset in offsets {
        while let Some(record) = records.next_if(|record| record.offset() <= offset) {
            last = time(&record).or(last);
        }
        untimed += usize::from(last.is_none());
        times.push(last.unwrap_or(0));
    }
    if untimed > 0 {
        let first = Records::new(log).flatten().find_map(|record| time(&record));
        times[..untimed].fill(first.unwrap_or(0));
    }
    times
}
