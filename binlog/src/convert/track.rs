//! GPS frames, and the calendar.

use super::ConvertError;
use super::fields::{Fields, ValueSource};
use super::messages::Position;
use super::output::Output;
use crate::blackbox::Header;
use crate::declare::messages::{Gps, GpsStatus};
use crate::format::field::{Centi, Latitude, Longitude, NO_VALUE_F32};
use std::io::Write;

/// Where a GPS frame has the position, and what the log says about it besides.
pub(super) struct Track {
    coordinates: [ValueSource; 2],
    altitude: Option<ValueSource>,
    speed: Option<ValueSource>,
    course: Option<ValueSource>,
    velocity: Option<[ValueSource; 3]>,
    satellites: Option<ValueSource>,
    dilution: Option<ValueSource>,
    fix: Option<ValueSource>,
    home_altitude: Option<ValueSource>,
    /// The calendar's microseconds since 6 January 1980 at the start of the session, and its time.
    clock: Option<u64>,
    start_us: u64,
    /// Whether the slow frames say that there is a fix.
    state_fix: Option<bool>,
    /// The altitude of home, or else of the first fix.
    ground: Option<f64>,
}

/// ArduPilot's number for an unknown dilution of precision, hundredths (`GPS_UNKNOWN_DOP`).
const UNKNOWN_DILUTION: i16 = 9999;

/// Satellites that give a position with height.
const NEEDED_SATELLITES: i64 = 4;

const WEEK_MS: u64 = 7 * 24 * 3_600_000;

impl Track {
    /// `None` if GPS frames have no coordinates.
    pub(super) fn of(fields: &mut Fields<'_>, home: &Fields<'_>, header: &Header<'_>, start_us: u64) -> Option<Self> {
        let coordinates =
            [fields.quantity("GPS_coord[0]", "deglatitude")?, fields.quantity("GPS_coord[1]", "deglongitude")?];
        let track = Track {
            coordinates,
            altitude: fields.quantity("GPS_altitude", "m"),
            speed: fields.quantity("GPS_speed", "m/s"),
            course: fields.quantity("GPS_ground_course", "degheading"),
            velocity: fields.array("GPS_velned", "m/s"),
            satellites: fields.raw("GPS_numSat"),
            dilution: fields.raw("GPS_hdop"),
            fix: fields.raw("GPS_fixType"),
            home_altitude: home.quantity("GPS_home[2]", "m"),
            clock: header.value("Log start datetime").and_then(since_1980_us),
            start_us,
            state_fix: None,
            ground: None,
        };
        let exact = [&track.altitude, &track.speed, &track.course, &track.satellites];
        fields.convert(coordinates.iter().chain(exact.into_iter().flatten()));
        if let Some([_, _, down]) = &track.velocity {
            fields.convert([down]);
        }
        Some(track)
    }

    /// Takes over the `stateFlags` of a slow frame.
    pub(super) fn state(&mut self, flags: u32) {
        // `GPS_FIX` in `fc/runtime_config.h` of Cleanflight, Betaflight and INAV.
        self.state_fix = Some(flags & 1 << 1 != 0);
    }

    /// Takes over a home frame.
    pub(super) fn home(&mut self, values: &[u32]) {
        if let Some(altitude) = self.home_altitude {
            self.ground = Some(altitude.value(values));
        }
    }

    pub(super) fn write<W: Write>(
        &mut self,
        output: &mut Output<W>,
        time_us: u64,
        values: &[u32],
    ) -> Result<(), ConvertError> {
        let value = |source: Option<ValueSource>| source.map(|source| source.value(values));
        let [latitude, longitude] = self.coordinates.map(|source| source.raw(values) as i32);
        let (latitude, longitude) = (Latitude::from_e7(latitude), Longitude::from_e7(longitude));
        let altitude = value(self.altitude);
        let (week, week_ms) = self.week(time_us);
        let status = self.status(values);
        let or_none = |value: Option<f64>| value.map_or(NO_VALUE_F32, |value| value as f32);
        output.write(&Gps {
            time_us,
            instance: 0,
            status,
            week_ms,
            week,
            satellites: self.satellites.map_or(0, |source| source.raw(values).clamp(0, 255) as u8),
            hdop: Centi::from_raw(
                self.dilution
                    .map_or(UNKNOWN_DILUTION, |source| source.raw(values).clamp(0, UNKNOWN_DILUTION.into()) as i16),
            ),
            latitude,
            longitude,
            altitude: Centi::from_f64(altitude.unwrap_or_default()),
            speed: or_none(value(self.speed)),
            course: or_none(value(self.course)),
            vertical_speed: or_none(self.velocity.map(|[_, _, down]| down.value(values))),
            yaw: NO_VALUE_F32,
            used: u8::from(status != GpsStatus::NO_FIX),
        })?;
        // Without a fix, the coordinates are old, or 0: a track would lead there.
        if status == GpsStatus::NO_FIX {
            return Ok(());
        }
        let altitude = altitude.unwrap_or_default();
        let above = (altitude - *self.ground.get_or_insert(altitude)) as f32;
        output.write(&Position {
            time_us,
            latitude,
            longitude,
            altitude: altitude as f32,
            above_home: above,
            above_origin: above,
        })
    }

