//! Numbers of 7 bits a byte, the low ones first; the top bit says that more bytes follow.

use super::{FrameBuffer, zigzag};

impl FrameBuffer {
    /// Appends an unsigned number in 1 to 5 bytes ([`UnsignedVb`](crate::blackbox::Encoding::UnsignedVb)).
    #[inline(always)]
    pub fn unsigned_vb(&mut self, number: u32) {
        if number < 1 << 7 {
            self.byte(number as u8);
        } else if number < 1 << 14 {
            self.put([number as u8 | 0x80, (number >> 7) as u8], 2);
        } else {
            self.long_vb(number);
        }
    }

    /// Appends a signed number in 1 to 5 bytes ([`SignedVb`](crate::blackbox::Encoding::SignedVb)).
    #[inline(always)]
    pub fn signed_vb(&mut self, number: i32) {
        self.unsigned_vb(zigzag(number));
    }

    /// Appends a residual of -8191 to 8192, negated, as 14 bits ([`Neg14Bit`](crate::blackbox::Encoding::Neg14Bit)).
    #[inline(always)]
    pub fn neg_14bit(&mut self, residual: i32) {
        let negated = residual.wrapping_neg();
        self.fits &= (-8192..=8191).contains(&negated);
        self.unsigned_vb(negated as u32 & 0x3FFF);
    }

    /// Numbers of 3 to 5 bytes.
    #[inline(never)]
    fn long_vb(&mut self, mut number: u32) {
        while number >= 1 << 7 {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }
}
