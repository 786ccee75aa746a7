//! The header of a record.

/// The two bytes that every record begins with; the id follows. ArduPilot's `HEAD_BYTE1` and `HEAD_BYTE2`.
pub const HEAD_BYTES: [u8; 2] = [0xA3, 0x95];

/// The header of a record with this id; the payload follows it.
#[inline(always)]
pub const fn record_header(id: u8) -> [u8; 3] {
    [HEAD_BYTES[0], HEAD_BYTES[1], id]
}

/// The id of FMT, the same in every log.
pub(crate) const FMT_ID: u8 = 128;
