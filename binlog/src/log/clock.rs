//! The times of records: since boot, and by the calendar.

use crate::Log;
use crate::records::{Record, Records};
use std::cmp::Reverse;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Converts times since boot to the calendar, by a GPS record with a week, of old firmware also GPS2: the first with a
/// 3D fix (Status 3 or more), or else the first with a 2D fix, or else the first. Without a fix, a receiver may be
/// years off. In logs of PX4, GPSTime is the date.
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

    /// By the record that [`Clock`] describes: `315964800 + 604800 · week + milliseconds / 1000 − 18` seconds since
    /// 1970. It always subtracts the 18 leap seconds in force since 2017, as pymavlink does.
    pub(super) fn of(log: &Log<'_>) -> Option<Self> {
        let mut best: Option<(Rank, Clock)> = None;
        for name in RECEIVERS {
            let rows = log.all(name);
            // Those of PX4 have the time of the TIME before them.
            let is_of_px4 = rows.definitions().any(|definition| definition.column("GPSTime").is_some());
            let carried = if is_of_px4 { rows.times_us() } else { Vec::new() };
            for (i, record) in rows.records().enumerate() {
                let Some(date) = GpsDate::of(&record) else { continue };
                let time_us = record.time_us().or_else(|| carried.get(i).copied());
                let Some(clock) = time_us.and_then(|time_us| date.clock(time_us)) else { continue };
                let rank = Rank { boot: log.boot_at(record.offset()), fix: Reverse(date.fix), offset: record.offset() };
                let (known, _) = *best.get_or_insert((rank, clock));
                if rank < known {
                    best = Some((rank, clock));
                }
                // Nothing that follows is better.
                let is_decided = known.boot < rank.boot || known.fix.0 == Fix::ThreeD;
                if is_decided && known.offset <= rank.offset {
                    break;
                }
            }
        }
        best.map(|(_, clock)| clock)
    }
}

/// The types of receivers. Old firmware logs the second one as GPS2.
const RECEIVERS: [&str; 2] = ["GPS", "GPS2"];

/// How good the date of a GPS record is; the least is the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    boot: usize,
    fix: Reverse<Fix>,
    offset: usize,
}

/// Whether a receiver knew where it was, and with that the date. Without a fix it may count from the start of its own
/// calendar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fix {
    None,
    TwoD,
    ThreeD,
}

/// The date in a GPS record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GpsDate {
    pub(crate) fix: Fix,
    /// In microseconds since 1970.
    pub(crate) unix_us: i128,
}

impl GpsDate {
    /// `None` if the record has no date: no week, or in logs of PX4 no GPSTime.
    pub(crate) fn of(record: &Record<'_>) -> Option<Self> {
        let integer = |label| record.value(label).and_then(|value| value.to_integer());
        // Old firmware names the time of the week TimeMS.
        let week = || integer("GWk").or_else(|| integer("Week")).filter(|&week| week > 0);
        let week_ms = || integer("GMS").or_else(|| integer("TimeMS"));
        let by_week = || Some((315_964_800 - 18 + 604_800 * week()?) * 1_000_000 + week_ms()? * 1000);
        // PX4 logs UTC.
        let unix_us = by_week().or_else(|| integer("GPSTime").filter(|&time_us| time_us > 0))?;
        let fix = match integer("Status").or_else(|| integer("Fix")) {
            Some(3..) => Fix::ThreeD,
            Some(2) => Fix::TwoD,
            _ => Fix::None,
        };
        Some(GpsDate { fix, unix_us })
    }

    /// The clock by which the record has this time since boot.
    pub(crate) fn clock(&self, time_us: u64) -> Option<Clock> {
        Some(Clock { boot_unix_us: i64::try_from(self.unix_us - i128::from(time_us)).ok()? })
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
