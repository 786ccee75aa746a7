//! Logs texts as MSG records.

use crate::Logger;
use binlog::field::Chars;
use binlog::messages::Msg;
use binlog::{LogSchema, Logs};
use core::fmt::{self, Display, Write};

/// Width of MSG.Message.
const PART: usize = 64;

impl<S: LogSchema, const N: usize> Logger<S, N> {
    /// Logs a text, or the output of `format_args!`, as MSG records of 64 bytes, cut between characters: at most 256
    /// records, 16 KiB. Each NUL, which would end the text for readers, becomes `?`. Returns whether all records were
    /// accepted; after the first that wasn't, the rest is left out.
    ///
    /// Formatting runs outside the critical section. Other contexts may log between two records of a text; the records
    /// of a text have the same `ID`.
    pub fn text(&self, text: impl Display) -> bool
    where
        S: Logs<Msg>,
    {
        let id = self.state.with(|state| {
            state.text_id = state.text_id.wrapping_add(1);
            state.text_id
        });
        let mut parts = Parts { logger: self, time_us: self.now_us(), id, seq: Some(0), part: [0; PART], length: 0 };
        write!(parts, "{text}").is_ok() && parts.log_part()
    }
}

struct Parts<'a, S: LogSchema, const N: usize> {
    logger: &'a Logger<S, N>,
    time_us: u64,
    id: u8,
    /// Number of the current part; `None` after the last possible one.
    seq: Option<u8>,
    part: [u8; PART],
    length: usize,
}

#[allow(clippy::useless_conversion, reason = "on a big-endian target the fields are other types")]
impl<S: LogSchema + Logs<Msg>, const N: usize> Parts<'_, S, N> {
    /// Logs the current part. It is empty only if the whole text is.
    fn log_part(&mut self) -> bool {
        let Some(seq) = self.seq else { return false };
        // It contains whole characters.
        let part = core::str::from_utf8(&self.part[..self.length]).unwrap_or_default();
        let message = Chars::cut(part);
        self.seq = seq.checked_add(1);
        self.length = 0;
        let taken = self.logger.log(&Msg { time_us: self.time_us.into(), id: self.id, seq, message });
        if !taken {
            self.seq = None;
        }
        taken
    }
}

impl<S: LogSchema + Logs<Msg>, const N: usize> Write for Parts<'_, S, N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            let character = if character == '\0' { '?' } else { character };
            if self.length + character.len_utf8() > PART && !self.log_part() {
                return Err(fmt::Error);
            }
            self.length += character.encode_utf8(&mut self.part[self.length..]).len();
        }
        Ok(())
    }
}
