//! Events: the payload of E frames, to bytes and back.
//!
//! The header doesn't describe them: writer and reader agree on their numbers and payloads. These are the numbers of
//! Betaflight's `FlightLogEvent`, INAV's 40, and the retired ones of Cleanflight, as the decoder of Cleanflight's
//! blackbox-tools reads them.

use super::place::FramePlace;
use super::zigzag::{unfolded, zigzag};
use core::fmt;

/// An event in a Blackbox log.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// 0: the beep on arming, to align the log with a video's sound.
    SyncBeep {
        /// Microseconds, the low 32 bits.
        time: u32,
    },
    /// 13: a setting was changed in flight.
    Adjustment {
        /// The number of the setting in the firmware, 0 to 127.
        function: u8,
        /// Its new value.
        value: Adjusted,
    },
    /// 14: logging continues after a pause. The next main frame may be far ahead of the one before.
    Resume {
        /// The iteration at which it continues.
        iteration: u32,
        /// Microseconds, the low 32 bits.
        time: u32,
    },
    /// 15: disarmed.
    Disarm {
        /// The firmware's number of the reason.
        reason: u32,
    },
    /// 30: the flight mode changed.
    FlightMode {
        /// The flags of the modes from now on.
        new: u32,
        /// The flags of the modes before.
        old: u32,
    },
    /// 40: INAV's IMU failed.
    ImuFailure {
        /// INAV's number of the error.
        error: u32,
    },
    /// 255: the log ends here, as intended. [`Encoder::end`](super::Encoder::end) writes it.
    End {
        /// The firmware's number of the reason for disarming, which INAV adds. Logs of this crate have it in the event
        /// [`Disarm`](Event::Disarm) before the end, as Betaflight's do.
        disarm_reason: Option<u8>,
    },
    /// Any other number. Its payload isn't kept.
    Unknown {
        /// The number.
        id: u8,
    },
}

/// The new value of an [`Adjustment`](Event::Adjustment).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Adjusted {
    /// An integer.
    Integer(i32),
    /// A float.
    Float(f32),
}

/// The bytes of an End event without a reason, the letter included.
pub(super) const ENCODED_END: &[u8] = b"E\xFFEnd of log\0";

/// The number of a Resume event.
pub(super) const RESUME: u8 = 14;

/// Where logging resumes after an event, whose bytes begin with the letter; `None` after other events.
pub(super) fn resumed(event: &[u8]) -> Option<FramePlace> {
    let [b'E', RESUME, payload @ ..] = event else { return None };
    Reader { rest: payload }.place()
}

/// The text of an End event. INAV adds the reason for disarming before the NUL.
const END: &[u8] = b"End of log";
const DISARM_REASON: &[u8] = b" (disarm reason:";

impl Event {
    /// The maximum length of an encoded event, its letter included.
    pub const MAX_BYTES: usize = 2 + END.len() + DISARM_REASON.len() + "255)\0".len();

    /// The number of the event.
    pub const fn id(&self) -> u8 {
        match *self {
            Event::SyncBeep { .. } => 0,
            Event::Adjustment { .. } => 13,
            Event::Resume { .. } => RESUME,
            Event::Disarm { .. } => 15,
            Event::FlightMode { .. } => 30,
            Event::ImuFailure { .. } => 40,
            Event::End { .. } => 255,
            Event::Unknown { id } => id,
        }
    }

