//! When a log was written, as its directory entry says.

use core::fmt;

/// A calendar clock, which dates the files.
pub trait Dates {
    /// The date and time now, in local time as FAT wants it. It is called after each transfer of a block of the file
    /// system, so read a register or a variable, not a chip on a bus.
    fn now(&mut self) -> Date;
}

impl<F: FnMut() -> Date> Dates for F {
    fn now(&mut self) -> Date {
        self()
    }
}

/// A date and a time of day, with FAT's resolution of two seconds. That of a file that another program wrote may be out
/// of the ranges below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Date {
    /// Date in the upper and time in the lower half, each as FAT stores it.
    bits: u32,
}

impl Date {
    /// 1 January 1980, 0:00, the first date that FAT has.
    pub const EARLIEST: Date = Date { bits: 0x0021_0000 };

    /// A date of the years 1980 to 2107. `month` and `day` count from 1. Values outside of their range are replaced by
    /// the nearest valid value: 31 February by the last day of that February.
    pub const fn new(year: u16, month: u8, day: u8, hour: u8, minute: u8, second: u8) -> Self {
        const fn within(value: u32, low: u32, high: u32) -> u32 {
            if value < low {
                low
            } else if value > high {
                high
            } else {
                value
            }
        }
        let (year, month) = (within(year as u32, 1980, 2107), within(month as u32, 1, 12));
        let days = match month {
            // 2100 is the only year of these that isn't a leap year by the rule of the centuries.
            2 => 28 + (year % 4 == 0 && year != 2100) as u32,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let date = (year - 1980) << 9 | month << 5 | within(day as u32, 1, days);
        let time =
            within(hour as u32, 0, 23) << 11 | within(minute as u32, 0, 59) << 5 | (within(second as u32, 0, 59) / 2);
        Date { bits: date << 16 | time }
    }

    /// Date in the upper half, time in the lower, each as FAT and exFAT store it.
    pub(crate) const fn bits(self) -> u32 {
        self.bits
    }

    pub(crate) const fn from_bits(bits: u32) -> Self {
        Date { bits }
    }

    /// Seconds since 1970 in the same time zone; 0 for [`EARLIEST`](Date::EARLIEST), which says that there was no
    /// clock, and for what isn't a date. The latest are those of 2106.
    #[cfg(feature = "mavlink")]
    pub(crate) fn seconds(self) -> u32 {
        let (month, day) = (u32::from(self.month()), u32::from(self.day()));
        if self == Date::EARLIEST || month == 0 || day == 0 {
            return 0;
        }
        // Years begin in March, so that the day of a leap year is their last.
        let year = u32::from(self.year()) - u32::from(month <= 2);
        let days = year * 365 + year / 4 - year / 100 + year / 400 + ((month + 9) % 12 * 153 + 2) / 5 + day - 1;
        let of_day = (u32::from(self.hour()) * 60 + u32::from(self.minute())) * 60 + u32::from(self.second());
        // The days from 1 March of year 0 to 1970.
        (days - 719_468).saturating_mul(86_400).saturating_add(of_day)
    }

    /// 1980 to 2107.
    pub const fn year(self) -> u16 {
        (self.bits >> 25) as u16 + 1980
    }

    /// 1 to 12.
    pub const fn month(self) -> u8 {
        (self.bits >> 21 & 15) as u8
    }

    /// 1 to 31.
    pub const fn day(self) -> u8 {
        (self.bits >> 16 & 31) as u8
    }

    /// 0 to 23.
    pub const fn hour(self) -> u8 {
        (self.bits >> 11 & 31) as u8
    }

    /// 0 to 59.
    pub const fn minute(self) -> u8 {
        (self.bits >> 5 & 63) as u8
    }

    /// 0 to 58, even.
    pub const fn second(self) -> u8 {
        (self.bits & 31) as u8 * 2
    }
}

/// As RFC 3339 has it, without a time zone: `2026-11-22 23:59:58`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02} ", self.year(), self.month(), self.day())?;
        write!(f, "{:02}:{:02}:{:02}", self.hour(), self.minute(), self.second())
    }
}

/// For boards without a calendar clock: files are dated 1 January 1980.
#[derive(Clone, Copy, Default, Debug)]
pub struct Undated;

impl Dates for Undated {
    fn now(&mut self) -> Date {
        Date::EARLIEST
    }
}

#[cfg(test)]
mod tests {
    use super::Date;
    extern crate std;

    use std::string::ToString as _;

    #[test]
    fn a_date_is_what_it_was_made_of() {
        let date = Date::new(2026, 11, 22, 23, 59, 58);
        assert_eq!((date.year(), date.month(), date.day()), (2026, 11, 22));
        assert_eq!((date.hour(), date.minute(), date.second()), (23, 59, 58));
        assert_eq!(Date::new(0, 0, 0, 0, 0, 0), Date::EARLIEST);
        assert_eq!(
            (date.to_string(), Date::EARLIEST.to_string()),
            ("2026-11-22 23:59:58".into(), "1980-01-01 00:00:00".into())
        );
        assert_eq!(Date::new(3000, 13, 32, 24, 60, 60), Date::new(2107, 12, 31, 23, 59, 59));
    }

    /// As `date -u -d DATE +%s` says.
    #[cfg(feature = "mavlink")]
    #[test]
    fn a_date_is_in_seconds_since_1970() {
        let seconds =
            |year, month, day, hour, minute, second| Date::new(year, month, day, hour, minute, second).seconds();
        assert_eq!(seconds(1980, 1, 1, 0, 0, 2), 315_532_802);
        assert_eq!(seconds(2000, 2, 29, 23, 59, 58), 951_868_798);
        assert_eq!(seconds(2000, 3, 1, 0, 0, 0), 951_868_800);
        assert_eq!(seconds(2026, 11, 26, 7, 30, 4), 1_795_678_204);
        assert_eq!(seconds(2100, 3, 1, 0, 0, 0), 4_107_542_400);
        assert_eq!((seconds(2107, 12, 31, 0, 0, 0), Date::EARLIEST.seconds()), (u32::MAX, 0));
        for bits in [0, u32::MAX, 0x0001_0000, 0x0020_0000, 0x01FF_FFFF, 0xFFFF_0000] {
            Date::from_bits(bits).seconds();
        }
    }

    #[test]
    fn a_month_ends_with_its_last_day() {
        let last_days =
            |year| [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(|month| Date::new(year, month, 31, 0, 0, 0).day());
        assert_eq!(last_days(2026), [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
        for (year, days) in [(1980, 29), (2000, 29), (2023, 28), (2024, 29), (2096, 29), (2100, 28), (2104, 29)] {
            assert_eq!((last_days(year)[1], Date::new(year, 2, 29, 0, 0, 0).day()), (days, days), "{year}");
        }
        assert_eq!(Date::new(2026, 2, 31, 0, 0, 0).to_string(), "2026-02-28 00:00:00");
    }
}
