//! The encodings of groups: a tag says how long the numbers of the group are.

use super::window::{Window, sign_extended};

/// `TAG8_8SVB` of two fields or more: a bit for each field, the lowest for the first, that says whether it is 0.
#[inline(always)]
pub(super) fn tag8_8svb(window: &mut Window<'_>, out: &mut [u32]) {
    let tag = window.byte();
    if tag == 0 {
        out.fill(0);
        return;
    }
    for (i, out) in out.iter_mut().enumerate() {
        *out = if tag >> (i & 7) & 1 == 0 { 0 } else { window.signed() };
    }
}

/// `TAG2_3S32`: all three of 2, 4 or 6 bits, or each of 1 to 4 bytes.
#[inline(always)]
pub(super) fn tag2_3s32(window: &mut Window<'_>) -> [u32; 3] {
    let tag = u32::from(window.byte());
    match tag >> 6 {
        0 => [tag >> 4, tag >> 2, tag].map(sign_extended::<2>),
        1 => {
            let next = u32::from(window.byte());
            [tag, next >> 4, next].map(sign_extended::<4>)
        }
        // Firmware leaves the sign in the top two bits of the second and third byte.
        2 => [tag, window.byte().into(), window.byte().into()].map(sign_extended::<6>),
        _ => [tag, tag >> 2, tag >> 4].map(|tag| little_endian(window, tag as usize & 3)),
    }
}

/// A signed number of 1 to 4 bytes, the low one first.
#[inline]
fn little_endian(window: &mut Window<'_>, further: usize) -> u32 {
    let mut bytes = [0; 4];
    for byte in &mut bytes[..=further] {
        *byte = window.byte();
    }
    let unused = 8 * (3 - further as u32);
    ((u32::from_le_bytes(bytes) << unused) as i32 >> unused) as u32
}

/// `TAG8_4S16` of data version 2: 0, 4, 8 or 16 bits each, as a stream of nibbles, the high one of a byte first.
#[inline(always)]
pub(super) fn tag8_4s16(window: &mut Window<'_>) -> [u32; 4] {
    let tags = window.byte();
    if tags == 0 {
        return [0; 4];
    }
    // The group has at most 8 bytes, which come as one number, the first byte at its top.
    let bytes: [u8; 8] = core::array::from_fn(|distance| window.peek(distance));
    let stream = u64::from_be_bytes(bytes);
    let mut bits = 0;
    let values = [0, 2, 4, 6].map(|shift| {
        // 0, 4, 8 and 16 in a table of bytes.
        let length = 0x1008_0400_u32 >> (8 * (tags >> shift & 3)) & 0xFF;
        let from_top = (stream << bits) as i64;
        bits += length;
        // Nothing is left of 0 bits; shifting by 64 would overflow.
        if length == 0 { 0 } else { (from_top >> (64 - length)) as u32 }
    });
    window.at += (bits as usize).div_ceil(8);
    values
}

/// `TAG8_4S16` of data version 1: a 4-bit field shares a byte with the next field, the low nibble first, even if the
/// next field has another tag; 16 bits come low byte first.
pub(super) fn tag8_4s16_v1(window: &mut Window<'_>) -> [u32; 4] {
    let tags = window.byte();
    let mut values = [0; 4];
    let mut i = 0;
    while i < 4 {
        match tags >> (2 * i) & 3 {
            0 => {}
            1 => {
                let byte = u32::from(window.byte());
                values[i] = sign_extended::<4>(byte);
                i += 1;
                // The last field has no other to share with; its byte's high nibble is not used.
                if let Some(value) = values.get_mut(i) {
                    *value = sign_extended::<4>(byte >> 4);
                }
            }
            2 => values[i] = little_endian(window, 0),
            _ => values[i] = little_endian(window, 1),
        }
        i += 1;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::super::window::WINDOW_BYTES;
    use super::*;

    fn read<const N: usize>(bytes: &[u8], read: fn(&mut Window<'_>) -> [u32; N]) -> [i32; N] {
        let mut in_window = [0xFF; WINDOW_BYTES];
        in_window[..bytes.len()].copy_from_slice(bytes);
        let mut window = Window::new(&in_window);
        let values = read(&mut window);
        assert_eq!(window.at, bytes.len(), "{bytes:02x?}");
        values.map(|value| value as i32)
    }

    fn eight(window: &mut Window<'_>) -> [u32; 5] {
        let mut out = [1; 5];
        tag8_8svb(window, &mut out);
        out
    }

    #[test]
    fn tag8_8svb_as_described() {
        assert_eq!(read(&[0b0001_0100, 0x04, 0x08], eight), [0, 0, 2, 0, 4]);
        assert_eq!(read(&[0], eight), [0; 5]);
        assert_eq!(read(&[0b1_1111, 1, 3, 5, 7, 0x80, 0x01], eight), [-1, -2, -3, -4, 64]);
    }

    #[test]
    fn tag2_3s32_in_all_its_forms() {
        for (bytes, values) in [
            (&[0b0010_0111][..], [-2, 1, -1]),
            (&[0b0100_1000, 0b0111_1111], [-8, 7, -1]),
            (&[0x94, 0xEC, 0x03], [20, -20, 3]),
            (&[0b1010_0000, 0x1F, 0x20], [-32, 31, -32]),
            (&[0b1100_0000, 0x80, 0x7F, 0xFF], [-128, 127, -1]),
            (&[0b1100_0001, 0x00, 0x80, 0x7F, 0x01], [-32768, 127, 1]),
            (&[0b1101_1000, 0x05, 0x00, 0x00, 0x80, 0xFF, 0x7F], [5, -8_388_608, 32767]),
            (&[0b1111_0010, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0, 0x80], [8_388_607, 0, i32::MIN]),
        ] {
            assert_eq!(read(bytes, tag2_3s32), values);
        }
    }

    #[test]
    fn tag8_4s16_is_a_stream_of_nibbles() {
        for (bytes, values) in [
            (&[0xF4, 0x30, 0x0C, 0x80, 0x1F, 0x40][..], [0, 3, 200, 500]),
            (&[0xDD, 0x1F, 0xF3, 0x81, 0xFF, 0x38], [1, -200, 1, -200]),
            (&[0], [0; 4]),
            (&[0b0101_0010, 0x0D, 0x42], [13, 0, 4, 2]),
            (&[0b1010_1010, 0x80, 0x7F, 0xFF, 0x00], [-128, 127, -1, 0]),
            (&[0xFF, 0x80, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0, 1], [-32768, 32767, -1, 1]),
            (&[0b0101_0101, 0x87, 0xF0], [-8, 7, -1, 0]),
        ] {
            assert_eq!(read(bytes, tag8_4s16), values);
        }
    }

    #[test]
    fn tag8_4s16_of_data_version_1_pairs_nibbles() {
        for (bytes, values) in [
            (&[0][..], [0; 4]),
            (&[0b0101_0101, 0x78, 0x0F], [-8, 7, -1, 0]),
            // The tag of the field that shares the byte says 8 bits.
            (&[0b1110_0100, 0x78, 0x34, 0x12], [0, -8, 7, 0x1234]),
            (&[0b1110_0001, 0x21, 0x80, 0x34, 0x12], [1, 2, -128, 0x1234]),
            (&[0b0100_0000, 0x07], [0, 0, 0, 7]),
        ] {
            assert_eq!(read(bytes, tag8_4s16_v1), values);
        }
    }
}
