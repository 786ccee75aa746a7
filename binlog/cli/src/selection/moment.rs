//! A moment as somebody types it: `12.5`, `1m30s`, `+10s`, `-10s`, `12:34:56`, `2024-05-01T12:34:56Z`.

use jiff::Timestamp;
use jiff::civil::{DateTime, Time};
use jiff::tz::Offset;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A moment of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// Microseconds after the log's first time.
    AfterStart(u64),
    /// `+10s`: microseconds after the moment of `--from`, which is the log's first time without one.
    AfterFrom(u64),
    /// `-10s`: microseconds before the log's last time.
    BeforeEnd(u64),
    /// A clock time of the day on which the log begins; of the next day if that is before the log's first time and the
    /// log lasts until then.
    TimeOfDay {
        /// Microseconds since midnight of the clock.
        since_midnight_us: u64,
        /// By how many microseconds the clock is ahead of UTC, which decides on the day, too.
        ahead_us: i64,
    },
    /// Microseconds since 1970.
    Date(i64),
}

const DAY_US: i64 = 86_400_000_000;

impl Moment {
    /// Whether the log must say the clock time.
    pub fn needs_clock(&self) -> bool {
        matches!(self, Moment::TimeOfDay { .. } | Moment::Date(_))
    }

    /// The moment in microseconds of a session's clock: `range` are its first and last time, `clock` is when time 0
    /// was, in microseconds since 1970, and `from` is the time that `+10s` counts from. `None` if it needs a clock that
    /// the session doesn't have. A moment before time 0 is 0.
    pub(super) fn in_log(self, range: &RangeInclusive<u64>, clock: Option<i64>, from: u64) -> Option<u64> {
        let of_date = |unix_us: i64| Some(u64::try_from(unix_us.saturating_sub(clock?)).unwrap_or(0));
        match self {
            Moment::AfterStart(after) => Some(range.start().saturating_add(after)),
            Moment::AfterFrom(after) => Some(from.saturating_add(after)),
            Moment::BeforeEnd(before) => Some(range.end().saturating_sub(before)),
            Moment::TimeOfDay { since_midnight_us, ahead_us } => {
                let on_clock = |time: &u64| Some(clock?.saturating_add_unsigned(*time).saturating_add(ahead_us));
                let (start, end) = (on_clock(range.start())?, on_clock(range.end())?);
                let today = start.saturating_sub(start.rem_euclid(DAY_US)).saturating_add_unsigned(since_midnight_us);
                // A flight over midnight continues tomorrow.
                let tomorrow = today.saturating_add(DAY_US);
                let meant = if today < start && tomorrow <= end { tomorrow } else { today };
                of_date(meant.saturating_sub(ahead_us))
            }
            Moment::Date(unix_us) => of_date(unix_us),
        }
    }
}

/// As it can be typed.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |us: u64| us as f64 / 1e6;
        match *self {
            Moment::AfterStart(us) => write!(f, "{}", seconds(us)),
            Moment::AfterFrom(us) => write!(f, "+{}", seconds(us)),
            Moment::BeforeEnd(us) => write!(f, "-{}", seconds(us)),
            Moment::TimeOfDay { since_midnight_us, ahead_us } => {
                let (minutes, us) = (since_midnight_us / 60_000_000, since_midnight_us % 60_000_000);
                write!(f, "{:02}:{:02}:{:02}", minutes / 60, minutes % 60, us / 1_000_000)?;
                if us % 1_000_000 > 0 {
                    write!(f, ".{:06}", us % 1_000_000)?;
                }
                let (sign, minutes) = (if ahead_us < 0 { '-' } else { '+' }, ahead_us.unsigned_abs() / 60_000_000);
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
            Moment::Date(unix_us) => match Timestamp::from_microsecond(unix_us) {
                Ok(timestamp) => write!(f, "{timestamp}"),
                Err(_) => write!(f, "{unix_us} us since 1970"),
            },
        }
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains(':') {
            if has_leap_second(text) {
                return Err(format!(
                    "`{text}` is a leap second, which logs don't count; write the second before or after it"
                ));
            }
            return clock_time(text).ok_or_else(|| {
                format!(
                    "`{text}` is not a clock time; write 12:34:56 or 2024-05-01T12:34:56, both UTC, or with an offset: \
                     12:34:56+02:00"
                )
            });
        }
        let (moment, length): (fn(u64) -> Moment, &str) = match text.split_at_checked(1) {
            Some(("+", length)) => (Moment::AfterFrom, length),
            Some(("-", length)) => (Moment::BeforeEnd, length),
            _ => (Moment::AfterStart, text),
        };
        let length = microseconds(length).ok_or_else(|| {
            format!("`{text}` is not a time; write seconds (12.5), 1m30s, +10s, -10s or a clock time (12:34:56)")
        })?;
        Ok(moment(length))
    }
}