    /// Encodes the event, its letter `E` included. An [`Unknown`](Event::Unknown) event gets an empty payload; an
    /// adjusted setting's number is reduced to 7 bits.
    ///
    /// ```
    /// use binlog::blackbox::Event;
    ///
    /// let mut buffer = [0; Event::MAX_BYTES];
    /// let end = Event::End { disarm_reason: None };
    /// assert_eq!(end.encode(&mut buffer), b"E\xFFEnd of log\0");
    /// ```
    pub fn encode<'b>(&self, buffer: &'b mut [u8; Event::MAX_BYTES]) -> &'b [u8] {
        let mut writer = Writer { buffer, at: 0 };
        writer.bytes(&[b'E', self.id()]);
        match *self {
            Event::SyncBeep { time } => writer.unsigned(time),
            Event::Adjustment { function, value: Adjusted::Integer(value) } => {
                writer.bytes(&[function & !FLOAT]);
                writer.unsigned(zigzag(value));
            }
            Event::Adjustment { function, value: Adjusted::Float(value) } => {
                writer.bytes(&[function | FLOAT]);
                writer.bytes(&value.to_le_bytes());
            }
            Event::Resume { iteration, time } => {
                writer.unsigned(iteration);
                writer.unsigned(time);
            }
            Event::Disarm { reason } => writer.unsigned(reason),
            Event::FlightMode { new, old } => {
                writer.unsigned(new);
                writer.unsigned(old);
            }
            Event::ImuFailure { error } => writer.unsigned(error),
            Event::End { disarm_reason } => {
                writer.bytes(END);
                if let Some(reason) = disarm_reason {
                    writer.bytes(DISARM_REASON);
                    writer.decimal(reason);
                    writer.bytes(b")");
                }
                writer.bytes(&[0]);
            }
            Event::Unknown { .. } => {}
        }
        let Writer { buffer, at } = writer;
        &buffer[..at]
    }

    /// Checks that a program can log the event: [`Encoder::event`](super::Encoder::event) and the writer accept it.
    ///
    /// # Errors
    ///
    /// If readers would take the bytes after it for something else: see [`RefusedEvent`].
    pub fn check(&self) -> Result<(), RefusedEvent> {
        match *self {
            Event::End { .. } => Err(RefusedEvent::End),
            Event::Unknown { id } if Event::decode(&[id]).is_none() => Err(RefusedEvent::NoPayload { id }),
            _ => Ok(()),
        }
    }

    /// Decodes the bytes after the letter `E`, and returns the length of the event in them. They may continue after the
    /// event. `None` if they end inside it, or if they are not an event: a number without the payload that belongs to
    /// it.
    ///
    /// The length of an unknown event is unknown: the returned one ends after its number, except for Cleanflight's
    /// retired events 10, 11, 12 and 20, and Rotorflight's 50, 51, 52, 100 and 101.
    pub fn decode(payload: &[u8]) -> Option<(Event, usize)> {
        let mut reader = Reader { rest: payload };
        let event = match reader.byte()? {
            0 => Event::SyncBeep { time: reader.unsigned()? },
            13 => {
                let function = reader.byte()?;
                let value = match function & FLOAT {
                    0 => Adjusted::Integer(reader.signed()?),
                    _ => Adjusted::Float(f32::from_le_bytes(reader.array()?)),
                };
                Event::Adjustment { function: function & !FLOAT, value }
            }
            RESUME => {
                let FramePlace { iteration, time } = reader.place()?;
                Event::Resume { iteration, time }
            }
            15 => Event::Disarm { reason: reader.unsigned()? },
            30 => Event::FlightMode { new: reader.unsigned()?, old: reader.unsigned()? },
            40 => Event::ImuFailure { error: reader.unsigned()? },
            255 => {
                reader.text(END)?;
                let disarm_reason = match reader.byte()? {
                    0 => None,
                    first if first == DISARM_REASON[0] => {
                        reader.text(&DISARM_REASON[1..])?;
                        Some(reader.decimal_then(b")\0")?)
                    }
                    _ => return None,
                };
                Event::End { disarm_reason }
            }
            id => {
                // Cleanflight's autotune: its start, result and targets; G-tune: axis, mean gyro, gain.
                match id {
                    10 => drop(reader.array::<5>()?),
                    11 => drop(reader.array::<4>()?),
                    12 => drop(reader.array::<8>()?),
                    20 => drop((reader.byte()?, reader.signed()?, reader.array::<2>()?)),
                    // Rotorflight's states of governor, rescue and flight; its data and texts (`blackboxLogEvent`).
                    50..=52 => drop(reader.unsigned()?),
                    100 | 101 => {
                        let length = reader.byte()?;
                        reader.skip(length.into())?;
                    }
                    _ => {}
                }
                Event::Unknown { id }
            }
        };
        Some((event, payload.len() - reader.rest.len()))
    }
}

/// An event that a program can't log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RefusedEvent {
    /// An [`End`](Event::End): readers ignore what follows it in the session.
    End,
    /// An [`Unknown`](Event::Unknown) event with a number that readers know. They take the bytes of the next frames for
    /// its payload.
    NoPayload {
        /// The number.
        id: u8,
    },
}

impl fmt::Display for RefusedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            RefusedEvent::End => f.write_str(
                "readers ignore what follows an end; leave it out, the end of the session is written by itself",
            ),
            RefusedEvent::NoPayload { id } => write!(
                f,
                "readers know event {id} and expect a payload, which `Event::Unknown` has not; take its own variant of \
                 `Event`, or another number"
            ),
        }
    }
}

impl core::error::Error for RefusedEvent {}

/// The bit of an adjusted setting's number that says that its value is a float.
const FLOAT: u8 = 0x80;

/// Writes into a buffer that has room for every event.
struct Writer<'b> {
    buffer: &'b mut [u8; Event::MAX_BYTES],
    at: usize,
}

impl Writer<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.buffer[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    fn unsigned(&mut self, mut value: u32) {
        while value > 0x7F {
            self.bytes(&[value as u8 | 0x80]);
            value >>= 7;
        }
        self.bytes(&[value as u8]);
    }

    fn decimal(&mut self, value: u8) {
        let digits = [value / 100, value / 10 % 10, value % 10].map(|digit| b'0' + digit);
        let zeros = usize::from(value < 100) + usize::from(value < 10);
        self.bytes(&digits[zeros..]);
    }
}

