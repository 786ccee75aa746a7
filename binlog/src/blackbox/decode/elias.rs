//! Elias delta code: a stream of bits, the most significant first, that continues from field to field.

use super::window::Window;

/// The bits of consecutive Elias-coded fields.
pub(super) struct Bits<'w, 'b> {
    window: &'w mut Window<'b>,
    /// The byte in use; its unread bits are the lowest `left` ones.
    byte: u8,
    left: u32,
}

impl<'w, 'b> Bits<'w, 'b> {
    pub(super) fn new(window: &'w mut Window<'b>) -> Self {
        Bits { window, byte: 0, left: 0 }
    }

    fn bit(&mut self) -> u32 {
        if self.left == 0 {
            self.byte = self.window.byte();
            self.left = 8;
        }
        self.left -= 1;
        u32::from(self.byte >> self.left & 1)
    }

    fn bits(&mut self, count: u32) -> u32 {
        (0..count).fold(0, |value, _| value << 1 | self.bit())
    }

    /// A number with one added: zeros, one less than the number's length has bits; the length; the number without its
    /// top bit. The number 2^32 - 1 is an escape: one more bit says whether it is 2^32 - 2 or 2^32 - 1.
    ///
    /// `None` if the bits are not such a number.
    pub(super) fn elias_delta(&mut self) -> Option<u32> {
        let mut bits_of_length = 1;
        while self.bit() == 0 {
            bits_of_length += 1;
            // A length of 32 has 6 bits.
            if bits_of_length > 6 {
                return None;
            }
        }
        let length = 1 << (bits_of_length - 1) | self.bits(bits_of_length - 1);
        if length > 32 {
            return None;
        }
        let below_top = length - 1;
        let number = 1 << below_top | self.bits(below_top);
        if number == u32::MAX { Some(u32::MAX - 1 + self.bit()) } else { Some(number - 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::window::WINDOW_BYTES;
    use super::*;
    use proptest::prelude::*;

    /// The reference encoder of the description, as characters.
    fn encoded(value: u32) -> String {
        fn internal(value: u32) -> String {
            let length = value.ilog2() + 1;
            let bits_of_length = length.ilog2() + 1;
            let number: String = format!("{value:b}").chars().skip(1).collect();
            format!("{}{length:b}{number}", "0".repeat(bits_of_length as usize - 1))
        }
        match value {
            u32::MAX => internal(u32::MAX) + "1",
            0xFFFF_FFFE => internal(u32::MAX) + "0",
            value => internal(value + 1),
        }
    }

    fn bytes(bits: &str) -> Vec<u8> {
        let byte = |bits: &[u8]| (0..8).fold(0, |byte, i| byte << 1 | u8::from(bits.get(i) == Some(&b'1')));
        bits.as_bytes().chunks(8).map(byte).collect()
    }

    fn decoded(bits: &str, count: usize) -> (Vec<Option<u32>>, usize) {
        let mut in_window = [0xFF; WINDOW_BYTES];
        let bytes = bytes(bits);
        in_window[..bytes.len()].copy_from_slice(&bytes);
        let mut window = Window::new(&in_window);
        let mut bits = Bits::new(&mut window);
        let values = (0..count).map(|_| bits.elias_delta()).collect();
        (values, window.at)
    }

    #[test]
    fn the_patterns_of_the_description() {
        for (value, pattern) in [
            (0, "1"),
            (225, "00010001100010"),
            (4_294_967_292, "000001000001111111111111111111111111111101"),
            (4_294_967_293, "000001000001111111111111111111111111111110"),
            (4_294_967_294, "0000010000011111111111111111111111111111110"),
            (4_294_967_295, "0000010000011111111111111111111111111111111"),
        ] {
            assert_eq!(encoded(value), pattern);
            assert_eq!(decoded(pattern, 1), (vec![Some(value)], pattern.len().div_ceil(8)));
        }
    }

    #[test]
    fn bits_that_are_no_number() {
        assert_eq!(decoded("0000000", 1).0, [None]);
        assert_eq!(decoded("00000111111", 1).0, [None]);
    }

    proptest! {
        #[test]
        fn a_stream_of_numbers(values in proptest::collection::vec((0..32_u32, any::<u32>()), 1..50)) {
            let values: Vec<u32> = values.into_iter().map(|(shift, value)| value >> shift).collect();
            let bits: String = values.iter().map(|&value| encoded(value)).collect();
            let expected = values.iter().map(|&value| Some(value)).collect();
            prop_assert_eq!(decoded(&bits, values.len()), (expected, bits.len().div_ceil(8)));
        }
    }
}