fn clock_time(text: &str) -> Option<Moment> {
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(Moment::Date(timestamp.as_microsecond()));
    }
    // Jiff ignores what is around the time that it asks for: a date before it, an offset or the name of a zone after
    // it.
    let (clock, offset) = text.split_at(text.find(['Z', 'z', '+', '-']).unwrap_or(text.len()));
    if clock.contains(':') && clock.bytes().all(|byte| byte.is_ascii_digit() || b":.,".contains(&byte)) {
        let time: Time = clock.parse().ok()?;
        let seconds = i64::from(time.hour()) * 3600 + i64::from(time.minute()) * 60 + i64::from(time.second());
        let since_midnight = seconds * 1_000_000 + i64::from(time.subsec_nanosecond()) / 1000;
        let ahead_us = ahead_us(offset)?;
        return Some(Moment::TimeOfDay { since_midnight_us: since_midnight.unsigned_abs(), ahead_us });
    }
    // A date and a time without an offset are in UTC.
    let date: DateTime = Some(text).filter(|text| !text.contains('['))?.parse().ok()?;
    Some(Moment::Date(Offset::UTC.to_timestamp(date).ok()?.as_microsecond()))
}

/// By how many microseconds a clock is ahead of UTC: `+02:00`, `+0200`, `-05`, `Z`, or nothing for UTC.
fn ahead_us(offset: &str) -> Option<i64> {
    if matches!(offset, "" | "Z" | "z") {
        return Some(0);
    }
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let digits = offset.strip_prefix(['+', '-'])?;
    let (hours, minutes) = match (digits.split_once(':'), digits.len()) {
        (Some(parts), 5) => parts,
        (None, 4) => digits.split_at_checked(2)?,
        (None, 2) => (digits, "00"),
        _ => return None,
    };
    let number = |text: &str, most: i64| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i64>().ok().filter(|number| is_number && *number <= most)
    };
    Some(sign * (number(hours, 23)? * 60 + number(minutes, 59)?) * 60_000_000)
}

/// Whether the seconds of a clock time are 60, which Jiff takes as 59.
fn has_leap_second(text: &str) -> bool {
    let time = text.split_once(['T', 't', ' ']).map_or(text, |(_, time)| time);
    let time = time.split(['.', ',', 'Z', 'z', '+', '-', '[']).next().unwrap_or_default();
    let digits: String = time.chars().filter(|character| *character != ':').collect();
    digits.get(4..) == Some("60")
}

/// A length of time: seconds, or numbers with units, the longer one first: `1h2m3.5s`, `500ms`.
fn microseconds(text: &str) -> Option<u64> {
    const UNITS: [(&str, f64); 5] = [("h", 3600e6), ("min", 60e6), ("ms", 1e3), ("m", 60e6), ("s", 1e6)];
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_number(text) {
        return scaled_us(text, 1e6);
    }
    let mut rest = text;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let end = rest.find(|character: char| !character.is_ascii_digit() && character != '.')?;
        let (number, unit) = rest.split_at(end);
        let (name, factor) = UNITS.into_iter().find(|(name, _)| unit.starts_with(name))?;
        total = total.checked_add(scaled_us(number, factor)?)?;
        rest = &unit[name.len()..];
    }
    (!text.is_empty()).then_some(total)
}

