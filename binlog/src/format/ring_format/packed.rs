//! A preamble without its runs of zeros, which are two thirds of it: texts and lists in definitions have a fixed width.

/// Bytes that [`unpack`] makes of one piece, at most. It takes some instructions for each, and a call of a stream has a
/// bound.
const LONGEST: usize = 64;
/// A piece has at least this number of bytes, unless it is the last one. A run has at most as many, so that a piece and
/// a run are not longer than [`LONGEST`].
const ENOUGH: usize = LONGEST / 2;

/// The length of `bytes` in the packed form: each run of zeros is a zero and the number of them.
pub const fn packed_length(bytes: &[u8]) -> usize {
    let (mut length, mut at) = (0, 0);
    while at < bytes.len() {
        let zeros = run(bytes, at);
        (length, at) = if zeros == 0 { (length + 1, at + 1) } else { (length + 2, at + zeros) };
    }
    length
}

/// The packed form of `bytes`. `LENGTH` is [`packed_length`].
pub const fn packed<const LENGTH: usize>(bytes: &[u8]) -> [u8; LENGTH] {
    let mut packed = [0; LENGTH];
    let (mut length, mut at) = (0, 0);
    while at < bytes.len() {
        let zeros = run(bytes, at);
        if zeros == 0 {
            packed[length] = bytes[at];
            (length, at) = (length + 1, at + 1);
        } else {
            packed[length + 1] = zeros as u8;
            (length, at) = (length + 2, at + zeros);
        }
    }
    packed
}

/// The number of zeros from `at` on.
const fn run(bytes: &[u8], at: usize) -> usize {
    let mut zeros = 0;
    while zeros < ENOUGH && at + zeros < bytes.len() && bytes[at + zeros] == 0 {
        zeros += 1;
    }
    zeros
}

/// Puts the piece that begins at `at` of the packed form into `out`, which has room for 64 bytes. Returns its length
/// and where the next piece begins; the length is 0 at the end.
pub fn unpack(packed: &[u8], mut at: usize, out: &mut [u8]) -> (usize, usize) {
    let mut length = 0;
    while let (true, Some(&byte)) = (length < ENOUGH, packed.get(at)) {
        let count = match byte {
            0 => usize::from(packed.get(at + 1).copied().unwrap_or(1)),
            _ => 1,
        };
        at += if byte == 0 { 2 } else { 1 };
        for _ in 0..count {
            if let Some(place) = out.get_mut(length) {
                *place = byte;
                length += 1;
            }
        }
    }
    (length, at)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::{LONGEST, packed, packed_length, unpack};
    use std::vec::Vec;

    fn unpacked(packed: &[u8]) -> Vec<u8> {
        let (mut bytes, mut out, mut at) = (Vec::new(), [7; LONGEST], 0);
        loop {
            let (length, next) = unpack(packed, at, &mut out);
            assert!(length <= LONGEST);
            bytes.extend(&out[..length]);
            if length == 0 {
                return bytes;
            }
            at = next;
        }
    }

    #[test]
    fn a_packed_preamble_is_unpacked_to_its_bytes() {
        const RUNS: &[u8] = &[0, 1, 0, 0, 2, 3, 0];
        const LONG: &[u8] = &[0; 1000];
        const FULL: &[u8] = &[9; 600];
        assert_eq!(packed_length(&[]), 0);
        assert!(unpacked(&[]).is_empty());
        assert_eq!(packed::<{ packed_length(RUNS) }>(RUNS), [0, 1, 1, 0, 2, 2, 3, 0, 1]);
        assert_eq!(unpacked(&packed::<{ packed_length(RUNS) }>(RUNS)), RUNS);
        assert_eq!(packed_length(LONG), 64);
        assert_eq!(unpacked(&packed::<{ packed_length(LONG) }>(LONG)), LONG);
        assert_eq!(unpacked(&packed::<{ packed_length(FULL) }>(FULL)), FULL);
    }
}
