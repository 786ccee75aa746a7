//! The first pass of derived code: residuals from bytes, field after field, without a plan.

use super::elias::Bits;
use super::tagged;
use super::window::{Values, WINDOW_BYTES, Window, negated_14_bits};
use crate::blackbox::limits::{MAX_FIELDS, MAX_FRAME_BYTES};
use crate::blackbox::zigzag::unfolded;

/// Reads the residuals of a frame's fields: the counterpart of [`FieldWriter`](crate::blackbox::FieldWriter).
///
/// Each method reads one field or one group. None fails: invalid bytes are reported at the end. They are
/// inlined into the function of one frame, in which the place of each field is a constant.
pub struct FieldReader<'f> {
    window: Window<'f>,
    residuals: &'f mut Values,
    field: usize,
    are_numbers: bool,
}

impl<'f> FieldReader<'f> {
    #[inline(always)]
    pub(super) fn new(bytes: &'f [u8; WINDOW_BYTES], residuals: &'f mut Values) -> Self {
        FieldReader { window: Window::new(bytes), residuals, field: 0, are_numbers: true }
    }

    /// The number of bytes read; `None` if they are not a frame.
    #[inline(always)]
    pub(super) fn length(self) -> Option<usize> {
        (self.are_numbers && self.window.at < MAX_FRAME_BYTES).then_some(self.window.at)
    }

    #[inline(always)]
    fn put<const N: usize>(&mut self, residuals: [u32; N]) {
        if let Some(out) = self.residuals.get_mut(self.field..self.field + N) {
            out.copy_from_slice(&residuals);
        }
        self.field += N;
    }

    /// Reads a [`SignedVb`](crate::blackbox::Encoding::SignedVb).
    #[inline(always)]
    pub fn signed_vb(&mut self) {
        let residual = self.window.signed();
        self.put([residual]);
    }

    /// Reads an [`UnsignedVb`](crate::blackbox::Encoding::UnsignedVb).
    #[inline(always)]
    pub fn unsigned_vb(&mut self) {
        let residual = self.window.unsigned();
        self.put([residual]);
    }

    /// Reads a number of a type that only the compiler knows: signed or not.
    #[inline(always)]
    pub fn vb(&mut self, signed: bool) {
        let stored = self.window.unsigned();
        self.put([if signed { unfolded(stored) } else { stored }]);
    }

    /// Reads a [`Neg14Bit`](crate::blackbox::Encoding::Neg14Bit).
    #[inline(always)]
    pub fn neg_14bit(&mut self) {
        let residual = negated_14_bits(self.window.unsigned());
        self.put([residual]);
    }

    /// A field without bytes.
    #[inline(always)]
    pub fn null(&mut self) {
        self.put([0]);
    }

    /// Reads `N` fields of [`Tag8_8Svb`](crate::blackbox::Encoding::Tag8_8Svb), 1 to 8.
    #[inline(always)]
    pub fn tag8_8svb<const N: usize>(&mut self) {
        if N == 1 {
            return self.signed_vb();
        }
        let mut residuals = [0; N];
        tagged::tag8_8svb(&mut self.window, &mut residuals);
        self.put(residuals);
    }

    /// Reads three fields of [`Tag2_3S32`](crate::blackbox::Encoding::Tag2_3S32).
    #[inline(always)]
    pub fn tag2_3s32(&mut self) {
        let residuals = tagged::tag2_3s32(&mut self.window);
        self.put(residuals);
    }

    /// Reads four fields of [`Tag8_4S16`](crate::blackbox::Encoding::Tag8_4S16) of data version 2.
    #[inline(always)]
    pub fn tag8_4s16(&mut self) {
        let residuals = tagged::tag8_4s16(&mut self.window);
        self.put(residuals);
    }

    /// Reads `N` fields of Elias delta code: for each, whether it is signed.
    #[inline(always)]
    pub fn elias_delta<const N: usize>(&mut self, signed: [bool; N]) {
        const { assert!(N <= MAX_FIELDS) };
        let mut residuals = [0; N];
        let (at, are_numbers) = elias_delta(self.window.copy(), &signed, &mut residuals);
        self.window.at = at;
        self.are_numbers &= are_numbers;
        self.put(residuals);
    }
}

/// Returns the place after the fields, and whether they are numbers.
#[inline(never)]
fn elias_delta(mut window: Window<'_>, signed: &[bool], residuals: &mut [u32]) -> (usize, bool) {
    let mut bits = Bits::new(&mut window);
    for (&signed, residual) in signed.iter().zip(residuals) {
        let Some(number) = bits.elias_delta() else { return (window.at, false) };
        *residual = if signed { unfolded(number) } else { number };
    }
    (window.at, true)
}
