//! Groups of fields behind a byte that says how each is stored.

use super::{FrameBuffer, magnitude};

impl FrameBuffer {
    /// Appends 1 to 8 residuals ([`Tag8_8Svb`](crate::blackbox::Encoding::Tag8_8Svb)): a byte with a bit for each, the
    /// first in the lowest, and those that aren't 0. One residual has no such byte. Other numbers of residuals don't fit.
    #[inline(always)]
    pub fn tag8_8svb(&mut self, residuals: &[i32]) {
        if let [alone] = residuals {
            return self.signed_vb(*alone);
        }
        self.fits &= matches!(residuals.len(), 2..=8);
        let mut present = 0;
        for (bit, &residual) in residuals.iter().enumerate().take(8) {
            present |= u8::from(residual != 0) << bit;
        }
        self.byte(present);
        if present != 0 {
            self.present_svb(residuals);
        }
    }

    /// The residuals that aren't 0. Most often all are.
    #[inline(never)]
    fn present_svb(&mut self, residuals: &[i32]) {
        for &residual in residuals {
            if residual != 0 {
                self.signed_vb(residual);
            }
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
            self.tag2_3s32_in_bytes([a, b, c]);
        }
    }

    #[inline(never)]
    fn tag2_3s32_in_bytes(&mut self, residuals: [i32; 3]) {
        // One byte less than each takes.
        let extra = residuals.map(|residual| match magnitude(residual) {
            0..0x80 => 0,
            0x80..0x8000 => 1,
            0x8000..0x80_0000 => 2,
            _ => 3,
        });
        self.byte(0xC0 | extra[2] << 4 | extra[1] << 2 | extra[0]);
        for (residual, extra) in residuals.into_iter().zip(extra) {
            self.put(residual.to_le_bytes(), usize::from(extra) + 1);
        }
    }

    /// Appends four residuals of 16 bits ([`Tag8_4S16`](crate::blackbox::Encoding::Tag8_4S16) of data version 2): in 0,
    /// 4, 8 or 16 bits each, behind two bits for each that say so.
    #[inline(always)]
    pub fn tag8_4s16(&mut self, residuals: [i32; 4]) {
        let mut selectors = 0;
        let mut bits = 0u64;
        let mut count = 0;
        for (i, residual) in residuals.into_iter().enumerate() {
            let magnitude = magnitude(residual);
            self.fits &= magnitude < 0x8000;
            let (selector, width) = match magnitude {
                0 if residual == 0 => (0, 0),
                0..8 => (1, 4),
                8..0x80 => (2, 8),
                _ => (3, 16),
            };
            selectors |= selector << (2 * i);
            bits = bits << width | u64::from(residual as u32 & ((1 << width) - 1));
            count += width;
        }
        self.byte(selectors);
        // To the top; of 0 bits, which a shift of 64 would have to move, there is none to move.
        self.put(bits.wrapping_shl(64 - count).to_be_bytes(), (count as usize).div_ceil(8));
    }
}
