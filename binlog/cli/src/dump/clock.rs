//! The clock by which pymavlink dates records: one of the four of its `DFReader.py`.
//!
//! Which one it is depends on what the log has first, up to a GPS record that says the date:
//!
//! - [`Clock::Micros`]: GPS has TimeUS and a week (`DFReaderClock_usec`), or nothing says the date, and some record has
//!   TimeUS;
//! - [`Clock::Millis`]: GPS has a week, and T, the time since boot (`DFReaderClock_msec`), or nothing says the date,
//!   and some record has TimeMS;
//! - [`Clock::Px4`]: GPS has GPSTime, and TIME says the time since boot of all records after it (`DFReaderClock_px4`);
//! - [`Clock::Counted`]: GPS has a week and nothing else, or nothing has a time (`DFReaderClock_gps_interpolated`).
//!
//! The sums are pymavlink's, in its order: another order gives other last bits, and now and then another hundredth of a
//! second.

use super::plan::{Plan, Time};
use binlog::{LoggedDefinition, Record, Records};
use std::collections::HashMap;

/// Dates the records of a log, one after the other.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Clock {
    Micros(Base),
    Millis(Base),
    Px4 {
        base: f64,
        /// The time since boot of the last TIME.
        start: f64,
    },
    Counted(Counted),
}

/// The zero of the times in records.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Base {
    /// The time of boot in seconds since 1970, or 0 if the log doesn't say it.
    base: f64,
    /// The time of the last record in seconds, which one without a time has, too.
    last: f64,
}

/// Times by the number of records since the last GPS record that said the date, and by the rate of their type.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Counted {
    base: f64,
    since: HashMap<String, u64>,
    rates: HashMap<String, f64>,
}

/// 6 January 1980, the first day of GPS time, in seconds since 1970.
const GPS_EPOCH: i128 = 315_964_800;

/// The records a second of a type whose rate isn't known.
const USUAL_RATE: f64 = 50.0;

/// The time of a record that pymavlink fails to date.
const FAILED: f64 = 0.0;

fn is_gps(name: &str) -> bool {
    LoggedDefinition::RECEIVERS.contains(&name)
}

fn number(record: &Record<'_>, label: &str) -> Option<f64> {
    record.value(label)?.to_f64()
}

/// A number that isn't 0.
fn nonzero(record: &Record<'_>, label: &str) -> Option<f64> {
    number(record, label).filter(|number| *number != 0.0)
}

/// What a log's records say of its clock.
enum Found {
    Clock(Clock),
    /// Times have to be counted. The record at this offset, or the end of the log, decided it.
    Counted(usize),
}

impl Clock {
    /// The clock of a log.
    pub(super) fn of(log: &[u8]) -> Self {
        // pymavlink's fast search: the last GPS record of today's firmware up to the first with a week.
        let mut modern = None;
        let mut searched = log.len();
        for record in Records::new(log).flatten().filter(|record| record.name() == "GPS") {
            let found = ["TimeUS", "GWk", "GMS"].map(|label| number(&record, label));
            if let [Some(time_us), Some(week), Some(ms)] = found {
                modern = Some((time_us, week, ms));
            }
            if !matches!(found, [Some(_), Some(..=0.0), Some(_)]) {
                searched = record.offset();
                break;
            }
        }
        match find(log, modern) {
            Found::Clock(clock) => clock,
            Found::Counted(decided) => Clock::Counted(Counted::of(log, searched, decided)),
        }
    }

    /// The time of a record in seconds since 1970, or since boot if the log doesn't say when that was.
    #[inline]
    pub(super) fn date(&mut self, plan: &Plan, payload: &[u8]) -> f64 {
        let (date, last) = match self {
            Clock::Micros(Base { base, last }) => match plan.time {
                Time::Micros(cell) => (cell.number(payload).map(|time| *base + time * 0.000001), last),
                Time::Millis(cell) => {
                    let time = cell.number(payload).map(|time| *base + time * 0.001);
                    // The TimeMS of these is not of this clock.
                    let is_foreign = plan.name.starts_with("ACC") || plan.name.starts_with("GYR");
                    (time.map(|time| if is_foreign || time < *last { *last } else { time }), last)
                }
                Time::None => (Some(*last), last),
                Time::NoColumns => return FAILED,
            },
            Clock::Millis(Base { base, last }) => match plan.time {
                Time::Millis(cell) => (cell.number(payload).map(|time| *base + time * 0.001), last),
                Time::NoColumns => return FAILED,
                _ if is_gps(&plan.name) => (plan.number("T", payload).map(|time| *base + time * 0.001), last),
                _ => (Some(*last), last),
            },
            Clock::Px4 { base, start } => {
                if plan.name == "TIME" && plan.has("StartTime") {
                    let Some(time) = plan.number("StartTime", payload) else { return FAILED };
                    *start = time * 0.000001;
                }
                return if plan.time == Time::NoColumns { FAILED } else { *base + *start };
            }
            Clock::Counted(counted) => {
                let is_dated = counted.arrived(&plan.name, |label| plan.number(label, payload));
                return if is_dated && plan.time != Time::NoColumns { counted.date(&plan.name) } else { FAILED };
            }
        };
        let Some(date) = date else { return FAILED };
        *last = date;
        date
    }
}

