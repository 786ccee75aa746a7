//! The bytes that a frame is read from, and the numbers that it is read into.

use crate::blackbox::limits::MAX_FIELDS;
use crate::blackbox::zigzag::unfolded;

/// The number of bytes in a [`Window`]: a power of two that is longer than a frame.
pub(crate) const WINDOW_BYTES: usize = 512;

/// The values of a frame's fields. A group at the end of a frame may have more numbers than the frame has fields.
pub(crate) type Values = [u32; MAX_FIELDS + 8];

/// Zeros, for the values of a frame that is missing.
pub(crate) const NO_VALUES: Values = [0; MAX_FIELDS + 8];

/// The bytes after a frame's letter, and the place in them.
///
/// Reading beyond the end starts again at its beginning: the place then shows that the frame is too long, so that no
/// read has to be checked.
pub(crate) struct Window<'b> {
    bytes: &'b [u8; WINDOW_BYTES],
    /// The number of bytes read.
    pub(crate) at: usize,
}

impl<'b> Window<'b> {
    pub(crate) fn new(bytes: &'b [u8; WINDOW_BYTES]) -> Self {
        Window { bytes, at: 0 }
    }

    /// Another one at the same place.
    #[inline(always)]
    pub(super) fn copy(&self) -> Self {
        Window { ..*self }
    }

    /// The byte at a distance from the place.
    #[inline(always)]
    pub(crate) fn peek(&self, distance: usize) -> u8 {
        self.bytes[(self.at + distance) & (WINDOW_BYTES - 1)]
    }

    #[inline(always)]
    pub(crate) fn byte(&mut self) -> u8 {
        let byte = self.peek(0);
        self.at += 1;
        byte
    }

    /// Reads a number of 7 bits a byte, the low ones first; bits beyond 32 are dropped. A number has at most 5 bytes;
    /// the sixth byte of a longer one is the start of the next.
    #[inline(always)]
    pub(crate) fn unsigned(&mut self) -> u32 {
        let first = self.peek(0);
        if first < 0x80 {
            self.at += 1;
            return u32::from(first);
        }
        let second = self.peek(1);
        if second < 0x80 {
            self.at += 2;
            return u32::from(first & 0x7F) | u32::from(second) << 7;
        }
        let (number, length) = long_unsigned(self.bytes, self.at);
        self.at += length;
        number
    }

    /// Reads a zigzag-encoded number: 0, -1, 1, -2, 2 and so on.
    #[inline(always)]
    pub(crate) fn signed(&mut self) -> u32 {
        unfolded(self.unsigned())
    }
}

/// A number of three to five bytes, and how many it has. Apart from the window, so that its place stays in a register
/// where this isn't inlined.
#[inline(never)]
fn long_unsigned(bytes: &[u8; WINDOW_BYTES], at: usize) -> (u32, usize) {
    let mut five = [0; 8];
    for (distance, byte) in five[..5].iter_mut().enumerate() {
        *byte = bytes[(at + distance) & (WINDOW_BYTES - 1)];
    }
    let bytes = u64::from_le_bytes(five);
    // The first byte without a top bit is the last one.
    let last = (!bytes & 0x80_8080_8080).trailing_zeros() / 8;
    let length = last.min(4) + 1;
    let bytes = bytes & (0x7F_7F7F_7F7F >> (8 * (5 - length)));
    // 7 bits of each byte, joined pair by pair.
    let pairs = bytes & 0x007F_007F_007F_007F | (bytes & 0x7F00_7F00_7F00_7F00) >> 1;
    let fours = pairs & 0x0000_3FFF_0000_3FFF | (pairs & 0x3FFF_0000_3FFF_0000) >> 2;
    ((fours | fours >> 4 & !0xFFF_FFFF) as u32, length as usize)
}

/// The number that was stored negated, in 14 bits.
#[inline(always)]
pub(super) fn negated_14_bits(stored: u32) -> u32 {
    sign_extended::<14>(stored).wrapping_neg()
}

/// The low `BITS` bits of a number as a signed number.
#[inline(always)]
pub(super) fn sign_extended<const BITS: u32>(value: u32) -> u32 {
    ((value << (32 - BITS)) as i32 >> (32 - BITS)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The bytes in a window, and the rest of it filled with a byte that no reader should see.
    pub(crate) fn window(bytes: &[u8]) -> [u8; WINDOW_BYTES] {
        let mut window = [0xFF; WINDOW_BYTES];
        window[..bytes.len()].copy_from_slice(bytes);
        window
    }

    fn encoded(mut value: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value > 127 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    }

    #[test]
    fn unsigned_numbers_have_the_bytes_of_the_description() {
        for (bytes, value) in [
            (&[0x01][..], 1),
            (&[0x2A], 42),
            (&[0x7F], 127),
            (&[0x80, 0x01], 128),
            (&[0x81, 0x01], 129),
            (&[0xA0, 0xB7, 0x01], 23456),
            (&[0xFF, 0xFF, 0xFF, 0xFF, 0x0F], u32::MAX),
        ] {
            let bytes_read = window(bytes);
            let mut window = Window::new(&bytes_read);
            assert_eq!(window.unsigned(), value);
            assert_eq!(window.at, bytes.len());
        }
    }

    #[test]
    fn zigzag_numbers_have_the_values_of_the_description() {
        for (folded, value) in [(0, 0), (1, -1), (2, 1), (3, -2), (4_294_967_294, i32::MAX), (4_294_967_295, i32::MIN)]
        {
            assert_eq!(unfolded(folded) as i32, value);
        }
    }

    proptest! {
        #[test]
        fn unsigned_numbers_of_all_lengths(value: u32, shift in 0..32) {
            let value = value >> shift;
            let bytes = encoded(value);
            let bytes_read = window(&bytes);
            let mut window = Window::new(&bytes_read);
            prop_assert_eq!(window.unsigned(), value);
            prop_assert_eq!(window.at, bytes.len());
        }

        #[test]
        fn a_number_has_at_most_five_bytes(bytes: [u8; 6]) {
            let bytes_read = window(&bytes);
            let mut window = Window::new(&bytes_read);
            let value = window.unsigned();
            let length = bytes[..4].iter().take_while(|&&byte| byte >= 0x80).count() + 1;
            let expected = bytes[..length].iter().rev().fold(0_u64, |value, byte| value << 7 | u64::from(byte & 0x7F));
            prop_assert_eq!(value, expected as u32);
            prop_assert_eq!(window.at, length);
        }
    }
}
