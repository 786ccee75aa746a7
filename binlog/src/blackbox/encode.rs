//! Numbers to bytes: each [`Encoding`](super::Encoding), into a buffer of fixed size.
//!
//! The numbers are residuals: a value minus its prediction, modulo 2^32. The layouts are those of Cleanflight's
//! description ("Blackbox logging internals"), with the corrections that Betaflight's logs prove.

#[cfg(feature = "std")]
mod by_plan;
mod elias_delta;
mod tagged;
#[cfg(test)]
mod tests;
mod variable_bytes;

/// The bytes of frames on their way into a log: one frame, with those that belong before or after it.
///
/// The methods append one field, or one group of fields. They never fail: an encoding that can't hold a residual is
/// remembered for [`fits`](FrameBuffer::fits), so that the code for a frame has no branches for errors.
///
/// ```
/// use binlog::blackbox::FrameBuffer;
///
/// let mut frame = FrameBuffer::new();
/// frame.byte(b'P');
/// frame.signed_vb(-3);
/// frame.tag2_3s32([1, -1, 0]);
/// assert!(frame.fits());
/// assert_eq!(frame.bytes(), [b'P', 5, 0b00_01_11_00]);
/// ```
#[derive(Clone, Debug)]
pub struct FrameBuffer {
    bytes: [u8; FrameBuffer::CAPACITY + FrameBuffer::OVERHANG],
    end: usize,
    fits: bool,
}

impl FrameBuffer {
    /// Bytes that a buffer holds.
    pub const CAPACITY: usize = 512;
    /// Groups are stored as eight bytes of which fewer may count.
    const OVERHANG: usize = 8;

    /// An empty buffer.
    pub const fn new() -> Self {
        FrameBuffer { bytes: [0; Self::CAPACITY + Self::OVERHANG], end: 0, fits: true }
    }

    /// Removes all bytes.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// The bytes so far. Meaningless unless they [fit](FrameBuffer::fits).
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.end.min(Self::CAPACITY)]
    }

    /// Number of bytes so far.
    pub fn length(&self) -> usize {
        self.end
    }

    /// Whether every residual fitted its encoding, and all bytes the buffer.
    pub fn fits(&self) -> bool {
        self.fits && self.end <= Self::CAPACITY
    }

    /// Removes all bytes after the first `length`, which fit.
    pub fn truncate(&mut self, length: usize) {
        self.end = length;
        self.fits = true;
    }

    /// Appends a byte.
    #[inline(always)]
    pub fn byte(&mut self, byte: u8) {
        // Masked, so that no bounds are checked; a buffer that wrapped doesn't fit.
        self.bytes[self.end % Self::CAPACITY] = byte;
        self.end += 1;
    }

    /// Appends the first `count` of some bytes.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N], count: usize) {
        const { assert!(N <= Self::OVERHANG) };
        let at = self.end % Self::CAPACITY;
        self.bytes[at..at + N].copy_from_slice(&bytes);
        self.end += count;
    }

    /// Appends nothing ([`Null`](super::Encoding::Null)). Only 0 fits.
    #[inline(always)]
    pub fn null(&mut self, residual: i32) {
        self.fits &= residual == 0;
    }
}

impl Default for FrameBuffer {
    fn default() -> Self {
        Self::new()
    }
}

/// A signed number as an unsigned one that is small if the number is near 0: 0, -1, 1, -2 are 0, 1, 2, 3.
#[inline(always)]
pub const fn zigzag(number: i32) -> u32 {
    ((number << 1) ^ (number >> 31)) as u32
}

/// The number, or its complement if it is negative: one bit less than the number needs.
#[inline(always)]
const fn magnitude(number: i32) -> u32 {
    (number ^ (number >> 31)) as u32
}
