//! One record: header and payload.

use crate::{Definition, LogMessage, Logs};

/// The two bytes that every record begins with; the id follows.
pub const HEADER: [u8; 2] = [0xA3, 0x95];

/// Puts the record of a message at the front of `out` and returns its length; `None`, and nothing written, when `out`
/// is too short.
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
    let payload = message.wire();
    let length = Definition::HEADER_LENGTH + payload.len();
    let (header, rest) = out.get_mut(..length)?.split_first_chunk_mut()?;
    *header = [HEADER[0], HEADER[1], S::ID];
    rest.copy_from_slice(payload);
    Some(length)
}
