//! The header of a sector.

use super::crc;
use super::{HEADER_BYTES, LAPS};

/// What a sector's first 16 bytes say. See the [module](super) for the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// How often the ring started again at sector 0, modulo 4096.
    pub lap: u16,
    /// The binary logarithm of the sectors in a block, 0 to 15.
    pub block_log2: u8,
    /// The number of the log.
    pub log: u16,
    /// Bytes of the log in the sectors before this one, modulo 2³².
    pub offset: u32,
    /// [`schema_hash`](super::schema_hash) of the log's preamble, or 0.
    pub schema: u32,
}

/// Comes before the header in its checksum, so that nobody else's data is taken for a header.
const TAG: u32 = crc::update(crc::START, b"binlog flash 1");

impl Header {
    /// The bytes on the chip.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let lap = (self.lap % LAPS) | (u16::from(self.block_log2) << 12);
        bytes[4..6].copy_from_slice(&lap.to_le_bytes());
        bytes[6..8].copy_from_slice(&self.log.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.offset.to_le_bytes());
        bytes[12..].copy_from_slice(&self.schema.to_le_bytes());
        let sum = !crc::update(TAG, &bytes[4..]);
        bytes[..4].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Decodes the first bytes of a sector. `None` if they are not a header: an erased sector, or a torn one.
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> Option<Self> {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if !crc::update(TAG, &bytes[4..]) != word(0) {
            return None;
        }
        let (lap, log) = (word(4) as u16, (word(4) >> 16) as u16);
        Some(Header { lap: lap % LAPS, block_log2: (lap >> 12) as u8, log, offset: word(8), schema: word(12) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn erased_and_cleared_sectors_have_no_header() {
        assert_eq!(Header::decode(&[0xFF; 16]), None);
        assert_eq!(Header::decode(&[0; 16]), None);
    }

    #[test]
    fn the_layout_is_as_documented() {
        let header = Header { lap: 0xABC, block_log2: 4, log: 0x1234, offset: 0x0506_0708, schema: 0x090A_0B0C };
        let bytes = header.encode();
        let rest = [0xBC, 0x4A, 0x34, 0x12, 8, 7, 6, 5, 12, 11, 10, 9];
        assert_eq!(bytes[4..], rest);
        let tagged: Vec<u8> = b"binlog flash 1".iter().copied().chain(rest).collect();
        assert_eq!(bytes[..4], super::super::schema_hash(&tagged).to_le_bytes());
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(
            lap in 0..LAPS,
            block_log2 in 0..16_u8,
            log: u16,
            offset: u32,
            schema: u32,
            bit in 0..128_usize,
        ) {
            let header = Header { lap, block_log2, log, offset, schema };
            let mut bytes = header.encode();
            prop_assert_eq!(Header::decode(&bytes), Some(header));
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(Header::decode(&bytes), None);
        }
    }
}
