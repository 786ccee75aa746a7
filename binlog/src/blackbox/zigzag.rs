//! Signed numbers as unsigned ones: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4.

/// A signed number as an unsigned one that is small if the number is near 0: 0, -1, 1, -2 are 0, 1, 2, 3.
#[inline(always)]
pub const fn zigzag(number: i32) -> u32 {
    ((number << 1) ^ (number >> 31)) as u32
}

/// The number that [`zigzag`] folded, as 32 bits.
#[inline(always)]
pub(super) const fn unfolded(folded: u32) -> u32 {
    (folded >> 1) ^ (folded & 1).wrapping_neg()
}
