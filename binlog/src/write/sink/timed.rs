//! Sinks with a clock: texts, parameters and modes without a time argument.

use super::Sink;
use crate::declare::messages::{Mode, Msg, Parm};
use crate::format::field::Chars;
use core::fmt::{self, Display, Write};

/// Width of MSG.Message.
const PART: usize = 64;

/// A sink with a clock of its own, as the loggers of target and host are. An application that takes one logs texts,
/// parameters and modes on both, without `cfg`:
///
/// ```
/// use binlog::messages::{Ev, Mode, Msg};
/// use binlog::{LogSchema, sink::TimedSink};
///
/// #[derive(LogSchema)]
/// #[log(sink = FlightSink)]
/// pub enum FlightLog {
///     Ev(Ev),
///     Mode(Mode),
///     Msg(Msg),
/// }
///
/// pub fn arm(log: &(impl FlightSink + TimedSink)) {
///     log.mode(5, 0);
///     log.text(format_args!("armed after {} s", log.now_us() / 1_000_000));
///     log.log(&Ev { time_us: log.now_us(), id: 10 });
/// }
/// ```
pub trait TimedSink {
    /// The time of the sink's clock, in microseconds since boot.
    fn now_us(&self) -> u64;

    /// A number for a text, different from those of the texts just before. [`text`](TimedSink::text) asks for it.
    fn next_text_id(&self) -> u8;

    /// Logs a text, or the output of `format_args!`, as MSG records of 64 bytes, cut between characters: at most 256
    /// records, 16 KiB. Each NUL, which would end the text for readers, becomes `?`. Returns whether all records were
    /// accepted; after the first that wasn't, the rest is left out.
    ///
    /// Nothing is allocated. Other contexts may log between two records of a text; the records of a text have the same
    /// `ID`.
    fn text(&self, text: impl Display) -> bool
    where
        Self: Sink<Msg>,
    {
        let mut parts = Parts::new(self);
        write!(parts, "{text}").is_ok() && parts.end()
    }

    /// Logs a parameter: its name of at most 16 bytes without NUL, its value, and the default value of the firmware if
    /// there is one. Returns whether the record was accepted; it is not if the name is invalid.
    fn parameter(&self, name: &str, value: f32, default: Option<f32>) -> bool
    where
        Self: Sink<Parm>,
    {
        Parm::new(self.now_us(), name, value, default).is_ok_and(|parm| self.log(&parm))
    }

    /// Logs a change of the flight mode: its number in the vehicle's list, 0 to 127, and the reason (ArduPilot's
    /// `ModeReason`, 0 if unknown). Returns whether the record was accepted; it is not if the number is above 127.
    fn mode(&self, number: u8, reason: u8) -> bool
    where
        Self: Sink<Mode>,
    {
        Mode::new(self.now_us(), number, reason).is_ok_and(|mode| self.log(&mode))
    }
}

impl<T: TimedSink + ?Sized> TimedSink for &T {
    fn now_us(&self) -> u64 {
        (**self).now_us()
    }

    fn next_text_id(&self) -> u8 {
        (**self).next_text_id()
    }
}

#[cfg(feature = "std")]
impl<T: TimedSink + ?Sized> TimedSink for std::sync::Arc<T> {
    fn now_us(&self) -> u64 {
        (**self).now_us()
    }

    fn next_text_id(&self) -> u8 {
        (**self).next_text_id()
    }
}

/// A text that is logged in parts.
pub struct Parts<'a, T: ?Sized> {
    sink: &'a T,
    time_us: u64,
    id: u8,
    /// Number of the current part; `None` after the last possible one.
    seq: Option<u8>,
    part: [u8; PART],
    length: usize,
}

#[allow(clippy::useless_conversion, reason = "on a big-endian target the fields are other types")]
impl<'a, T: Sink<Msg> + TimedSink + ?Sized> Parts<'a, T> {
    /// A text of the sink's time.
    pub fn new(sink: &'a T) -> Self {
        let (time_us, id) = (sink.now_us(), sink.next_text_id());
        Parts { sink, time_us, id, seq: Some(0), part: [0; PART], length: 0 }
    }

    /// Adds a byte of the text, which is UTF-8. Returns whether there is room.
    pub fn put(&mut self, byte: u8) -> bool {
        // The first byte of a character says how many it has, and there is room for the others then.
        let width = match byte {
            0xF0.. => 4,
            0xE0.. => 3,
            0xC0.. => 2,
            _ => 1,
        };
        if self.length + width > PART && !self.log_part() {
            return false;
        }
        if let Some(place) = self.part.get_mut(self.length) {
            *place = if byte == 0 { b'?' } else { byte };
            self.length += 1;
        }
        true
    }

    /// Ends the text. Returns whether all of its records were accepted.
    pub fn end(mut self) -> bool {
        self.log_part()
    }

    /// Logs the current part. It is empty only if the whole text is.
    fn log_part(&mut self) -> bool {
        let Some(seq) = self.seq else { return false };
        // It contains whole characters, and zeros after them.
        let message = Chars::from_raw(core::mem::replace(&mut self.part, [0; PART]));
        self.seq = seq.checked_add(1);
        self.length = 0;
        let taken = self.sink.log(&Msg { time_us: self.time_us.into(), id: self.id, seq, message });
        if !taken {
            self.seq = None;
        }
        taken
    }
}

impl<T: Sink<Msg> + TimedSink + ?Sized> Write for Parts<'_, T> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match text.bytes().all(|byte| self.put(byte)) {
            true => Ok(()),
            false => Err(fmt::Error),
        }
    }
}
