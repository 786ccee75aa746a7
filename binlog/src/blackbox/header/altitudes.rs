//! Altitudes below the sea, which firmware logs as unsigned numbers.

use super::{Header, Number};
use crate::blackbox::firmware::Family;

impl Header<'_> {
    /// Betaflight before 4.5, INAV and their relatives give a signed altitude to the encoder of unsigned numbers: 5 m
    /// below the sea are 2^32 - 50 decimetres. No altitude reaches 2^31 of any unit. Cleanflight and Betaflight up to
    /// 3.3 keep metres in 16 bits.
    pub(super) fn sign_altitudes(&mut self) {
        let number = match Family::of(self) {
            Family::Cleanflight | Family::Cleanflight2 => Number::Signed16,
            Family::Betaflight(version) if version < (3, 4) => Number::Signed16,
            Family::Betaflight(_) | Family::Inav | Family::Rotorflight | Family::Other => Number::Signed,
        };
        let gps = self.frames.iter_mut().filter(|frame| frame.letter() == b'G');
        for field in gps.flat_map(|frame| frame.fields_mut()) {
            if field.name() == "GPS_altitude" && !field.is_signed() {
                field.take_for(number);
            }
        }
    }
}