/// The clock by the first records that say enough. `modern` is the time, the week and the time of the week of a GPS
/// record of today's firmware.
fn find(log: &[u8], modern: Option<(f64, f64, f64)>) -> Found {
    let (mut first_us, mut first_ms) = (None, None);
    let (mut start, mut gps_time_us, mut week_and_ms) = (None, None, None);
    for record in Records::new(log).flatten() {
        let name = record.name();
        let is_gps = is_gps(name);
        if first_us.is_none() {
            first_us = number(&record, "TimeUS");
            if let (Some(first_us), Some((time_us, week, ms))) = (first_us, modern) {
                if week <= 0.0 {
                    break;
                }
                return Found::Clock(Clock::Micros(Base::of(week, ms, time_us * 0.000001, first_us * 0.000001)));
            }
        }
        if is_gps {
            let number = |label: &str| number(&record, label);
            let nonzero = |label: &str| nonzero(&record, label);
            if let (Some(time_us), Some(week), Some(ms)) = (nonzero("TimeUS"), nonzero("GWk"), number("GMS")) {
                let first_us = first_us.unwrap_or(time_us);
                return Found::Clock(Clock::Micros(Base::of(week, ms, time_us * 0.000001, first_us * 0.000001)));
            }
            if let (Some(week), Some(ms)) = (nonzero("Week"), number("TimeMS")) {
                if let Some(since_boot) = nonzero("T") {
                    let first_ms = first_ms.unwrap_or(since_boot);
                    return Found::Clock(Clock::Millis(Base::of(week, ms, since_boot * 0.001, first_ms * 0.001)));
                }
                if week_and_ms.replace((week, ms)).is_some_and(|before| before != (week, ms)) {
                    return Found::Counted(record.offset());
                }
            }
            gps_time_us = nonzero("GPSTime").or(gps_time_us);
        } else {
            first_ms = first_ms.or_else(|| number(&record, "TimeMS"));
            if name == "TIME" {
                start = number(&record, "StartTime").or(start);
            }
        }
        if let (Some(start), Some(gps_time_us)) = (start, gps_time_us) {
            let start = start * 0.000001;
            return Found::Clock(Clock::Px4 { base: gps_time_us * 0.000001 - start, start });
        }
    }
    const UNKNOWN: Base = Base { base: 0.0, last: 0.0 };
    match (first_us, first_ms) {
        (Some(_), _) => Found::Clock(Clock::Micros(UNKNOWN)),
        (None, Some(_)) => Found::Clock(Clock::Millis(UNKNOWN)),
        (None, None) => Found::Counted(log.len()),
    }
}

impl Base {
    /// By a GPS record, its time since boot in seconds, and that of the first record.
    fn of(week: f64, ms: f64, since_boot: f64, first: f64) -> Self {
        let base = gps_time(week, ms) - since_boot;
        Base { base, last: base + first }
    }
}

impl Counted {
    /// The clock after pymavlink's two searches for a better one: of GPS and PARM up to the record at `searched`, and
    /// of all records up to the one at `decided`. The searches begin with no records counted, but keep date and rates.
    fn of(log: &[u8], searched: usize, decided: usize) -> Self {
        let mut counted = Counted::default();
        for (types, end) in [(&["GPS", "PARM"][..], searched), (&[], decided)] {
            let records = Records::new(log).flatten().take_while(|record| record.offset() <= end);
            for record in records.filter(|record| types.is_empty() || types.contains(&record.name())) {
                counted.arrived(record.name(), |label| number(&record, label));
            }
            counted.since.clear();
        }
        counted
    }

    /// Counts a record. Returns false if pymavlink fails at it.
    fn arrived(&mut self, name: &str, number: impl Fn(&str) -> Option<f64>) -> bool {
        match self.since.get_mut(name) {
            Some(count) => *count += 1,
            None => _ = self.since.insert(name.to_owned(), 1),
        }
        if !is_gps(name) {
            return true;
        }
        let of = |week: &str, ms: &str| number(week).map(|week| (week, number(ms)));
        let (week, ms) = match of("Week", "TimeMS").or_else(|| of("GWk", "GMS")) {
            Some(date) => date,
            None if number("GPSTime").is_some() => return true,
            None => match of("Wk", "TWk") {
                Some(date) => date,
                None => return false,
            },
        };
        let Some(ms) = ms else { return false };
        let date = gps_time(week, ms);
        let passed = date - self.base;
        if passed > 0.0 {
            for (name, count) in self.since.drain() {
                let rate = count as f64 / passed;
                let known = self.rates.entry(name).or_insert(0.0);
                *known = known.max(rate);
            }
            self.rates.insert("IMU".into(), USUAL_RATE);
            self.base = date;
        }
        true
    }

    fn date(&self, name: &str) -> f64 {
        let rate = self.rates.get(name).copied().filter(|rate| rate.trunc() != 0.0).unwrap_or(USUAL_RATE);
        self.base + self.since.get(name).copied().unwrap_or(0) as f64 / rate
    }
}

/// Seconds since 1970, by the leap seconds in force since 2017.
fn gps_time(week: f64, ms: f64) -> f64 {
    GPS_EPOCH as f64 + 86_400.0 * 7.0 * week + ms * 0.001 - 18.0
}
