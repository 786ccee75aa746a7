//! The column beside TimeUS that people ask for: seconds, or the calendar.

use crate::any_log::Session;
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
    /// Whether the records have times at all.
    are_known: bool,
    start_us: u64,
    boot_unix_us: Option<i64>,
}

impl Times {
    /// The times of a session.
    pub fn of(column: TimeColumn, session: &Session<'_>) -> Self {
        let are_known = session.has_times();
        match column {
            TimeColumn::None => Times { column, are_known, start_us: 0, boot_unix_us: None },
            TimeColumn::Seconds => {
                let start_us = session.time_range_us().map_or(0, |range| *range.start());
                Times { column, are_known, start_us, boot_unix_us: None }
            }
            TimeColumn::Unix | TimeColumn::Utc => {
                Times { column, are_known, start_us: 0, boot_unix_us: session.clock_unix_us() }
            }
        }
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

    /// Appends TimeUS, then a comma and the time of the other column if there is one. Cells are empty if no record has
    /// a time.
    #[inline]
    pub fn cells(&self, out: &mut Vec<u8>, time_us: u64) {
        if self.are_known {
            number::integer(out, time_us);
        }
        if self.column == TimeColumn::None {
            return;
        }
        out.push(b',');
        if !self.are_known {
            return;
        }
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
        let column = TimeColumn::Seconds;
        let times = Times { column, are_known: true, start_us: 1_500_000, boot_unix_us: None };
        let mut out = Vec::new();
        times.cells(&mut out, 2_000_000);
        times.cells(&mut out, 1_500_000);
        assert_eq!(out, b"2000000,0.51500000,0.0");
        out.clear();
        Times { are_known: false, ..times }.cells(&mut out, 0);
        assert_eq!(out, b",");
    }
}
