//! Numbers to bytes: each [`Encoding`](super::Encoding), into a buffer of fixed size.
//!
//! The numbers are residuals: a value minus its prediction, modulo 2^32. The layouts are those of Cleanflight's
//! description ("Blackbox logging internals"), with the corrections that Betaflight's logs prove.

#[cfg(feature = "read")]
mod by_plan;
mod elias_delta;
mod tagged;
#[cfg(test)]
mod tests;
mod variable_bytes;

/// The bytes of frames on their way into a log: one frame, with those that belong before or after it.
///
/// ```
/// use binlog::blackbox::FrameBuffer;
///
/// let mut frame = FrameBuffer::new();
/// frame.byte(b'P');
/// let mut fields = frame.fields();
/// fields.signed_vb(-3);
/// fields.tag2_3s32([1, -1, 0]);
/// fields.finish();
/// assert!(frame.fits());
/// assert_eq!(frame.bytes(), [b'P', 5, 0b00_01_11_00]);
/// ```
#[derive(Clone, Debug)]
pub struct FrameBuffer {
    bytes: Bytes,
    /// Bytes so far; with [`MISFIT`] after a residual that didn't fit.
    end: usize,
}

/// The bit of an end that says that a residual didn't fit its encoding. So the end alone is to be kept in a register.
const MISFIT: usize = 1 << (usize::BITS - 1);

/// The bytes of a buffer, and room after them: groups are stored as eight bytes, of which fewer may count.
type Bytes = [u8; FrameBuffer::CAPACITY + OVERHANG];

const OVERHANG: usize = 8;

impl FrameBuffer {
    /// Bytes that a buffer holds.
    pub const CAPACITY: usize = 512;

    /// An empty buffer.
    pub const fn new() -> Self {
        FrameBuffer { bytes: [0; Self::CAPACITY + OVERHANG], end: 0 }
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
        self.end & !MISFIT
    }

    /// Whether every residual fitted its encoding, and all bytes the buffer.
    pub fn fits(&self) -> bool {
        self.end <= Self::CAPACITY
    }

    /// Removes all bytes after the first `length`, which fit.
    pub fn truncate(&mut self, length: usize) {
        self.end = length.min(self.length());
    }

    /// Appends a byte.
    #[inline(always)]
    pub fn byte(&mut self, byte: u8) {
        let mut fields = self.fields();
        fields.byte(byte);
        fields.finish();
    }

    /// Appends fields.
    #[inline(always)]
    pub fn fields(&mut self) -> FieldWriter<'_> {
        let FrameBuffer { bytes, end } = self;
        FieldWriter { bytes, end: *end, end_of_buffer: end }
    }
}

impl Default for FrameBuffer {
    fn default() -> Self {
        Self::new()
    }
}

/// Appends fields to a [`FrameBuffer`], which has them after [`finish`](FieldWriter::finish).
///
/// The methods append one field, or one group of fields. They never fail: an encoding that can't hold a residual is
/// remembered for [`FrameBuffer::fits`], so that the code for a frame has no branches for errors.
// Its end is its own, apart from that of the buffer: so it stays in a register while bytes are stored.
pub struct FieldWriter<'b> {
    bytes: &'b mut Bytes,
    end: usize,
    end_of_buffer: &'b mut usize,
}

impl FieldWriter<'_> {
    /// The buffer has the fields from now on.
    #[inline(always)]
    pub fn finish(self) {
        *self.end_of_buffer = self.end;
    }

    #[inline(always)]
    fn byte(&mut self, byte: u8) {
        self.end = put(self.bytes, self.end, [byte], 1);
    }

    /// Appends the first `count` of some bytes.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N], count: usize) {
        self.end = put(self.bytes, self.end, bytes, count);
    }

    /// Appends nothing ([`Null`](super::Encoding::Null)). Only 0 fits.
    #[inline(always)]
    pub fn null(&mut self, residual: i32) {
        self.check(residual == 0);
    }

    /// Remembers whether a residual fits.
    #[inline(always)]
    fn check(&mut self, fits: bool) {
        if !fits {
            self.end |= MISFIT;
        }
    }
}

/// Stores bytes at `end`, of which the first `count` count. Returns the new end.
#[inline(always)]
fn put<const N: usize>(to: &mut Bytes, end: usize, bytes: [u8; N], count: usize) -> usize {
    const { assert!(N <= OVERHANG) };
    // Masked, so that no bounds are checked; a buffer that wrapped doesn't fit.
    let at = end % FrameBuffer::CAPACITY;
    to[at..at + N].copy_from_slice(&bytes);
    end + count
}

/// The number, or its complement if it is negative: one bit less than the number needs.
#[inline(always)]
const fn magnitude(number: i32) -> u32 {
    (number ^ (number >> 31)) as u32
}
