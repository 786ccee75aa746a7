//! The first pass: residuals from bytes, field after field, in loops over fields of one encoding.

use super::elias::Bits;
use super::tagged;
use super::window::{Values, Window, negated_14_bits};
use crate::blackbox::definition::{Encoding, Predictor};
use crate::blackbox::zigzag::unfolded;
use std::ops::Range;

/// Consecutive fields of a frame that are read alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::blackbox) struct Reads {
    pub(in crate::blackbox) how: How,
    pub(in crate::blackbox) fields: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::blackbox) enum How {
    /// Nothing is stored.
    Nothing,
    Signed,
    Unsigned,
    Negated14Bits,
    /// Elias code of one kind or both, the first field in the lowest bit. Fields without bytes don't end the stream.
    Elias {
        signed: u128,
        absent: u128,
    },
    /// A group of 2 to 8 fields.
    Tag8_8Svb,
    Tag2_3S32,
    Tag8_4S16,
    Tag8_4S16V1,
}

/// Plans reading fields with these predictors and encodings.
///
/// Groups are those of Cleanflight's decoder: three or four fields are read by the encoding of the first, and the
/// encodings of the others are ignored; up to 8 neighbours of `TAG8_8SVB` are one group. An incremented field has no
/// bytes, even if its encoding isn't `NULL`.
pub(super) fn reads(data_version: u32, fields: &[(Predictor, Encoding)]) -> Vec<Reads> {
    let mut all: Vec<Reads> = Vec::new();
    let mut from = 0;
    while let Some(&(predictor, encoding)) = fields.get(from) {
        let (how, count) = match encoding {
            _ if predictor == Predictor::Increment => (How::Nothing, 1),
            Encoding::Null => (How::Nothing, 1),
            Encoding::SignedVb => (How::Signed, 1),
            Encoding::UnsignedVb => (How::Unsigned, 1),
            Encoding::Neg14Bit => (How::Negated14Bits, 1),
            Encoding::EliasDeltaU32 | Encoding::EliasDeltaS32 => {
                let (mut signed, mut absent, mut count) = (0, 0, 0);
                for (i, (predictor, encoding)) in fields[from..].iter().enumerate() {
                    match encoding {
                        _ if *predictor == Predictor::Increment => absent |= 1 << i,
                        Encoding::Null => absent |= 1 << i,
                        Encoding::EliasDeltaU32 => {}
                        Encoding::EliasDeltaS32 => signed |= 1 << i,
                        _ => break,
                    }
                    count += 1;
                }
                (How::Elias { signed, absent }, count)
            }
            Encoding::Tag8_8Svb => {
                let group = fields[from..].iter().take(8).take_while(|(_, encoding)| *encoding == Encoding::Tag8_8Svb);
                match group.count() {
                    1 => (How::Signed, 1),
                    count => (How::Tag8_8Svb, count),
                }
            }
            Encoding::Tag2_3S32 => (How::Tag2_3S32, 3),
            Encoding::Tag8_4S16 if data_version < 2 => (How::Tag8_4S16V1, 4),
            Encoding::Tag8_4S16 => (How::Tag8_4S16, 4),
        };
        let fields = from..from + count;
        from = fields.end;
        match all.last_mut() {
            // A loop of its own for each field would cost a branch each.
            Some(last) if last.how == how && matches!(how, How::Nothing | How::Signed | How::Unsigned) => {
                last.fields.end = fields.end;
            }
            _ => all.push(Reads { how, fields }),
        }
    }
    all
}

impl Reads {
    /// The bytes of the smallest residuals.
    pub(super) fn least_bytes(&self) -> usize {
        match self.how {
            How::Nothing => 0,
            How::Signed | How::Unsigned | How::Negated14Bits => self.fields.len(),
            // A 0 is one bit.
            How::Elias { absent, .. } => (self.fields.len() - absent.count_ones() as usize).div_ceil(8),
            How::Tag8_8Svb | How::Tag2_3S32 | How::Tag8_4S16 | How::Tag8_4S16V1 => 1,
        }
    }

    /// Reads the residuals of these fields. `false` if the bytes are not valid numbers.
    #[inline(always)]
    pub(super) fn read(&self, window: &mut Window<'_>, out: &mut Values) -> bool {
        let Some(out) = out.get_mut(self.fields.clone()) else { return false };
        match self.how {
            How::Nothing => out.fill(0),
            How::Signed => out.iter_mut().for_each(|out| *out = window.signed()),
            How::Unsigned => out.iter_mut().for_each(|out| *out = window.unsigned()),
            How::Negated14Bits => out.iter_mut().for_each(|out| *out = negated_14_bits(window.unsigned())),
            How::Tag8_8Svb => tagged::tag8_8svb(window, out),
            How::Tag2_3S32 => copy(out, tagged::tag2_3s32(window)),
            How::Tag8_4S16 => copy(out, tagged::tag8_4s16(window)),
            How::Tag8_4S16V1 => copy(out, tagged::tag8_4s16_v1(window)),
            How::Elias { signed, absent } => return elias(window, out, signed, absent),
        }
        true
    }
}

#[inline(always)]
fn copy<const N: usize>(out: &mut [u32], values: [u32; N]) {
    if let Some(out) = out.first_chunk_mut() {
        *out = values;
    }
}

fn elias(window: &mut Window<'_>, out: &mut [u32], signed: u128, absent: u128) -> bool {
    let mut bits = Bits::new(window);
    out.iter_mut().enumerate().all(|(i, out)| {
        if absent >> i & 1 != 0 {
            *out = 0;
            return true;
        }
        let Some(number) = bits.elias_delta() else { return false };
        *out = if signed >> i & 1 == 0 { number } else { unfolded(number) };
        true
    })
}
