//! Values of the format's own messages: parameters, modes, and texts and files that take several records.

use super::{File, Gps, GpsStatus, Mode, Msg, Parm};
use crate::format::field::{Centi, Chars, FlightModeError, Latitude, Longitude, NO_VALUE_F32, TextError, up_to};
use core::time::Duration;

/// Seq is one byte.
const MAX_PARTS: usize = 256;
/// 6 January 1980, the first day of GPS time, in milliseconds since 1970.
const GPS_EPOCH_MS: u128 = 315_964_800_000;
const WEEK_MS: u128 = 7 * 24 * 3_600_000;
/// Width of MSG.Message and FILE.Data.
const PART: usize = 64;

#[allow(clippy::useless_conversion, reason = "on a big-endian target the fields are other types")]
impl Parm {
    /// A parameter; `name` of at most 16 bytes.
    ///
    /// # Errors
    ///
    /// When the name doesn't fit or contains a NUL.
    pub fn new(time_us: u64, name: &str, value: f32, default: Option<f32>) -> Result<Self, TextError> {
        let default = default.unwrap_or(NO_VALUE_F32);
        Ok(Parm { time_us: time_us.into(), name: name.try_into()?, value: value.into(), default: default.into() })
    }
}

#[allow(clippy::useless_conversion, reason = "on a big-endian target the fields are other types")]
impl Mode {
    /// A change of the flight mode: its number in the vehicle's list, 0 to 127, and the reason (ArduPilot's
    /// `ModeReason`, 0 unknown).
    ///
    /// # Errors
    ///
    /// When the number is above 127.
    pub fn new(time_us: u64, number: u8, reason: u8) -> Result<Self, FlightModeError> {
        Ok(Mode { time_us: time_us.into(), mode: number.try_into()?, mode_num: number, reason })
    }
}

#[allow(clippy::useless_conversion, reason = "on a big-endian target the fields are other types")]
impl Gps {
    /// A record without a position, which says that it is `since_1970` (UTC) at `time_us`: the date of a log without a
    /// GPS, such as a simulator's. Its status is [`NO_GPS`](GpsStatus::NO_GPS).
    ///
    /// ```no_run
    /// # use binlog::{HostLogger, LogSchema, messages::Gps};
    /// # #[derive(LogSchema)]
    /// # enum FlightLog { Gps(Gps) }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let thread = HostLogger::<FlightLog>::spawn(Vec::new())?;
    /// # let log = thread.logger();
    /// use std::time::SystemTime;
    ///
    /// log.log(&Gps::date(log.now_us(), SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`Log::clock`](crate::Log::clock), `binlog info` and pymavlink date a log by it. The guide says
    /// [what others do](crate::guide::simulators#the-date). Times before 13 January 1980
    /// give no date: readers take week 0 for no fix.
    pub fn date(time_us: u64, since_1970: Duration) -> Self {
        // GPS time is 18 seconds ahead of UTC since 2017; readers subtract as many.
        let gps_ms = (since_1970 + Duration::from_secs(18)).as_millis().saturating_sub(GPS_EPOCH_MS);
        let (week, week_ms) = (gps_ms / WEEK_MS, gps_ms % WEEK_MS);
        Gps {
            time_us: time_us.into(),
            instance: 0,
            status: GpsStatus::NO_GPS,
            week_ms: (week_ms as u32).into(),
            week: u16::try_from(week).unwrap_or(u16::MAX).into(),
            satellites: 0,
            hdop: Centi::from_raw(0_i16.into()),
            latitude: Latitude::from_e7(0),
            longitude: Longitude::from_e7(0),
            altitude: Centi::from_raw(0_i32.into()),
            speed: 0_f32.into(),
            course: 0_f32.into(),
            vertical_speed: 0_f32.into(),
            yaw: NO_VALUE_F32.into(),
            used: 0,
        }
    }
}

#[allow(clippy::useless_conversion, reason = "on a big-endian target the fields are other types")]
impl Msg {
    /// A text of at most 64 bytes; `id` should differ from that of the previous text.
    ///
    /// # Errors
    ///
    /// When it doesn't fit or contains a NUL, where readers would end it.
    pub fn new(time_us: u64, id: u8, text: &str) -> Result<Self, TextError> {
        Ok(Msg { time_us: time_us.into(), id, seq: 0, message: text.try_into()? })
    }

    /// The records of a text, split between characters. All have the same `id`, which should differ from that of the
    /// previous text. An empty text is one record.
    ///
    /// # Errors
    ///
    /// When the text contains a NUL, where readers would end it, or needs more than 256 records.
    pub fn parts(time_us: u64, id: u8, text: &str) -> Result<impl Iterator<Item = Msg>, TextError> {
        if let Some(position) = text.bytes().position(|byte| byte == 0) {
            return Err(TextError::Nul { position });
        }
        if cut(text).count() > MAX_PARTS {
            return Err(TextError::TooManyParts { length: text.len() });
        }
        let parts = cut(text).zip(0..=u8::MAX);
        Ok(parts.map(move |(part, seq)| Msg { time_us: time_us.into(), id, seq, message: Chars::cut(part) }))
    }
}

/// A text in pieces of at most 64 bytes, one at least.
fn cut(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    core::iter::from_fn(move || {
        let text = rest?;
        let (part, after) = text.split_at(up_to(text, PART).len());
        rest = (!after.is_empty()).then_some(after);
        Some(part)
    })
}

#[allow(clippy::useless_conversion, reason = "on a big-endian target the fields are other types")]
impl File {
    /// The records of a file; `name` of at most 16 bytes. An empty file is one record.
    ///
    /// # Errors
    ///
    /// When the name doesn't fit or contains a NUL, or when the file is longer than `u32::MAX` bytes.
    pub fn parts(name: &str, contents: &[u8]) -> Result<impl Iterator<Item = File>, TextError> {
        let file_name: Chars<16> = name.try_into()?;
        if u32::try_from(contents.len()).is_err() {
            return Err(TextError::TooLong { length: contents.len(), width: u32::MAX as usize });
        }
        let empty = contents.is_empty().then_some(&[][..]);
        let parts = contents.chunks(PART).chain(empty).enumerate();
        Ok(parts.map(move |(i, part)| {
            let mut data = [0; PART];
            data[..part.len()].copy_from_slice(part);
            // Both fit: checked above, and a part is at most 64 bytes.
            let (offset, length) = ((i * PART) as u32, part.len() as u8);
            File { file_name, offset: offset.into(), length, data: Chars::from_raw(data) }
        }))
    }

    /// The piece's bytes.
    pub fn contents(&self) -> &[u8] {
        let data = self.data.raw();
        &data[..usize::from(self.length).min(data.len())]
    }
}
