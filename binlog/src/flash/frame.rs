//! Frames: checked pieces of a log's bytes inside a page.

use super::crc;
use super::{FRAME_HEADER_BYTES, HEADER_BYTES, LEAST_FRAME_BYTES, PAGE_BYTES};
use core::ops::Range;

/// A frame in a page. See the [module](super) for the layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The content, as a range of the page.
    pub content: Range<usize>,
    /// Where in the sector the next frame begins; [`SECTOR_BYTES`](super::SECTOR_BYTES) if there is no room for one.
    pub next: usize,
}

impl Frame {
    /// Binds frames to their sector: the first argument of [`encode`](Frame::encode) and [`decode`](Frame::decode).
    pub fn seed(header: &[u8; HEADER_BYTES]) -> u32 {
        crc::update(crc::START, header)
    }

    /// Writes the header of a frame that begins at `place` in its sector and ends before `end`. `page` is the page of
    /// that place, and has the content already. `write_log2` is the binary logarithm of the chip's write size.
    ///
    /// The caller keeps to the layout: the frame has content and is inside the page. Otherwise nothing is written.
    pub fn encode(seed: u32, page: &mut [u8; PAGE_BYTES], place: usize, end: usize, write_log2: u8) {
        let (start, length) = (place % PAGE_BYTES, end.wrapping_sub(place + FRAME_HEADER_BYTES));
        let Some(frame) =
            page.get_mut(start..).and_then(|rest| rest.get_mut(..FRAME_HEADER_BYTES.wrapping_add(length)))
        else {
            return;
        };
        frame[4..6].copy_from_slice(&(length as u16 | (u16::from(write_log2) << 12)).to_le_bytes());
        let sum = Self::sum(seed, place, frame);
        frame[..4].copy_from_slice(&sum.to_le_bytes());
    }

    /// Decodes the frame that begins at `place` in its sector; `page` is the page of that place. `None` if there is no
    /// valid frame.
    pub fn decode(seed: u32, page: &[u8; PAGE_BYTES], place: usize) -> Option<Self> {
        let start = place % PAGE_BYTES;
        let rest = &page[start..];
        let head = rest.first_chunk::<FRAME_HEADER_BYTES>()?;
        let length = u16::from_le_bytes([head[4], head[5]]);
        let (length, write_log2) = (usize::from(length & 0xFFF), (length >> 12) as u8);
        let frame = rest.get(..FRAME_HEADER_BYTES + length)?;
        let sum = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        if length == 0 || write_log2 > 8 || sum != Self::sum(seed, place, frame) {
            return None;
        }
        let content = start + FRAME_HEADER_BYTES..start + FRAME_HEADER_BYTES + length;
        Some(Frame { content, next: Self::after(place + FRAME_HEADER_BYTES + length, write_log2) })
    }

    /// Where in the sector the frame after one that ends before `end` begins.
    pub fn after(end: usize, write_log2: u8) -> usize {
        let aligned = end.next_multiple_of(1 << write_log2);
        // Also if nothing is left in the page, and the next one begins there.
        let page_end = end.next_multiple_of(PAGE_BYTES);
        if page_end - aligned < LEAST_FRAME_BYTES { page_end } else { aligned }
    }

    fn sum(seed: u32, place: usize, frame: &[u8]) -> u32 {
        !crc::update(crc::update(seed, &(place as u16).to_le_bytes()), &frame[4..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_layout_is_as_documented() {
        let header = [7; HEADER_BYTES];
        let mut page = [0xFF; PAGE_BYTES];
        page[70..73].copy_from_slice(b"abc");
        Frame::encode(Frame::seed(&header), &mut page, 256 + 64, 256 + 73, 2);
        assert_eq!(page[68..73], [3, 0x20, b'a', b'b', b'c']);
        let summed: Vec<u8> = header.into_iter().chain([0x40, 0x01]).chain(page[68..73].iter().copied()).collect();
        assert_eq!(page[64..68], crate::flash::schema_hash(&summed).to_le_bytes());
        let frame = Frame::decode(Frame::seed(&header), &page, 256 + 64).expect("a frame");
        assert_eq!(frame, Frame { content: 70..73, next: 256 + 76 });
        // Elsewhere, or in another sector, it is not a valid frame.
        assert_eq!(Frame::decode(Frame::seed(&header), &page, 512 + 64), None);
        assert_eq!(Frame::decode(Frame::seed(&[8; HEADER_BYTES]), &page, 256 + 64), None);
    }

    #[test]
    fn the_next_frame_begins_where_there_is_room() {
        assert_eq!(Frame::after(240, 0), 240);
        assert_eq!(Frame::after(241, 0), 256);
        assert_eq!(Frame::after(240, 8), 256);
        assert_eq!(Frame::after(25, 3), 32);
        assert_eq!(Frame::after(256, 8), 256);
        assert_eq!(Frame::after(4096, 0), 4096);
        assert_eq!(Frame::after(4081, 0), 4096);
        assert_eq!(Frame::after(4080, 4), 4080);
    }

    #[test]
    fn erased_and_cleared_pages_have_no_frames() {
        for byte in [0, 0xFF] {
            for place in 0..PAGE_BYTES {
                assert_eq!(Frame::decode(Frame::seed(&[0; 16]), &[byte; PAGE_BYTES], place), None);
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded_and_a_wrong_bit_is_noticed(
            header: [u8; HEADER_BYTES],
            page in 0..16_usize,
            start in 0..=240_usize,
            length in 1..=250_usize,
            write_log2 in 0..=8_u8,
            bit: usize,
        ) {
            let length = length.min(PAGE_BYTES - start - FRAME_HEADER_BYTES);
            let place = page * PAGE_BYTES + start;
            let end = place + FRAME_HEADER_BYTES + length;
            let mut page = [0x5A; PAGE_BYTES];
            let seed = Frame::seed(&header);
            Frame::encode(seed, &mut page, place, end, write_log2);
            let frame = Frame::decode(seed, &page, place).expect("a frame");
            prop_assert_eq!(&frame.content, &(start + 6..start + 6 + length));
            prop_assert_eq!(frame.next, Frame::after(end, write_log2));
            prop_assert!(frame.next >= end && frame.next <= end.next_multiple_of(PAGE_BYTES));
            let bit = bit % (8 * (FRAME_HEADER_BYTES + length));
            page[start + bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(Frame::decode(seed, &page, place), None);
        }

        #[test]
        fn any_page_is_decoded_without_a_panic(
            pages in proptest::collection::vec(any::<u8>(), PAGE_BYTES),
            place in 0..4096_usize,
            seed: u32,
        ) {
            let page = pages.as_slice().try_into().expect("a page");
            let _ = Frame::decode(seed, page, place);
        }
    }
}