    /// By INAV's kind of fix, or else by the state of the slow frames, or else by the satellites.
    fn status(&self, values: &[u32]) -> GpsStatus {
        match (self.fix, self.state_fix) {
            // `gpsFixType_e` of INAV's `io/gps.h`.
            (Some(fix), _) => match fix.raw(values) {
                0 => GpsStatus::NO_FIX,
                1 => GpsStatus::FIX_2D,
                _ => GpsStatus::FIX_3D,
            },
            (None, Some(true)) => GpsStatus::FIX_3D,
            (None, Some(false)) => GpsStatus::NO_FIX,
            (None, None) => {
                let enough = self.satellites.is_none_or(|satellites| satellites.raw(values) >= NEEDED_SATELLITES);
                if enough { GpsStatus::FIX_3D } else { GpsStatus::NO_FIX }
            }
        }
    }

    /// Week and milliseconds of the week; 0 if the header has no date.
    fn week(&self, time_us: u64) -> (u16, u32) {
        let Some(clock) = self.clock else { return (0, 0) };
        let ms = clock.saturating_add(time_us.saturating_sub(self.start_us)) / 1000;
        (u16::try_from(ms / WEEK_MS).unwrap_or_default(), (ms % WEEK_MS) as u32)
    }
}

/// GPS time has been ahead of UTC by this number of seconds since 2017. Readers subtract it.
const LEAP_SECONDS: i64 = 18;

/// GPS time of a date such as `2022-02-02T15:04:53.139+00:00`, in microseconds since 6 January 1980. `None` if it isn't
/// a date after that: a firmware without a clock has the year 0.
fn since_1980_us(text: &str) -> Option<u64> {
    let (date, time) = text.split_once('T')?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    // The offset to UTC follows the time: +01:00, -05:30 or Z.
    let at = time.find(['+', '-', 'Z']).unwrap_or(time.len());
    let (time, offset) = time.split_at(at);
    let mut time = time.splitn(3, ':');
    let (hour, minute) = (time.next()?.parse::<i64>().ok()?, time.next()?.parse::<i64>().ok()?);
    let second = time.next()?.parse::<f64>().ok()?;
    let is_date = (1980..=2200).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_date || !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0.0..61.0).contains(&second) {
        return None;
    }
    let days = days_since_1970(year, month, day) - days_since_1970(1980, 1, 6);
    let minutes = (days * 24 + hour) * 60 + minute - offset_minutes(offset)?;
    let us = (minutes * 60 + LEAP_SECONDS) * 1_000_000 + (second * 1e6).round() as i64;
    u64::try_from(us).ok()
}

fn offset_minutes(text: &str) -> Option<i64> {
    let (sign, text) = match text.split_at_checked(1) {
        None | Some(("Z", _)) => return Some(0),
        Some(("-", text)) => (-1, text),
        Some((_, text)) => (1, text),
    };
    let (hours, minutes) = text.split_once(':')?;
    let (hours, minutes) = (hours.parse::<i64>().ok()?, minutes.parse::<i64>().ok()?);
    let is_offset = (0..24).contains(&hours) && (0..60).contains(&minutes);
    is_offset.then(|| sign * (hours * 60 + minutes))
}

/// Days of the Gregorian calendar. A year is counted from March, so that a leap day is its last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    year * 365 + leap_days + (153 * month + 2) / 5 + day - 719_469
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_gps_time() {
        assert_eq!(days_since_1970(1970, 1, 1), 0);
        assert_eq!(days_since_1970(2000, 2, 29), 11_016);
        assert_eq!(since_1980_us("1980-01-06T00:00:00.000+00:00"), Some(18_000_000));
        // 1,643,814,293.139 s since 1970; GPS time begins 315,964,800 s after 1970.
        let expected = (1_643_814_293_139 - 315_964_800_000 + 18_000) * 1000;
        assert_eq!(since_1980_us("2022-02-02T15:04:53.139+00:00"), Some(expected));
        assert_eq!(since_1980_us("2022-02-02T16:04:53.139+01:00"), Some(expected));
        assert_eq!(since_1980_us("2022-02-02T09:34:53.139-05:30"), Some(expected));
        assert_eq!(since_1980_us("2022-02-02T15:04:53.139"), Some(expected));
        assert_eq!(since_1980_us("2022-02-02T15:04:53.139Z"), Some(expected));
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in [
            "",
            "0000-01-01T00:00:00.000+00:00",
            "2022-13-01T00:00:00",
            "2022-02-02",
            "2022-02-02T24:00:00",
            "2022-02-02T1:2:x",
            "2022-02-02T10:00:00+1",
            "2022-01-01T00:00:00+24:00",
            "2022-01-01T00:00:00+01:60",
            "2022-01-01T00:00:00+-1:00",
            "2022-01-01T00:00:00+9223372036854775807:59",
            "2022-01-01T00:00:00+153722867280912930:59",
            "2022-01-01T00:00:00-99999999999:00",
            "2022-01-01T00:00:1e300",
        ] {
            assert_eq!(since_1980_us(text), None, "{text}");
        }
    }
}
