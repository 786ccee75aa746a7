//! Little-endian numbers in a block, and a checksum.

pub(crate) type Block = [u8; 512];

/// A slot of a directory.
pub(crate) type Slot = [u8; 32];

// The lengths are known to the compiler, so that it leaves out the checks of indices.

pub(crate) fn u16_at<const N: usize>(bytes: &[u8; N], at: usize) -> u32 {
    u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

#[inline(always)]
pub(crate) fn u32_at<const N: usize>(bytes: &[u8; N], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(crate) fn put_u16<const N: usize>(bytes: &mut [u8; N], at: usize, value: u32) {
    bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes());
}

pub(crate) fn put_u32<const N: usize>(bytes: &mut [u8; N], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// FNV-1a, continued from `sum`. One copy of the loop is enough.
#[inline(never)]
pub(crate) fn hash(sum: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(sum, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The beginning of a [`hash`], with which zeros don't match.
pub(crate) const SEED: u32 = 0x811C_9DC5;
