//! The times of records: since boot, and by the calendar.

use crate::read::records::time::TimeSource;
use crate::read::{Log, LoggedDefinition, Record, Records};
use std::ops::Range;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Converts times since boot to the calendar, by a GPS record with a week, of old firmware also GPS2: the first with a
/// 3D fix (Status 3 or more), or else the first with a 2D fix, or else the first of another clock (Status 0), or else
/// the first. Without a fix, a receiver may be years off. A date before 13 January 1980 or after 2099 is ignored. In
/// logs of PX4, GPSTime is the date.
///
/// A GPS record without a time since boot, as old firmware has it, has that of the last record before it; in a log
/// without any times, 0.
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

    /// By the record that [`Clock`] describes.
    pub(super) fn of(log: &Log<'_>) -> Option<Self> {
        let [mut first, mut second] = LoggedDefinition::RECEIVERS.map(|name| {
            let rows = log.all(name);
            let lacks_times = rows.definitions().any(|definition| TimeSource::of(&definition) == TimeSource::None);
            let carried = if lacks_times { rows.times_us() } else { Vec::new() };
            let timed = rows.records().enumerate().filter_map(move |(i, record)| {
                let time_us = record.time_us().or_else(|| carried.get(i).copied())?;
                Some((record, time_us))
            });
            timed.peekable()
        });
        let mut search = ClockSearch::default();
        let mut boot = 0;
        while !search.is_decided() {
            let is_second = match (first.peek(), second.peek()) {
                (Some((first, _)), Some((second, _))) => second.offset() < first.offset(),
                (first, _) => first.is_none(),
            };
            let Some((record, time_us)) = (if is_second { second.next() } else { first.next() }) else { break };
            let of_boot = log.boot_at(record.offset());
            if search.clock().is_some() && of_boot != boot {
                break;
            }
            boot = of_boot;
            search.add(&record, time_us);
        }
        search.clock()
    }
}

/// Finds the [`Clock`] of one boot among records that arrive one by one.
///
/// ```
/// # use binlog::{Log, LogSchema, LogWriter, messages::Gps};
/// # use std::time::Duration;
/// # #[derive(LogSchema)]
/// # enum FlightLog { Gps(Gps) }
/// # let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
/// # writer.write(&Gps::date(1_000_000, Duration::from_secs(1_700_000_000)))?;
/// # let bytes = writer.finish()?;
/// use binlog::{Records, log::ClockSearch};
///
/// let mut search = ClockSearch::default();
/// let mut last_us = 0;
/// for record in Records::new(&bytes).flatten() {
///     last_us = record.time_us().unwrap_or(last_us);
///     search.add(&record, last_us);
/// }
/// assert!(search.clock().is_some());
/// assert_eq!(search.clock(), Log::from_bytes(bytes).clock());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockSearch {
    best: Option<(Fix, Clock)>,
}

impl ClockSearch {
    /// Adds the next record, with its time since boot, or that of the last record before it, in microseconds. Returns
    /// whether the clock is by this record from here on. Records of other types than GPS and GPS2 change nothing.
    pub fn add(&mut self, record: &Record<'_>, time_us: u64) -> bool {
        if self.is_decided() || !LoggedDefinition::RECEIVERS.contains(&record.name()) {
            return false;
        }
        let Some(date) = GpsDate::of(record).filter(GpsDate::is_plausible) else { return false };
        let Some(clock) = date.clock(time_us) else { return false };
        let is_better = self.best.is_none_or(|(fix, _)| fix < date.fix);
        if is_better {
            self.best = Some((date.fix, clock));
        }
        is_better
    }

    /// Whether no later record of the boot changes the clock.
    pub fn is_decided(&self) -> bool {
        self.fix() == Some(Fix::ThreeD)
    }

    /// The clock by the records so far.
    pub fn clock(&self) -> Option<Clock> {
        self.best.map(|(_, clock)| clock)
    }

    /// The fix of the record that the clock is by.
    pub(crate) fn fix(&self) -> Option<Fix> {
        self.best.map(|(fix, _)| fix)
    }
}

/// Whether a receiver knew where it was, and with that the date. Without a fix it may count from the start of its own
/// calendar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fix {
    None,
    /// There is no receiver (Status 0), so the date is from another clock, or the type has no column that says it.
    Unknown,
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

/// The begin of GPS time, 6 January 1980, in seconds since 1970, by the leap seconds in force since 2017.
const GPS_EPOCH: i128 = 315_964_800 - 18;

const WEEK: i128 = 604_800;

/// Dates that no receiver has, in seconds since 1970, are outside: week 0 is that of a receiver without a date, and
/// 2100 is beyond all flights.
const PLAUSIBLE: Range<i128> = GPS_EPOCH + WEEK..4_102_444_800;

/// 2010, when the first ArduPilot logs were written, in seconds since 1970.
const FLIGHTS: i128 = 1_262_304_000;

impl GpsDate {
    /// `None` if the record has no date: no week, or in logs of PX4 no GPSTime.
    ///
    /// The date is `315964800 + 604800 · week + milliseconds / 1000 − 18` seconds since 1970. It always subtracts the
    /// 18 leap seconds in force since 2017, as pymavlink does.
    pub(crate) fn of(record: &Record<'_>) -> Option<Self> {
        let integer = |label| record.value(label).and_then(|value| value.to_integer());
        // Old firmware names the time of the week TimeMS.
        let week = || integer("GWk").or_else(|| integer("Week")).filter(|&week| week > 0);
        let week_ms = || integer("GMS").or_else(|| integer("TimeMS"));
        let by_week = || Some((GPS_EPOCH + WEEK * week()?) * 1_000_000 + week_ms()? * 1000);
        // PX4 logs UTC.
        let unix_us = by_week().or_else(|| integer("GPSTime").filter(|&time_us| time_us > 0))?;
        let fix = match integer("Status") {
            Some(0) => Fix::Unknown,
            status => match status.or_else(|| integer("Fix")) {
                Some(3..) => Fix::ThreeD,
                Some(2) => Fix::TwoD,
                Some(_) => Fix::None,
                None => Fix::Unknown,
            },
        };
        Some(GpsDate { fix, unix_us })
    }

    /// Whether the date is before those of flights, so that it is from a receiver's own calendar.
    pub(crate) fn is_before_flights(&self) -> bool {
        self.unix_us < FLIGHTS * 1_000_000
    }

    /// Whether a receiver may have the date.
    pub(crate) fn is_plausible(&self) -> bool {
        PLAUSIBLE.contains(&self.unix_us.div_euclid(1_000_000))
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
