//! Values of the format's own messages: parameters, modes, and texts and files that take several records.

use super::{File, Mode, Msg, Parm};
use crate::field::{Chars, FlightModeError, NO_VALUE_F32, TextError, up_to};

/// Seq is one byte.
const MOST_PARTS: usize = 256;
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
        if cut(text).count() > MOST_PARTS {
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
