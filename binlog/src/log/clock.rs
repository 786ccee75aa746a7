//! The times of records: since boot, and by the calendar.

use super::Rows;
use crate::Log;
use crate::records::Records;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Converts times since boot to the calendar, by the log's first GPS record with a week, of old firmware also GPS2.
///
/// It is valid in the boot of that record. In a log of several [boots](Log::boots), that is the first boot with such a
/// record.
///
/// GPS time is 18 seconds ahead of UTC since 2017. Like pymavlink, this type uses 18 seconds for every log. The result
/// is 1 second early for logs from July 2015 to 2016, 2 seconds for logs from July 2012 on, and 3 seconds for older
/// ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    boot_unix_us: i64,
}

impl Clock {
    /// The time of boot, in microseconds since 1970.
    pub fn boot_unix_us(&self) -> i64 {
        self.boot_unix_us
    }

    /// Converts a time since boot to a time since 1970, both in microseconds.
    pub fn unix_us(&self, time_us: u64) -> i64 {
        self.boot_unix_us.saturating_add_unsigned(time_us)
    }

    /// As [`unix_us`](Self::unix_us), as a `SystemTime`; `None` if that can't represent it.
    pub fn system_time(&self, time_us: u64) -> Option<SystemTime> {
        let unix_us = self.unix_us(time_us);
        let from_1970 = Duration::from_micros(unix_us.unsigned_abs());
        if unix_us < 0 { UNIX_EPOCH.checked_sub(from_1970) } else { UNIX_EPOCH.checked_add(from_1970) }
    }

    /// The first record of a GPS that has both times: `315964800 + 604800 · week + milliseconds / 1000 − 18` seconds since
    /// 1970. It always subtracts the 18 leap seconds in force since 2017, as pymavlink does. Old firmware logs the second
    /// receiver as GPS2.
    pub(super) fn of(log: &Log<'_>) -> Option<Self> {
        let found = ["GPS", "GPS2"].into_iter().filter_map(|name| Self::of_receiver(&log.all(name)));
        found.min_by_key(|(offset, _)| *offset).map(|(_, clock)| clock)
    }

    /// The clock of a type, and the offset of the record that gives it.
    fn of_receiver(gps: &Rows<'_>) -> Option<(usize, Self)> {
        gps.records().find_map(|record| {
            let integer = |label| record.value(label).and_then(|value| value.to_integer());
            // Old firmware names the time of the week TimeMS.
            let week = integer("GWk").or_else(|| integer("Week")).filter(|&week| week > 0)?;
            let week_ms = integer("GMS").or_else(|| integer("TimeMS"))?;
            let time_us = record.time_us()?;
            let unix_us = (315_964_800 - 18 + 604_800 * week) * 1_000_000 + week_ms * 1000;
            Some((record.offset(), Clock { boot_unix_us: i64::try_from(unix_us - i128::from(time_us)).ok()? }))
        })
    }
}

/// The times of records without a time: the last time before each, or the first time in the log.
pub(super) fn carried_times(log: &[u8], offsets: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut records = Records::new(log).flatten().peekable();
    let mut last = None;
    let mut times = Vec::new();
    let mut untimed = 0;
    for offset in offsets {
        while let Some(record) = records.next_if(|record| record.offset() <= offset) {
            last = record.time_us().or(last);
        }
        if last.is_none() {
            untimed += 1;
        }
        times.push(last.unwrap_or(0));
    }
    if untimed > 0 {
        let first = Records::new(log).flatten().find_map(|record| record.time_us());
        times[..untimed].fill(first.unwrap_or(0));
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_and_after_1970_are_system_times() {
        let clock = Clock { boot_unix_us: -1_000_000 };
        for (time_us, after) in [(0, -1_i64), (1_000_000, 0), (3_000_000, 2)] {
            let expected = match after {
                -1 => UNIX_EPOCH.checked_sub(Duration::from_secs(1)),
                after => UNIX_EPOCH.checked_add(Duration::from_secs(after.unsigned_abs())),
            };
            assert_eq!(clock.system_time(time_us), expected, "{time_us}");
            assert_eq!(clock.unix_us(time_us), after * 1_000_000);
        }
    }
}