struct Reader<'b> {
    rest: &'b [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*bytes)
    }

    fn skip(&mut self, length: usize) -> Option<()> {
        self.rest = self.rest.get(length..)?;
        Some(())
    }

    fn text(&mut self, text: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    fn unsigned(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn place(&mut self) -> Option<FramePlace> {
        Some(FramePlace { iteration: self.unsigned()?, time: self.unsigned()? })
    }

    fn signed(&mut self) -> Option<i32> {
        Some(unfolded(self.unsigned()?) as i32)
    }

    fn decimal_then(&mut self, end: &[u8]) -> Option<u8> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at(digits);
        self.rest = rest.strip_prefix(end)?;
        core::str::from_utf8(digits).ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(event: Event) -> Vec<u8> {
        event.encode(&mut [0; Event::MAX_BYTES]).to_vec()
    }

    #[test]
    fn events_have_the_bytes_that_betaflight_and_inav_write() {
        for (event, bytes) in [
            (Event::SyncBeep { time: 300 }, &b"E\x00\xAC\x02"[..]),
            (Event::Adjustment { function: 5, value: Adjusted::Integer(-3) }, b"E\x0D\x05\x05"),
            (Event::Adjustment { function: 5, value: Adjusted::Float(1.5) }, b"E\x0D\x85\x00\x00\xC0\x3F"),
            (Event::Resume { iteration: 128, time: 1 }, b"E\x0E\x80\x01\x01"),
            (Event::Disarm { reason: 4 }, b"E\x0F\x04"),
            (Event::FlightMode { new: 1, old: 128 }, b"E\x1E\x01\x80\x01"),
            (Event::ImuFailure { error: 7 }, b"E\x28\x07"),
            (Event::End { disarm_reason: None }, b"E\xFFEnd of log\0"),
            (Event::End { disarm_reason: Some(6) }, b"E\xFFEnd of log (disarm reason:6)\0"),
            (Event::Unknown { id: 200 }, b"E\xC8"),
        ] {
            assert_eq!(encoded(event), bytes);
            assert_eq!(Event::decode(&bytes[1..]), Some((event, bytes.len() - 1)));
            let place = resumed(bytes).map(|FramePlace { iteration, time }| Event::Resume { iteration, time });
            assert_eq!(place, matches!(event, Event::Resume { .. }).then_some(event));
        }
        assert_eq!(encoded(Event::End { disarm_reason: None }), ENCODED_END);
    }

    #[test]
    fn retired_events_are_skipped_with_their_payload() {
        let payload = [0xFF; 16];
        for (id, length) in [(10, 6), (11, 5), (12, 9), (21, 1)] {
            let bytes = [&[id], &payload[..]].concat();
            assert_eq!(Event::decode(&bytes), Some((Event::Unknown { id }, length)));
        }
        assert_eq!(Event::decode(&[20, 1, 0x80, 0x01, 2, 3, 4]), Some((Event::Unknown { id: 20 }, 6)));
    }

    #[test]
    fn an_end_and_a_number_whose_payload_is_missing_are_refused() {
        let refused: Vec<u8> = (0..=255).filter(|&id| Event::Unknown { id }.check().is_err()).collect();
        assert_eq!(refused, [0, 10, 11, 12, 13, 14, 15, 20, 30, 40, 50, 51, 52, 100, 101, 255]);
        assert_eq!(Event::End { disarm_reason: Some(1) }.check(), Err(RefusedEvent::End));
        assert_eq!(Event::Resume { iteration: 1, time: 2 }.check(), Ok(()));
    }

    #[test]
    fn a_text_other_than_that_of_the_end_is_not_an_end() {
        for payload in [&b"\xFFEnd of lag\0"[..], b"\xFFEnd of log", b"\xFFEnd of log (disarm reason:300)\0", b"\xFF"] {
            assert_eq!(Event::decode(payload), None);
        }
    }

    proptest! {
        #[test]
        fn an_event_decodes_to_itself(a: u32, b: u32, function in 0..128_u8, reason: Option<u8>, after: Vec<u8>) {
            for event in [
                Event::SyncBeep { time: a },
                Event::Adjustment { function, value: Adjusted::Integer(a as i32) },
                Event::Adjustment { function, value: Adjusted::Float(a as f32) },
                Event::Resume { iteration: a, time: b },
                Event::Disarm { reason: a },
                Event::FlightMode { new: a, old: b },
                Event::ImuFailure { error: a },
                Event::End { disarm_reason: reason },
            ] {
                let bytes = encoded(event);
                let with_more = [&bytes[1..], &after].concat();
                prop_assert_eq!(Event::decode(&with_more), Some((event, bytes.len() - 1)));
                for cut in 1..bytes.len() {
                    prop_assert_eq!(Event::decode(&bytes[1..cut]), None);
                }
            }
        }

        #[test]
        fn any_bytes_decode_or_not(bytes: Vec<u8>) {
            if let Some((_, length)) = Event::decode(&bytes) {
                prop_assert!(length <= bytes.len());
            }
        }
    }
}
