//! One record: header and payload.

#[cfg(all(feature = "derive", feature = "std"))]
use crate::LogSchema;
use crate::{Definition, LogMessage, Logs};

/// The two bytes that every record begins with; the id follows. ArduPilot's `HEAD_BYTE1` and `HEAD_BYTE2`.
pub const HEAD_BYTES: [u8; 2] = [0xA3, 0x95];

/// Puts the record of a message at the front of `out` and returns its length; `None`, and nothing written, when `out`
/// is too short, or when the message was implemented by hand and its bytes contradict its definition.
///
/// A record is at most 255 bytes. This is what [`LogWriter`](crate::LogWriter) does for each message; a program that
/// has a transport of its own calls it directly, after [`LogSchema::PREAMBLE`](crate::LogSchema::PREAMBLE).
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
/// assert_eq!(length, Some(12));
/// assert_eq!(out[..12], [0xA3, 0x95, 136, 7, 0, 0, 0, 0, 0, 0, 0, 10]);
/// ```
#[inline]
pub fn encode<S: Logs<M>, M: LogMessage>(message: &M, out: &mut [u8]) -> Option<usize> {
    encode_at::<S, M>(message, out, 0)
}

/// The same at an offset; returns the record's end.
#[inline]
pub(crate) fn encode_at<S: Logs<M>, M: LogMessage>(message: &M, out: &mut [u8], at: usize) -> Option<usize> {
    put(S::ID, const { M::DEFINITION.length() }, message.wire(), out, at)
}

/// The same for whichever message a schema's value holds.
#[cfg(all(feature = "derive", feature = "std"))]
pub(crate) fn encode_any_at<S: LogSchema>(message: &S, out: &mut [u8], at: usize) -> Option<usize> {
    let (id, payload) = message.record();
    let definition = S::MESSAGES.iter().find(|message| message.id == id)?.definition;
    put(id, definition.length(), payload, out, at)
}

#[inline(always)]
fn put(id: u8, length: usize, payload: &[u8], out: &mut [u8], at: usize) -> Option<usize> {
    // A derived message is as long as its definition says, known while compiling; one that is written by hand may
    // contradict itself.
    if Definition::HEADER_LENGTH + payload.len() != length || length > 255 {
        return None;
    }
    let end = at + length;
    let record = out.get_mut(at..end)?;
    // One store of four bytes; the payload, which is never empty, overwrites the last of them.
    *record.first_chunk_mut()? = [HEAD_BYTES[0], HEAD_BYTES[1], id, 0];
    record[Definition::HEADER_LENGTH..].copy_from_slice(payload);
    Some(end)
}
