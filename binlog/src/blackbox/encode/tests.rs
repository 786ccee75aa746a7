use super::*;
use crate::blackbox::zigzag;
use proptest::prelude::*;

fn bytes(append: impl FnOnce(&mut FieldWriter<'_>)) -> Vec<u8> {
    let mut frame = FrameBuffer::new();
    let mut fields = frame.fields();
    append(&mut fields);
    fields.finish();
    assert!(frame.fits());
    frame.bytes().to_vec()
}

fn refused(append: impl FnOnce(&mut FieldWriter<'_>)) -> bool {
    let mut frame = FrameBuffer::new();
    let mut fields = frame.fields();
    append(&mut fields);
    fields.finish();
    !frame.fits()
}

/// Reads what the encodings write, one bit at a time: simple, but slow.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().expect("another byte");
        self.0 = rest;
        *first
    }

    fn unsigned_vb(&mut self) -> u32 {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte();
            number |= u32::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    fn signed_vb(&mut self) -> i32 {
        let folded = self.unsigned_vb();
        (folded >> 1) as i32 ^ -((folded & 1) as i32)
    }

    fn tag8_8svb(&mut self, count: usize) -> Vec<i32> {
        if count == 1 {
            return vec![self.signed_vb()];
        }
        let present = self.byte();
        (0..count).map(|bit| if present >> bit & 1 == 1 { self.signed_vb() } else { 0 }).collect()
    }

    fn tag2_3s32(&mut self) -> [i32; 3] {
        let lead = self.byte();
        match lead >> 6 {
            0 => [signed(lead >> 4, 2), signed(lead >> 2, 2), signed(lead, 2)],
            1 => {
                let second = self.byte();
                [signed(lead, 4), signed(second >> 4, 4), signed(second, 4)]
            }
            2 => [signed(lead, 6), signed(self.byte(), 6), signed(self.byte(), 6)],
            _ => [0, 2, 4].map(|shift| {
                let width = u32::from(lead >> shift & 3) + 1;
                let number = (0..width).fold(0, |number, i| number | u32::from(self.byte()) << (8 * i));
                signed(number, 8 * width)
            }),
        }
    }

    fn tag8_4s16(&mut self) -> [i32; 4] {
        let selectors = self.byte();
        let widths = [0, 2, 4, 6].map(|shift| [0, 4, 8, 16][usize::from(selectors >> shift & 3)]);
        let mut bits = Bits(self, 0, 0);
        widths.map(|width| if width == 0 { 0 } else { signed(bits.take(width), width) })
    }
}

fn signed(number: impl Into<u32>, width: u32) -> i32 {
    (number.into() << (32 - width)) as i32 >> (32 - width)
}

/// A stream of bits: its reader, the current byte, and how many bits of it are left.
struct Bits<'a, 'b>(&'a mut Reader<'b>, u8, u32);

impl Bits<'_, '_> {
    fn take(&mut self, count: u32) -> u32 {
        (0..count).fold(0, |number, _| {
            if self.2 == 0 {
                (self.1, self.2) = (self.0.byte(), 8);
            }
            self.2 -= 1;
            number << 1 | u32::from(self.1 >> self.2 & 1)
        })
    }

    fn elias_delta(&mut self) -> u32 {
        let mut zeros = 0;
        while self.take(1) == 0 {
            zeros += 1;
        }
        let length = 1 << zeros | self.take(zeros);
        let number = (1u64 << (length - 1) | u64::from(self.take(length - 1))) as u32;
        if number == u32::MAX { number - 1 + self.take(1) } else { number - 1 }
    }
}

/// The bits of one number, as the description prints them.
fn elias_delta_text(number: u32) -> String {
    let bytes = bytes(|frame| frame.elias_delta(&[number]));
    let text: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    let zeros = text.find('1').expect("a code has a one");
    let length = usize::from_str_radix(&text[zeros..2 * zeros + 1], 2).expect("ones and zeros");
    let (code, padding) = text.split_at(2 * zeros + length + usize::from(number >= u32::MAX - 1));
    assert!(padding.len() < 8 && !padding.contains('1'), "padded by zeros");
    code.to_owned()
}

#[test]
fn variable_bytes_are_those_of_the_description() {
    for (number, expected) in [
        (0, &[0][..]),
        (1, &[1]),
        (127, &[0x7F]),
        (128, &[0x80, 1]),
        (0x3FFF, &[0xFF, 0x7F]),
        (0x4000, &[0x80, 0x80, 1]),
        (23456, &[0xA0, 0xB7, 1]),
        (u32::MAX, &[0xFF, 0xFF, 0xFF, 0xFF, 0xF]),
    ] {
        assert_eq!(bytes(|frame| frame.unsigned_vb(number)), expected, "{number}");
    }
}

#[test]
fn zigzag_keeps_numbers_near_zero_small() {
    let folded = [0, -1, 1, -2, 2147483647, -2147483648].map(zigzag);
    assert_eq!(folded, [0, 1, 2, 3, 4294967294, 4294967295]);
}

#[test]
fn the_descriptions_motors_are_encoded_as_it_says() {
    let before = [1430, 1500, 1470, 1490];
    let motors = [1635, 1501, 1469, 1532];
    let frame = bytes(|frame| {
        frame.byte(b'P');
        before.iter().zip(motors).for_each(|(before, motor)| frame.signed_vb(motor - before));
    });
    assert_eq!(frame, [b'P', 0x9A, 3, 2, 1, 0x54]);
}

#[test]
fn neg_14bit_is_the_negated_number_in_14_bits() {
    assert_eq!(bytes(|frame| frame.neg_14bit(0)), [0]);
    assert_eq!(bytes(|frame| frame.neg_14bit(-5)), [5]);
    assert_eq!(bytes(|frame| frame.neg_14bit(-8191)), [0xFF, 0x3F]);
    assert_eq!(bytes(|frame| frame.neg_14bit(8192)), [0x80, 0x40]);
    for residual in [-8192, 8193, i32::MIN, i32::MAX] {
        assert!(refused(|frame| frame.neg_14bit(residual)), "{residual}");
    }
}

#[test]
fn elias_delta_codes_are_those_of_the_description() {
    for (number, expected) in [
        (0, "1"),
        (1, "0100"),
        (2, "0101"),
        (225, "00010001100010"),
        (4294967292, "000001000001111111111111111111111111111101"),
        (4294967293, "000001000001111111111111111111111111111110"),
        (4294967294, "0000010000011111111111111111111111111111110"),
        (4294967295, "0000010000011111111111111111111111111111111"),
    ] {
        assert_eq!(elias_delta_text(number), expected, "{number}");
    }
}

#[test]
fn tag8_8svb_writes_what_is_not_zero() {
    assert_eq!(bytes(|frame| frame.tag8_8svb(&[0, 0, 2, 0, 4])), [0b10100, 4, 8]);
    assert_eq!(bytes(|frame| frame.tag8_8svb(&[0; 8])), [0]);
    assert_eq!(bytes(|frame| frame.tag8_8svb(&[0, 0, 0, 0, 0, 0, 0, -1])), [0x80, 1]);
    assert_eq!(bytes(|frame| frame.tag8_8svb(&[0])), [0], "one alone is a SIGNED_VB");
    assert_eq!(bytes(|frame| frame.tag8_8svb(&[3])), [6], "one alone is a SIGNED_VB");
    assert!(refused(|frame| frame.tag8_8svb(&[0; 9])));
    assert!(refused(|frame| frame.tag8_8svb(&[])));
}

#[test]
fn tag2_3s32_takes_the_width_of_the_largest() {
    assert_eq!(bytes(|frame| frame.tag2_3s32([0, 0, 0])), [0]);
    assert_eq!(bytes(|frame| frame.tag2_3s32([1, -2, -1])), [0b00_01_10_11]);
    assert_eq!(bytes(|frame| frame.tag2_3s32([2, 0, 0])), [0x42, 0]);
    assert_eq!(bytes(|frame| frame.tag2_3s32([7, -8, 3])), [0x47, 0x83]);
    assert_eq!(bytes(|frame| frame.tag2_3s32([20, -20, 3])), [0x94, 0xEC, 3], "the sign stays in the top bits");
    assert_eq!(bytes(|frame| frame.tag2_3s32([31, -32, 0])), [0x9F, 0xE0, 0]);
    assert_eq!(bytes(|frame| frame.tag2_3s32([32, 0, -1])), [0xC0, 32, 0, 0xFF]);
    assert_eq!(bytes(|frame| frame.tag2_3s32([-128, 127, 128])), [0b1101_0000, 0x80, 0x7F, 0x80, 0]);
    assert_eq!(
        bytes(|frame| frame.tag2_3s32([-8388608, -32768, 8388608])),
        [0b1111_0110, 0, 0, 0x80, 0, 0x80, 0, 0, 0x80, 0]
    );
}

#[test]
fn tag8_4s16_is_a_stream_of_nibbles_with_the_high_ones_first() {
    assert_eq!(bytes(|frame| frame.tag8_4s16([0, 3, 200, 500])), [0xF4, 0x30, 0x0C, 0x80, 0x1F, 0x40]);
    assert_eq!(bytes(|frame| frame.tag8_4s16([1, -200, 1, -200])), [0xDD, 0x1F, 0xF3, 0x81, 0xFF, 0x38]);
    assert_eq!(bytes(|frame| frame.tag8_4s16([13, 0, 4, 2])), [0b01_01_00_10, 0x0D, 0x42]);
    assert_eq!(bytes(|frame| frame.tag8_4s16([0; 4])), [0]);
    assert_eq!(bytes(|frame| frame.tag8_4s16([-1, 0, 0, 0])), [1, 0xF0], "the last nibble is padded");
    assert_eq!(
        bytes(|frame| frame.tag8_4s16([i16::MIN.into(), i16::MAX.into(), -128, 127])),
        [0b10_10_11_11, 0x80, 0, 0x7F, 0xFF, 0x80, 0x7F]
    );
    for residual in [32768, -32769, i32::MAX, i32::MIN] {
        assert!(refused(|frame| frame.tag8_4s16([0, residual, 0, 0])), "{residual}");
    }
}

#[test]
fn nothing_is_written_for_a_perfect_prediction() {
    assert!(bytes(|frame| frame.null(0)).is_empty());
    assert!(refused(|frame| frame.null(1)));
}

#[test]
fn frame_longer_than_the_buffer_fits_only_after_a_clear() {
    let mut frame = FrameBuffer::new();
    for _ in 0..FrameBuffer::CAPACITY {
        frame.byte(1);
    }
    assert!(frame.fits());
    frame.byte(1);
    assert!(!frame.fits());
    frame.clear();
    assert!(frame.fits() && frame.bytes().is_empty());
}

/// Residuals of all sizes, small ones as often as large ones.
fn residual() -> impl Strategy<Value = i32> {
    (any::<i32>(), 0..32u32).prop_map(|(number, shift)| number >> shift)
}

proptest! {
    #[test]
    fn variable_bytes_come_back(number in residual()) {
        let written = bytes(|frame| { frame.unsigned_vb(number as u32); frame.signed_vb(number) });
        let mut reader = Reader(&written);
        prop_assert_eq!(reader.unsigned_vb(), number as u32);
        prop_assert_eq!(reader.signed_vb(), number);
        prop_assert!(reader.0.is_empty());
    }

    #[test]
    fn neg_14bit_comes_back(residual in -8191..=8192) {
        let written = bytes(|frame| frame.neg_14bit(residual));
        prop_assert_eq!(-signed(Reader(&written).unsigned_vb(), 14), residual);
    }

    #[test]
    fn elias_delta_comes_back(residuals in prop::collection::vec(residual(), 1..20)) {
        let numbers: Vec<u32> = residuals.iter().map(|&residual| zigzag(residual)).collect();
        let written = bytes(|frame| frame.elias_delta(&numbers));
        let mut reader = Reader(&written);
        let mut bits = Bits(&mut reader, 0, 0);
        let read: Vec<u32> = numbers.iter().map(|_| bits.elias_delta()).collect();
        prop_assert_eq!(read, numbers);
        prop_assert!(reader.0.is_empty());
    }

    #[test]
    fn tag8_8svb_comes_back(residuals in prop::collection::vec(prop_oneof![Just(0), residual()], 1..=8)) {
        let written = bytes(|frame| frame.tag8_8svb(&residuals));
        let mut reader = Reader(&written);
        prop_assert_eq!(reader.tag8_8svb(residuals.len()), residuals);
        prop_assert!(reader.0.is_empty());
    }

    #[test]
    fn tag2_3s32_comes_back(shift in 0..32u32, numbers in any::<[i32; 3]>()) {
        let residuals = numbers.map(|number| number >> shift);
        let written = bytes(|frame| frame.tag2_3s32(residuals));
        let mut reader = Reader(&written);
        prop_assert_eq!(reader.tag2_3s32(), residuals);
        prop_assert!(reader.0.is_empty());
    }

    #[test]
    fn tag8_4s16_comes_back(shifts in prop::array::uniform4(0..16u32), numbers in any::<[i16; 4]>()) {
        let residuals = [0, 1, 2, 3].map(|i| i32::from(numbers[i] >> shifts[i]));
        let written = bytes(|frame| frame.tag8_4s16(residuals));
        let mut reader = Reader(&written);
        prop_assert_eq!(reader.tag8_4s16(), residuals);
        prop_assert!(reader.0.is_empty());
    }
}
