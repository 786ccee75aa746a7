//! The column beside TimeUS that people ask for: seconds, or the calendar.

use crate::flight::Session;
use crate::number;
use jiff::Timestamp;
use std::fmt::Write as _;

/// What the column beside TimeUS shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum TimeColumn {
    /// No second time column.
    #[default]
    None,
    /// Seconds since the first time of the boot or session in the log.
    Seconds,
    /// Seconds since 1970; empty if the log has no GPS time.
    Unix,
    /// UTC, such as `2024-05-01T12:00:00.000000Z`; empty if the log has no GPS time.
    Utc,
}

/// Converts the times of a session.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    column: TimeColumn,
    start_us: u64,
    boot_unix_us: Option<i64>,
}

impl Times {
    /// The times of a session.
    pub fn of(column: TimeColumn, session: &Session<'_>) -> Self {
        match column {
            TimeColumn::None => Times::new(column, 0, None),
            TimeColumn::Seconds => Times::new(column, session.time_range_us().map_or(0, |range| *range.start()), None),
            TimeColumn::Unix | TimeColumn::Utc => Times::new(column, 0, session.clock_unix_us()),
        }
    }

    fn new(column: TimeColumn, start_us: u64, boot_unix_us: Option<i64>) -> Self {
        Times { column, start_us, boot_unix_us }
    }

    /// The label of the column.
    pub fn label(&self) -> Option<&'static str> {
        match self.column {
            TimeColumn::None => None,
            TimeColumn::Seconds => Some("Seconds"),
            TimeColumn::Unix => Some("UnixSeconds"),
            TimeColumn::Utc => Some("UTC"),
        }
    }

    /// Appends a comma and the time, or nothing without such a column.
    #[inline]
    pub fn cell(&self, out: &mut Vec<u8>, time_us: u64) {
        if self.column == TimeColumn::None {
            return;
        }
        out.push(b',');
        let unix_us = self.boot_unix_us.map(|boot| boot.saturating_add_unsigned(time_us));
        match (self.column, unix_us) {
            (TimeColumn::Seconds, _) => {
                let since = i128::from(time_us) - i128::from(self.start_us);
                number::decimal(out, since.clamp(i64::MIN.into(), i64::MAX.into()) as i64, 6);
            }
            (TimeColumn::Unix, Some(unix_us)) => number::decimal(out, unix_us, 6),
            (TimeColumn::Utc, Some(unix_us)) => out.extend_from_slice(utc(unix_us).unwrap_or_default().as_bytes()),
            _ => {}
        }
    }
}

/// Microseconds since 1970 as `2024-05-01T12:00:00.000000Z`; `None` outside of the years that a calendar has.
pub fn utc(unix_us: i64) -> Option<String> {
    let time = Timestamp::from_microsecond(unix_us).ok()?;
    let mut text = String::new();
    write!(text, "{time:.6}").ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar() {
        assert_eq!(utc(0).as_deref(), Some("1970-01-01T00:00:00.000000Z"));
        assert_eq!(utc(1_714_564_800_250_000).as_deref(), Some("2024-05-01T12:00:00.250000Z"));
        assert_eq!(utc(i64::MAX), None);
    }

    #[test]
    fn seconds_begin_at_the_first_time() {
        let times = Times::new(TimeColumn::Seconds, 1_500_000, None);
        let mut out = Vec::new();
        times.cell(&mut out, 2_000_000);
        times.cell(&mut out, 1_500_000);
        assert_eq!(out, b",0.5,0.0");
    }
}
