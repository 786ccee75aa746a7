//! Dates as `mavlogdump.py` prints them, in local time.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::io::Write;

/// Prints dates. Most records are of the same second as the one before, so a second is printed once.
#[derive(Debug)]
pub(super) struct Calendar {
    zone: TimeZone,
    second: Option<i64>,
    printed: Vec<u8>,
}

impl Calendar {
    pub(super) fn local() -> Self {
        Calendar { zone: TimeZone::system(), second: None, printed: Vec::new() }
    }

    /// Appends `2025-09-02 12:58:54.15`, given seconds since 1970.
    #[inline]
    pub(super) fn print(&mut self, out: &mut Vec<u8>, time: f64) {
        let second = time.floor() as i64;
        if self.second != Some(second) {
            self.look_up(second);
        }
        out.extend_from_slice(&self.printed);
        // As in Python: the sum is cut off before it is divided.
        let hundredths = ((time * 100.0) as i64).rem_euclid(100) as u8;
        out.extend_from_slice(&[b'.', b'0' + hundredths / 10, b'0' + hundredths % 10]);
    }

    #[cold]
    fn look_up(&mut self, second: i64) {
        self.second = Some(second);
        self.printed.clear();
        // Python ends with an error at a date after the year 9999.
        let local = match Timestamp::from_second(second) {
            Ok(timestamp) => self.zone.to_datetime(timestamp),
            Err(_) if second < 0 => DateTime::MIN,
            Err(_) => DateTime::MAX,
        };
        let (date, time) = (local.date(), local.time());
        // Memory takes all.
        let _ = write!(
            self.printed,
            "{}-{:02}-{:02} {:02}:{:02}:{:02}",
            date.year(),
            date.month(),
            date.day(),
            time.hour(),
            time.minute(),
            time.second()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_beyond_the_calendar_are_its_last_and_first() {
        let mut calendar = Calendar { zone: TimeZone::UTC, second: None, printed: Vec::new() };
        for (time, day) in [
            (253_402_207_200.5, "9999-12-30"),
            (253_402_300_800.25, "9999-12-31"),
            (1e18, "9999-12-31"),
            (f64::INFINITY, "9999-12-31"),
            (f64::NAN, "1970-01-01"),
            (-1e18, "-9999-01-01"),
            (f64::NEG_INFINITY, "-9999-01-01"),
        ] {
            let mut out = Vec::new();
            calendar.print(&mut out, time);
            let text = String::from_utf8(out).expect("UTF-8");
            assert_eq!(text.split(' ').next(), Some(day), "{time}: {text}");
        }
    }
}
