//! Numbers of 7 bits a byte, the low ones first; the top bit says that more bytes follow.

use super::{Bytes, FieldWriter, put};
use crate::blackbox::zigzag;

impl FieldWriter<'_> {
    /// Appends an unsigned number in 1 to 5 bytes ([`UnsignedVb`](crate::blackbox::Encoding::UnsignedVb)).
    #[inline(always)]
    pub fn unsigned_vb(&mut self, number: u32) {
        self.end = unsigned_vb(self.bytes, self.end, number);
    }

    /// Appends 2 to 4 unsigned numbers, each as [`unsigned_vb`](Self::unsigned_vb).
    ///
    /// Neighbours are alike: most often all of them have 7 bits, and one branch and one store do for them.
    #[inline(always)]
    pub fn vbs<const N: usize>(&mut self, numbers: [u32; N]) {
        const { assert!(N <= 4) };
        let (any, bytes) =
            numbers.iter().rev().fold((0, 0), |(any, bytes), number| (any | number, bytes << 8 | number));
        if any < 1 << 7 {
            self.put(bytes.to_le_bytes(), N);
        } else {
            // Of a copy, so that numbers of 7 bits aren't stored in memory.
            let copy = numbers;
            self.end = long_vbs(self.bytes, self.end, &copy);
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
        self.check((-8192..=8191).contains(&negated));
        self.unsigned_vb(negated as u32 & 0x3FFF);
    }
}

#[inline(always)]
pub(super) fn unsigned_vb(bytes: &mut Bytes, end: usize, number: u32) -> usize {
    // With branches: without them, each field would wait for the length of the one before (1.4 times the time).
    if number < 1 << 7 {
        put(bytes, end, [number as u8], 1)
    } else if number < 1 << 14 {
        put(bytes, end, [number as u8 | 0x80, (number >> 7) as u8], 2)
    } else {
        long_vb(bytes, end, number)
    }
}

/// Numbers of which some have more than 7 bits.
#[inline(never)]
fn long_vbs(bytes: &mut Bytes, end: usize, numbers: &[u32]) -> usize {
    numbers.iter().fold(end, |end, number| unsigned_vb(bytes, end, *number))
}

/// Numbers of 3 to 5 bytes. A function of its own, with the writer's parts, so that these stay in registers elsewhere.
#[inline(never)]
fn long_vb(bytes: &mut Bytes, mut end: usize, mut number: u32) -> usize {
    while number >= 1 << 7 {
        end = put(bytes, end, [number as u8 | 0x80], 1);
        number >>= 7;
    }
    put(bytes, end, [number as u8], 1)
}
