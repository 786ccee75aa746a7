//! Groups of fields after a byte that says how each is stored.

use super::variable_bytes::unsigned_vb;
use super::{Bytes, FieldWriter, MISFIT, magnitude, put};
use crate::blackbox::zigzag;

impl FieldWriter<'_> {
    /// Appends 1 to 8 residuals ([`Tag8_8Svb`](crate::blackbox::Encoding::Tag8_8Svb)): a byte with a bit for each, the
    /// first in the lowest, and those that aren't 0. One residual has no such byte. Other numbers of residuals don't
    /// fit.
    #[inline(always)]
    pub fn tag8_8svb(&mut self, residuals: &[i32]) {
        if let [alone] = residuals {
            return self.signed_vb(*alone);
        }
        self.check(matches!(residuals.len(), 2..=8));
        let any = residuals.iter().fold(0, |any, residual| any | residual);
        // Most often all are 0.
        if any == 0 {
            self.byte(0);
        } else {
            // Of a copy, so that residuals that are all 0 aren't stored in memory.
            let mut copy = [0; 8];
            for (to, from) in copy.iter_mut().zip(residuals) {
                *to = *from;
            }
            self.end = present_svb(self.bytes, self.end, &copy[..residuals.len().min(8)]);
        }
    }

    /// Appends three residuals ([`Tag2_3S32`](crate::blackbox::Encoding::Tag2_3S32)): in 2, 4 or 6 bits each, as the
    /// largest needs, or in 1 to 4 bytes each.
    ///
    /// With 6 bits, the sign stays in the top bits of the second and third byte, as Betaflight leaves it.
    #[inline(always)]
    pub fn tag2_3s32(&mut self, [a, b, c]: [i32; 3]) {
        let largest = magnitude(a) | magnitude(b) | magnitude(c);
        if largest < 2 {
            self.byte(((a & 3) << 4 | (b & 3) << 2 | c & 3) as u8);
        } else if largest < 8 {
            self.put([0x40 | (a & 0xF) as u8, (b << 4 | c & 0xF) as u8], 2);
        } else if largest < 32 {
            self.put([0x80 | (a & 0x3F) as u8, b as u8, c as u8], 3);
        } else {
            self.end = tag2_3s32_in_bytes(self.bytes, self.end, [a, b, c]);
        }
    }

    /// Appends four residuals of 16 bits ([`Tag8_4S16`](crate::blackbox::Encoding::Tag8_4S16) of data version 2): in 0,
    /// 4, 8 or 16 bits each, after two bits for each that say so.
    #[inline(always)]
    pub fn tag8_4s16(&mut self, residuals: [i32; 4]) {
        // Most often all are 0: the pilot's sticks are read less often than the loop runs.
        let [a, b, c, d] = residuals;
        if a | b | c | d == 0 {
            self.byte(0);
        } else {
            self.end = nibbles(self.bytes, self.end, [a, b, c, d]);
        }
    }
}

/// A byte with a bit for each of up to 8 residuals that isn't 0, and those.
#[inline(never)]
fn present_svb(bytes: &mut Bytes, end: usize, residuals: &[i32]) -> usize {
    let mut present = 0;
    for (bit, &residual) in residuals.iter().enumerate() {
        present |= u8::from(residual != 0) << bit;
    }
    let mut end = put(bytes, end, [present], 1);
    for &residual in residuals {
        if residual != 0 {
            end = unsigned_vb(bytes, end, zigzag(residual));
        }
    }
    end
}

/// The form of `TAG2_3S32` in whole bytes.
#[inline(never)]
fn tag2_3s32_in_bytes(bytes: &mut Bytes, end: usize, residuals: [i32; 3]) -> usize {
    // One byte less than each takes.
    let extra = residuals.map(|residual| match magnitude(residual) {
        0..0x80 => 0,
        0x80..0x8000 => 1,
        0x8000..0x80_0000 => 2,
        _ => 3,
    });
    let end = put(bytes, end, [0xC0 | extra[2] << 4 | extra[1] << 2 | extra[0]], 1);
    let each = residuals.into_iter().zip(extra);
    each.fold(end, |end, (residual, extra)| put(bytes, end, residual.to_le_bytes(), usize::from(extra) + 1))
}

/// `TAG8_4S16` of residuals that aren't all 0.
#[inline(never)]
fn nibbles(bytes: &mut Bytes, end: usize, residuals: [i32; 4]) -> usize {
    let (mut selectors, mut bits, mut count, mut misfit) = (0, 0u64, 0, 0);
    for (i, residual) in residuals.into_iter().enumerate() {
        let (selector, width) = match magnitude(residual) {
            0 if residual == 0 => (0, 0),
            0..8 => (1, 4),
            8..0x80 => (2, 8),
            0x80..0x8000 => (3, 16),
            _ => {
                misfit = MISFIT;
                (3, 16)
            }
        };
        selectors |= selector << (2 * i);
        bits = bits << width | u64::from(residual as u32 & ((1 << width) - 1));
        count += width;
    }
    let end = put(bytes, end | misfit, [selectors], 1);
    // To the top. There are some bits, so the shift is less than 64.
    put(bytes, end, (bits << (64 - count)).to_be_bytes(), (count as usize).div_ceil(8))
}
