//! Encodes one message as one record: header and payload.

#[cfg(all(feature = "derive", feature = "std"))]
use crate::format::LogSchema;
use crate::format::Logs;
use crate::format::header::record_header;
use crate::format::{Definition, LogMessage};
use core::fmt;

/// Writes the record of a message to the front of `out` and returns its length, at most 255 bytes.
///
/// [`LogWriter`](crate::LogWriter) does the same for each message. Call this directly if your program has a transport
/// of its own, after it has sent [`LogSchema::PREAMBLE`](crate::LogSchema::PREAMBLE).
///
/// ```
/// use binlog::{LogSchema, encode, messages::Ev};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Ev(Ev),
/// }
///
/// let mut out = [0; 255];
/// let length = encode::<FlightLog, _>(&Ev { time_us: 7, id: 10 }, &mut out);
/// assert_eq!(length, Ok(12));
/// assert_eq!(out[..12], [0xA3, 0x95, 136, 7, 0, 0, 0, 0, 0, 0, 0, 10]);
/// ```
///
/// # Errors
///
/// If `out` is too short for the record, or if a message that is implemented by hand contradicts its definition. In
/// both cases `out` is unchanged.
#[inline]
pub fn encode<S: Logs<M>, M: LogMessage>(message: &M, out: &mut [u8]) -> Result<usize, EncodeError> {
    encode_at::<S, M>(message, out, 0).ok_or_else(|| why_not(&M::DEFINITION, message.wire().len()))
}

/// Why a message was not encoded.
// It carries no numbers, because they would cost instructions in each call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// The buffer is shorter than the record, whose length is `M::DEFINITION.length()`.
    TooShort,
    /// The message is implemented by hand, and the length of its payload differs from its definition or exceeds 252
    /// bytes.
    Contradiction,
}

#[cold]
#[inline(never)]
fn why_not(definition: &Definition, payload: usize) -> EncodeError {
    let length = Definition::HEADER_LENGTH + payload;
    if length == definition.length() && length <= 255 { EncodeError::TooShort } else { EncodeError::Contradiction }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EncodeError::TooShort => "the buffer is too short for the record; 255 bytes are enough for any record",
            EncodeError::Contradiction => {
                "the `LogMessage` implemented by hand has a payload that differs in length from its definition"
            }
        })
    }
}

impl core::error::Error for EncodeError {}

/// As [`encode`], at an offset. Returns the end of the record.
#[inline]
pub(crate) fn encode_at<S: Logs<M>, M: LogMessage>(message: &M, out: &mut [u8], at: usize) -> Option<usize> {
    put(S::ID, const { M::DEFINITION.length() }, message.wire(), out, at)
}

/// As [`encode_at`], for the message that a value of the schema holds.
#[cfg(all(feature = "derive", feature = "std"))]
pub(crate) fn encode_any_at<S: LogSchema>(message: &S, out: &mut [u8], at: usize) -> Option<usize> {
    let (id, payload) = message.record();
    let definition = S::MESSAGES.iter().find(|message| message.id == id)?.definition;
    put(id, definition.length(), payload, out, at)
}

#[inline(always)]
fn put(id: u8, length: usize, payload: &[u8], out: &mut [u8], at: usize) -> Option<usize> {
    // A derived message always has the length of its definition, and the compiler knows it. One that is implemented by
    // hand may contradict itself.
    if Definition::HEADER_LENGTH + payload.len() != length || length > 255 {
        return None;
    }
    let end = at + length;
    let record = out.get_mut(at..end)?;
    // One store of four bytes; the payload, which is never empty, overwrites the last of them.
    let [first, second, id] = record_header(id);
    *record.first_chunk_mut()? = [first, second, id, 0];
    record[Definition::HEADER_LENGTH..].copy_from_slice(payload);
    Some(end)
}