fn scaled_us(number: &str, factor: f64) -> Option<u64> {
    let number: f64 = number.parse().ok()?;
    // Beyond the range, a cast saturates, and everything is after it.
    Some((number * factor).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time_of_day(since_midnight_us: u64, ahead_us: i64) -> Moment {
        Moment::TimeOfDay { since_midnight_us, ahead_us }
    }

    #[test]
    fn moments_are_typed_in_several_ways() {
        for (text, moment) in [
            ("12.5", Moment::AfterStart(12_500_000)),
            ("0", Moment::AfterStart(0)),
            ("90s", Moment::AfterStart(90_000_000)),
            ("1m30s", Moment::AfterStart(90_000_000)),
            ("1h2min3.5s", Moment::AfterStart(3_723_500_000)),
            ("+500ms", Moment::AfterFrom(500_000)),
            ("+10", Moment::AfterFrom(10_000_000)),
            ("-10s", Moment::BeforeEnd(10_000_000)),
            ("12:34:56", time_of_day(45_296_000_000, 0)),
            ("00:00", time_of_day(0, 0)),
            ("12:34:56Z", time_of_day(45_296_000_000, 0)),
            ("12:34:56.5+02:00", time_of_day(45_296_500_000, 2 * 3600 * 1_000_000)),
            ("12:34+0200", time_of_day(45_240_000_000, 2 * 3600 * 1_000_000)),
            ("12:34:56-05:30", time_of_day(45_296_000_000, -(5 * 3600 + 1800) * 1_000_000)),
            ("12:34:56-05", time_of_day(45_296_000_000, -5 * 3600 * 1_000_000)),
            ("1970-01-01T00:00:01Z", Moment::Date(1_000_000)),
            ("1970-01-01 00:00:01", Moment::Date(1_000_000)),
            ("1970-01-01T01:00:01+01:00", Moment::Date(1_000_000)),
            ("19700101T00:00:01", Moment::Date(1_000_000)),
        ] {
            assert_eq!(text.parse(), Ok(moment), "{text}");
            assert_eq!(moment.to_string().parse(), Ok(moment), "{moment}");
        }
        for text in [
            "",
            "+",
            "-",
            "x",
            "12x",
            "s",
            "1.2.3",
            "25:00:00",
            "NaN",
            "inf",
            "1e5",
            "12:",
            "--10",
            "12:34:56ZZ",
            // Offsets and zones that would be ignored.
            "12:00:00+2:00",
            "12:00:00+24:00",
            "12:00:00-05:60",
            "12:00:00+",
            "12:00:00+02:00Z",
            "12:00:00+02:00:00",
            "12:00:00[Europe/Berlin]",
            "2024-05-01T12:00:00[Europe/Berlin]",
            "2024-05-01T12:00:00+99:00",
            // Seconds that no log counts.
            "11:59:60",
            "11:59:60Z",
            "11:59:60.5+02:00",
            "2024-05-01T11:59:60",
            "2024-05-01 11:59:60Z",
            "2024-05-01T115960+02:00",
        ] {
            let error = text.parse::<Moment>().expect_err(text);
            assert!(error.contains("write"), "{error}");
        }
    }

    #[test]
    fn moments_are_in_the_clock_of_the_log() {
        let range = 5_000_000..=65_000_000;
        let (just_before_midnight, from) = (Some(DAY_US - 10_000_000), 7_000_000);
        for (text, time) in [
            ("2", 7_000_000),
            ("+3", 10_000_000),
            ("-60", 5_000_000),
            ("-3m", 0),
            ("23:59:58", 8_000_000),
            // Time 0 of the clock is ten seconds before midnight.
            ("00:00:20", 30_000_000),
            ("1970-01-02T00:00:00Z", 10_000_000),
            // On a clock ahead of UTC, the log begins and ends on the second day: the time is of that day.
            ("01:59:58+02:00", 8_000_000),
            ("02:00:20+02:00", 30_000_000),
            ("23:00:00+02:00", 75_610_000_000),
            ("18:59:58-05:00", 8_000_000),
            ("1969-01-02T00:00:00Z", 0),
        ] {
            let moment: Moment = text.parse().expect(text);
            assert_eq!(moment.in_log(&range, just_before_midnight, from), Some(time), "{text}");
        }
        let moment: Moment = "12:00:00".parse().expect("a clock time");
        assert_eq!(moment.in_log(&range, None, from), None);
    }
}
