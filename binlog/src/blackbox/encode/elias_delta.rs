//! Elias delta code: a stream of bits, the most significant first.

use super::FieldWriter;

/// The largest number plus 1 that is written as it is; it also begins the codes of the two numbers that aren't.
const ESCAPE: u32 = u32::MAX;

impl FieldWriter<'_> {
    /// Appends neighbouring fields in Elias delta code ([`EliasDeltaU32`](crate::blackbox::Encoding::EliasDeltaU32);
    /// [`EliasDeltaS32`](crate::blackbox::Encoding::EliasDeltaS32) for numbers made by
    /// [`zigzag`](crate::blackbox::zigzag)).
    ///
    /// All neighbours are one stream of bits, which is padded to bytes at its end only. So all of them belong in one
    /// call.
    pub fn elias_delta(&mut self, numbers: &[u32]) {
        let (mut pending, mut count) = (0u64, 0);
        for &number in numbers {
            let (code, length) = code(number);
            pending = pending << length | code;
            count += length;
            while count >= 8 {
                count -= 8;
                self.byte((pending >> count) as u8);
            }
            pending &= (1 << count) - 1;
        }
        if count > 0 {
            self.byte((pending << (8 - count)) as u8);
        }
    }
}

/// The bits of a number, and how many they are, 1 to 43.
fn code(number: u32) -> (u64, u32) {
    if number >= ESCAPE - 1 {
        let (escape, length) = code_of_positive(ESCAPE);
        return (escape << 1 | u64::from(number - (ESCAPE - 1)), length + 1);
    }
    code_of_positive(number + 1)
}

fn code_of_positive(number: u32) -> (u64, u32) {
    let length = 32 - number.leading_zeros();
    let length_of_length = 32 - length.leading_zeros();
    // The length, below it the number without its top bit, above it zeros, one less than the length has bits.
    let rest = u64::from(number) & ((1 << (length - 1)) - 1);
    (u64::from(length) << (length - 1) | rest, 2 * length_of_length - 1 + length - 1)
}
