//! Residuals to bytes as a header defines the fields: the inverse of how the decoder reads them.

use super::FieldWriter;
use crate::blackbox::decode::{FramePlan, How, Values};
use crate::blackbox::zigzag;

impl FieldWriter<'_> {
    /// Appends the residuals of a frame's fields.
    pub(in crate::blackbox) fn residuals(&mut self, plan: &FramePlan, residuals: &Values) {
        for stored in plan.stored() {
            // A group at the end may have more members than the frame has fields; the plan's ranges are in the array.
            let group = residuals.get(stored.fields.clone()).unwrap_or_default();
            let signed = group.iter().map(|residual| residual.cast_signed());
            match stored.how {
                How::Nothing => signed.for_each(|residual| self.null(residual)),
                How::Signed => signed.for_each(|residual| self.signed_vb(residual)),
                How::Unsigned => group.iter().for_each(|&residual| self.unsigned_vb(residual)),
                How::Negated14Bits => signed.for_each(|residual| self.neg_14bit(residual)),
                How::Elias { signed: signs, absent } => {
                    let mut numbers = Vec::with_capacity(group.len());
                    for (i, residual) in signed.enumerate() {
                        match (absent >> i & 1, signs >> i & 1) {
                            (0, 0) => numbers.push(residual.cast_unsigned()),
                            (0, _) => numbers.push(zigzag(residual)),
                            _ => self.null(residual),
                        }
                    }
                    self.elias_delta(&numbers);
                }
                How::Tag8_8Svb => self.tag8_8svb(&signed.collect::<Vec<_>>()),
                How::Tag2_3S32 => self.tag2_3s32(members(signed)),
                How::Tag8_4S16 => self.tag8_4s16(members(signed)),
                How::Tag8_4S16V1 => self.tag8_4s16_v1(members(signed)),
            }
        }
    }

    /// Appends four residuals of 16 bits as data version 1 has them: two of 4 bits share a byte, the first in its low
    /// bits, and 16 bits come low byte first.
    fn tag8_4s16_v1(&mut self, residuals: [i32; 4]) {
        let has_4_bits = |residual: i32| (-8..8).contains(&residual);
        let mut bytes = [0; 8];
        let (mut selectors, mut length, mut i) = (0, 0, 0);
        while i < 4 {
            let residual = residuals[i];
            let second = residuals.get(i + 1).copied().filter(|&second| has_4_bits(second));
            let (selector, [low, high], stored, fields) = match (residual, second) {
                (0, _) => (0, [0; 2], 0, 1),
                // The decoder doesn't look at the selector of the second one.
                (-8..8, Some(second)) => (1, [(residual & 0xF | second << 4) as u8, 0], 1, 2),
                (-128..128, _) => (2, [residual as u8, 0], 1, 1),
                _ => (3, (residual as i16).to_le_bytes(), 2, 1),
            };
            self.check(i16::try_from(residual).is_ok());
            selectors |= selector << (2 * i);
            bytes[length] = low;
            // The last group of two bytes ends with the array.
            if stored == 2 {
                bytes[length + 1] = high;
            }
            length += stored;
            i += fields;
        }
        self.byte(selectors);
        self.put(bytes, length);
    }
}

/// The members of a group; those that the frame has no fields for are 0.
fn members<const N: usize>(mut residuals: impl Iterator<Item = i32>) -> [i32; N] {
    std::array::from_fn(|_| residuals.next().unwrap_or_default())
}
